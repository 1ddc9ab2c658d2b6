// Package signin holds the sessions of people who sign in with a browser, for
// the pages of a server: the approval page, the page for step-up, and pages of
// its own. One sign-in serves all of them.
//
//	people, err := signin.New(web.Origin())
//	page, err := approval.New(people.Principal,
//		approval.WithAddress(web.Origin()+"/approvals"), approval.WithSignIn("/sign-in"))
//
// # How people sign in
//
// This package stores no passwords. Bring your own sign-in: authenticate the
// person, for example at your OpenID provider, and call [Sessions.Start] in the
// handler of its answer. The provider's library checks state, nonce and
// signature; [ReturnPath] checks where to go next:
//
//	func callback(w http.ResponseWriter, r *http.Request) {
//		claims, to, err := provider.Finish(r) // to: the return_to of the beginning
//		...
//		err = people.Start(w, guard.Principal{Issuer: issuer, Subject: claims.Subject, AuthTime: claims.AuthTime, ACR: claims.ACR})
//		...
//		http.Redirect(w, r, signin.ReturnPath(to, "/approvals"), http.StatusSeeOther)
//	}
//
// For a secret that the server can verify itself, such as a code that it sent
// or a token, [Sessions.Form] is a complete page.
//
// # What a session is
//
// A cookie with a random id, which scripts cannot read. Over https its name has
// the prefix __Host-, so that no other host can set it. The cookie is
// SameSite=Lax: other sites can link to a page, and cannot post to it. The
// server stores a hash of the id in memory, for 12 hours by default; see
// [WithLifetime]. [Sessions.End] ends a session at once. Each sign-in gets a
// new id.
//
// A process knows only the sessions that began in it. Send a person always to
// the same replica, or store the sessions of all replicas yourself and pass
// your own function to approval.New.
//
// On the loopback interface over http, browsers send a cookie to every port of
// the host. So the name has the port, and other servers of the machine can read
// the cookie if the person opens them. Use https on machines with many users.
package signin
