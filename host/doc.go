// Package host has facts about MCP hosts: which calls they run without asking,
// and what they do with names, schemas, results and questions. [Lint] compares
// a server's tools with these facts.
//
//	hosts, err := host.Find("codex@2026-10,vscode")
//	…
//	for _, f := range host.Lint(host.Server{Tools: tools}, hosts...) {
//		fmt.Println(f)
//	}
//
// The facts are in hosts.json, each with a source and a mark that says how
// certain it is:
//
//	src    read in the source of the host
//	doc    the documentation of its vendor
//	iss    reports of users
//	src2   the source, as others have read it
//	doc2   the documentation, as others quote it
//	mem    remembered, and not looked up
//
// A fact with the mark src or doc keeps its level. A fact with the mark iss is
// at most a warning. All other facts, and those marked as uncertain, are infos
// with the word unconfirmed. Hosts change weekly, so each has a version and a
// date. To update a host, edit hosts.json: give a fact that has changed an
// "until", and the new fact a "since".
//
// The package depends only on the standard library. It is experimental.
package host
