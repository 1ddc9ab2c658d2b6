// Package signin holds the sessions of people who sign in with a browser, for
// the pages of a server: the approval page, the page for step-up, and pages of
// its own. One sign-in serves all of them.
//
//	people, err := signin.New(web.Origin())
//	page, err := approval.New(people.Principal,
//		approval.Config{Address: web.Origin() + "/approvals", SignIn: "/sign-in"})
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
//		err = people.Start(w, guard.Principal{
//			Issuer: issuer, Subject: claims.Subject, AuthTime: claims.AuthTime, ACR: claims.ACR,
//		})
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
// server stores a hash of the id in memory, for 12 hours. [Sessions.End] ends a
// session at once. Each sign-in gets a new id.
//
// A process knows only the sessions that began in it. Send a person always to
// the same replica, or store the sessions of all replicas yourself and pass
// your own function to approval.New.
//
// On the loopback interface over http, browsers send a cookie to every port of
// the host. So the name has the port, and other servers of the machine can read
// the cookie if the person opens them. Use https on machines with many users.
//
// # Step-up
//
// A call whose contract demands a more recent or stronger authentication (RFC
// 9470) sends the person to the page of [Sessions.StepUp]:
//
//	g, err := guard.New(guard.WithPeople(guard.PeopleOptions{StepUpPage: signin.StepUpAddress(web.Origin())}), …)
//	page, err := people.StepUp(g, "/sign-in")
//	web.HandleTree(signin.StepUpPath, page)
//
// A person who is not signed in, or whose authentication does not meet the
// demand of the call, is sent to the sign-in of the server. Its address has the
// parameter [ReturnParam], and the demand of the call in max_age and acr_values
// (OpenID Connect Core 1.0 §3.1.2.1). After the sign-in the person sees the
// call with all its arguments and confirms it. The call then runs once.
//
// The person must be the principal of the call: the issuer, tenant and subject
// of the session and of the call are equal. Other people learn nothing about
// it. The page needs no JavaScript, cannot be framed, and changes state only by
// a POST from itself with a token of the session and the call.
package signin
