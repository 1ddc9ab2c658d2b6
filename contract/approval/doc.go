// Package approval serves the page on which a person decides about calls,
// outside the client that makes them: many hosts cannot ask their user anything,
// and of those that can none proves that it did.
//
//	page, err := approval.New(authenticate, approval.WithAddress("https://mail.example/approvals"))
//	g, err := guard.New(guard.WithApprover(page), …)
//	mux.Handle("/approvals", page)
//	mux.Handle("/approvals/", page)
//
// and for a server over stdio, where the page is opened on the same machine by
// an address that works once:
//
//	page, err := approval.ListenLoopback(ctx, person)
//	fmt.Fprintln(os.Stderr, "approvals at", page.Address())
//
// A call about which a person must be asked answers confirmation_pending with
// the address of its question, which decides nothing by itself. The person signs
// in, sees what will run with all its arguments, and says yes or no; the client
// repeats the call, and it runs once. What the guard does is in the
// documentation of package guard, under "Asking a person".
//
// # What it proves
//
// The answer to a form comes from the client: it proves that the client says
// that a person agreed. An answer here comes from whom the page has
// authenticated, in a session that the client has no part in, for exactly the
// arguments that it showed. guard.WithApproverFrom makes it the only answer that
// counts.
//
// It does not prove that the person has read it. And a client that can do what
// the person can is the person, for this page as for any: one with a shell of
// the same user reads what the server prints, and the cookies of the browser.
//
// # What the page does
//
// It needs no JavaScript, loads nothing from elsewhere, cannot be framed, and is
// never cached. It changes something only by a POST that comes from itself, with
// a token that is bound to the person, the session and the question. The list
// has what this process was asked; the address of a question is answered by any
// replica that has the same store, sealing keys and [WithFormKey].
//
// # Limits
//
// Browsers send a cookie to every port of a host. Whoever serves another port of
// 127.0.0.1 and gets the person to open it there under the same path sees the
// session of [ListenLoopback]. It is for machines with one user.
package approval
