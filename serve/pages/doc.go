// Package pages serves a server's pages for people: where they sign in, where
// they decide about calls ([Approvals]), and where they authenticate again for
// one call. One sign-in serves all of them ([Sessions]).
//
//	people, err := pages.NewSessions(web.Origin())
//	approvals, err := pages.NewApprovals(people.Principal,
//		pages.ApprovalsConfig{Address: web.Origin() + "/approvals", SignIn: "/sign-in"})
//	g, err := guard.New(
//		guard.WithPeople(guard.PeopleOptions{Approver: approvals, StepUpPage: people.StepUpAddress}), …)
//	stepUp, err := people.StepUpPage(g, "/sign-in")
//	web.HandleTree("/approvals", approvals)
//	web.HandleTree(pages.StepUpPath, stepUp)
//
// For a server over stdio, the person opens the page of approvals on the same
// machine. If the machine has a display, a browser opens the question by
// itself. Otherwise the person opens an address that works once:
//
//	approvals, err := pages.ListenLoopback(ctx, person, pages.LoopbackConfig{})
//	fmt.Fprintln(os.Stderr, "approvals at", approvals.Address())
//
// # Approvals
//
// A call that must be confirmed answers confirmation_pending with the address
// of its question. The address alone decides nothing. The person signs in, sees
// the call with all its arguments, and approves or declines it. The client
// repeats the approved call, and it runs once. The page is separate from the
// client that makes the calls, because many hosts cannot ask their user, and
// none proves that it did. The documentation of package guard describes the
// guard's part, under "Asking a person".
//
// An answer to a form in the client comes from the client. It proves only that
// the client claims that a person agreed. An answer on this page comes from a
// person whom the page authenticated. The client has no part in that session,
// and the answer applies to exactly the arguments that the page showed.
// guard.PeopleOptions.ApproverFrom makes it the only answer that counts.
//
// It does not prove that the person read the question. Nor can the page tell
// the person from a client that has the person's access: a client with a shell
// of the same user can read the server's output and the browser's cookies.
//
// The list shows the questions that came from this process. Every replica that
// has the same store, the same sealing keys and the same FormKey in its
// [ApprovalsConfig] answers the address of a question.
//
// # Approvals over stdio
//
// Hosts hide the standard error of the servers that they start, so a printed
// address may not reach the person. These do:
//
//   - A client that can open addresses (elicitation in URL mode) sends its user
//     to the question. The call continues once the person has decided.
//   - For any other client, a signed-in browser window opens if the machine has
//     a display.
//   - A browser that opens the address some other way, for example from the
//     chat, is not signed in. The page then has a button that opens a signed-in
//     window. The client never gets an address that signs a browser in, because
//     it could use the address itself.
//   - Without a display, the page names a file in the user's cache folder that
//     only the user can read. It has a code that signs a browser in, once.
//   - The person can also sign in with [Approvals.Address], or with the address
//     that [LoopbackConfig] passes to Notify.
//
// # How people sign in
//
// This package stores no passwords. Bring your own sign-in: authenticate the
// person, for example at your OpenID provider, and call [Sessions.Start] in the
// handler for its response. The provider's library checks state, nonce and
// signature; [ReturnPath] checks where to go next:
//
//	func callback(w http.ResponseWriter, r *http.Request) {
//		claims, to, err := provider.Finish(r) // to: the return_to of the beginning
//		...
//		err = people.Start(w, guard.Principal{
//			Issuer: issuer, Subject: claims.Subject, AuthTime: claims.AuthTime, ACR: claims.ACR,
//		})
//		...
//		http.Redirect(w, r, pages.ReturnPath(to, web.Origin()+"/approvals"), http.StatusSeeOther)
//	}
//
// For a secret that the server can verify itself, such as a code that it sent
// or a token, [Sessions.SignInPage] is a complete page.
//
// A session is a cookie with a random ID that scripts cannot read. Over https
// its name has the prefix __Host-, so that no other host can set it. Below a
// path of serve.Config.Origin the prefix is __Secure-, and browsers send the
// cookie only to that path. Such a server must trust the other servers on its
// host and in its domain, because they can set the cookie.
//
// The cookie is SameSite=Lax: other sites can link to a page, and cannot post
// to it. The server stores a hash of the id in memory, for 12 hours.
// [Sessions.End] ends a session at once. Each sign-in gets a new id.
//
// A process knows only the sessions that started in it. Always send a person to
// the same replica, or store the sessions of all replicas yourself and pass
// your own function to [NewApprovals].
//
// # Step-up
//
// A call whose contract requires a more recent or stronger authentication (RFC
// 9470) sends the person to the page of [Sessions.StepUpPage]. A person who is
// not signed in, or whose authentication does not meet the call's requirement,
// is sent to the server's sign-in. Its address has the parameter return_to, and
// the call's requirement in max_age and acr_values (OpenID Connect Core 1.0
// §3.1.2.1). After the sign-in the person sees the call with all its arguments
// and confirms it. The call then runs once. A person who did not make the call
// can report that instead: the call is refused, and the server's log and the
// audit log record the report.
//
// The person must be the principal of the call: the issuer, tenant and subject
// of the session and of the call are equal. Other people learn nothing about
// it.
//
// # What every page does
//
// A page needs no JavaScript, loads nothing from elsewhere, cannot be framed,
// and is never cached. A decision, a confirmation and the end of a session need
// a POST with a token that is bound to the session or the person, and to the
// question or the call. Times are shown with their date, in UTC. If the browser
// runs scripts, one script shows the times of approvals in the reader's time
// zone. The content security policy allows only that script, by its hash.
//
// # Limits
//
// Browsers send a cookie to every port of a host. An attacker who serves
// another port of 127.0.0.1, and gets the person to open it, receives the
// session of a page served there without https. While a browser starts, other
// users of the machine can read the address that it opens in the process list.
// Use [ListenLoopback], and http on a loopback address, only on machines with
// one user.
package pages
