// Package program runs an MCP server as a command: its flags, its transports,
// its pages for people, its audit log, and its orderly shutdown. The main
// function declares only what is specific to it:
//
//	func main() {
//		os.Exit(program.Server{
//			Name: "mail", Version: "1.0.0", Tools: tools, Callers: tokens.Principal, Approval: true,
//		}.Main(os.Args[1:], os.Stdout, os.Stderr))
//	}
//
// Over stdio, which is the default, the principal is the user who started the
// process. Over HTTP the bearer token names the caller. The flags are:
//
//	-http HOST:PORT   serve streamable HTTP at /mcp; port 0 selects a free port
//	-origin ORIGIN    the https origin of -http, if Server.Public is set, with the
//	                  path below which the server is if it shares the host
//	-proxy-strips     the proxy of -origin removes that path from requests
//	-proxy-header X   the header in which the proxy of -origin passes the address
//	                  of its client, such as X-Forwarded-For; see pages.SignIn
//	-allowed-origin O an origin whose pages may call the tools over -http, if
//	                  Server.Public is set; repeat it for more
//	-drain-delay D    how long -http still accepts requests at the end, after
//	                  /readyz has begun to answer 503, if Server.Public is set
//	-permissions a,b  the local user's permissions over stdio (default: all that the tools need)
//	-tier, -names     how contracts and names are listed
//	-gateway          list the annotation keys of package gateway/keys too
//	-audit FILE|DIR   the audit log, as a hash chain (default: log to stderr); in
//	                  a folder each process has a file of its own
//	-audit-size BYTES with a folder, the size from which a next file begins
//	-verify-audit FILE|DIR -head HASH
//	                  check an audit log, or all in a folder, instead of serving
//	-state FILE       keep the outcomes of calls and open questions in a file, for
//	                  all processes of the user, if Server.OpenState is set
//	-approval         a person approves calls on a page, if Server.Approval is set
//	-browser=false    over stdio, do not open a browser for a question
//
// If Server.OperateState is set, the word state after the flags runs the
// commands with which an operator looks after the state, such as mail -state
// FILE state show.
//
// The first line on stderr over HTTP is "listening on ADDRESS/mcp". The server
// ends when stdin does, or on SIGINT or SIGTERM. It answers the running calls,
// closes the guard, then the backend, then the audit log, and prints the head
// of the log's hash chain. The exit status is 0, 1 if serving ended with an
// error, or 2 if the server could not start.
//
// If another process has the file of -audit open, the server waits at most two
// seconds for that process to end. Then it opens its own file next to it, and
// prints a warning with the path. SIGUSR1 starts the next file in the folder. A
// file that has been moved away is reopened at its path.
//
// # The packages behind this one
//
// If your server needs something else, combine these packages yourself, as this
// one does:
//
//	mcpgo     publishes and enforces contracts, over stdio or as an http.Handler
//	serve     the HTTP server: address, checks of Host and Origin, health, end
//	oauth     JWT access tokens as principals, and the answers that lead OAuth
//	          clients to the authorization server
//	pages     the pages on which a person signs in, approves or declines a call,
//	          and authenticates again for one call
//	catalog   the page on which people read the contracts, if Server.Contracts is set
//
// A call goes through serve, oauth and mcpgo to the guard; oauth finds its
// principal. A person goes through serve to the pages, and the pages' sessions
// find the person's principal. The pages pass the person's decision to the
// guard.
package program
