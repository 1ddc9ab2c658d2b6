// Package approval serves the page on which a person decides about calls. The
// page works outside the client that makes the calls, because many hosts cannot
// ask their user, and no host proves that it did.
//
//	page, err := approval.New(authenticate, approval.Config{Address: "https://mail.example/approvals"})
//	g, err := guard.New(guard.WithPeople(guard.PeopleOptions{Approver: page}), …)
//	mux.Handle("/approvals", page)
//	mux.Handle("/approvals/", page)
//
// For a server over stdio, the person opens the page on the same machine. If
// the machine has a display, a browser opens the question by itself. Otherwise
// the person opens an address that works once:
//
//	page, err := approval.ListenLoopback(ctx, person, approval.LoopbackConfig{})
//	fmt.Fprintln(os.Stderr, "approvals at", page.Address())
//
// A call that must be confirmed answers confirmation_pending with the address
// of its question. The address alone decides nothing. The person signs in, sees
// the call with all its arguments, and approves or declines it. The client
// repeats an approved call, and it runs once. The documentation of package
// guard describes the guard's part, under "Asking a person".
//
// # Over stdio
//
// Hosts hide the standard error of the servers that they start, so a printed
// address may not reach the person. These ways do:
//
//   - A client that can open addresses (elicitation in URL mode) sends its user
//     to the question. The call goes on when the person has decided.
//   - For any other client, a signed-in browser window opens if the machine has
//     a display.
//   - A browser that opens the address in another way, for example from the
//     chat, is not signed in. The page then has a button that opens a signed-in
//     window. The client never gets an address that signs a browser in, because
//     it could use the address itself.
//   - Without a display, the person signs in with [Loopback.Address], or with
//     the address that [LoopbackConfig] passes to Notify.
//
// # What it proves
//
// The answer to a form of the client comes from the client. It only proves that
// the client claims that a person agreed. An answer on this page comes from a
// person whom the page has authenticated. The client has no part in that
// session, and the answer holds for exactly the arguments that the page showed.
// guard.PeopleOptions.ApproverFrom makes it the only answer that counts.
//
// It does not prove that the person has read the question. The page also cannot
// distinguish the person from a client that has the person's access. A client
// with a shell of the same user can read the output of the server and the
// cookies of the browser.
//
// # What the page does
//
// The page needs no JavaScript, loads nothing from elsewhere, cannot be framed,
// and is never cached. Times are shown with their date, in UTC. If the browser
// runs scripts, one script shows them in the time zone of the reader. The
// content security policy allows only that script, by its hash. It changes
// state only by a POST that comes from itself and has a token that is bound to
// the person, the session and the question. The list shows the questions that
// this process was asked. Every replica that has the same store, the same
// sealing keys and the same form key in its [Config] answers the address of a
// question.
//
// # Limits
//
// Browsers send a cookie to every port of a host. An attacker that serves
// another port of 127.0.0.1, and makes the person open it under the same path,
// receives the session of [ListenLoopback]. While a browser starts, other users
// of the machine can read the address that it opens from the list of processes.
// Use [ListenLoopback] only on machines with one user.
package approval
