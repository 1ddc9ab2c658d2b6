// Package catalog reads the contracts of live servers, for gateways: programs
// that put the tools of many servers behind one endpoint.
//
// [Handler] serves the page where people read the contracts of a server or a
// gateway.
//
// The package is experimental until v1: its API can change in a minor version.
//
// # Facts
//
// A [Catalog] lists its sources in cycles. The result of each [Catalog.Refresh]
// is a [Cycle] with an [Entry] for every tool. An entry has facts, such as the
// risk and the trust in results. Each [Fact] has the value that the server
// declares, the value that counts, and where both come from:
//
//   - contract: the server lists it in _meta, under [contract.MetaKeyContract]
//   - annotations: the server lists the keys of the Python package
//     mcp-tool-contract, such as risk_level
//   - hints: it follows from readOnlyHint and the other hints of MCP
//   - guess: the server declares nothing, so the strictest value counts
//   - memory: the server declared a stricter value earlier
//   - advice, operator: an override
//
// The first origin in this list that has a fact wins. A value that cannot be
// read counts as the strictest one, because the server may be newer.
//
// # Overrides
//
// The operator's file has [Overrides] and vetoes. They count even if they are
// weaker than what a server declares. Other people's overrides, such as a list
// on the internet, go into [Options.Advice] and count only if they are
// stricter.
//
//	operator, err := catalog.ParseOverrides(file)
//	c, err := catalog.New([]catalog.Source{
//		{Name: "mail", Lister: client.New(client.HTTP{URL: "https://mail.example.com/mcp"})},
//		{Name: "notes", Lister: client.New(client.Command{Path: "notes-server"})},
//	}, catalog.Options{Overrides: operator, StateFile: "catalog.json"})
//
// # Downgrades
//
// A catalogue remembers the effective facts of every tool that it has seen. A
// weaker risk, effect, trust, confirmation or dry run in a later cycle is a
// [Downgrade], unless the operator's file sets that fact. It is also a
// downgrade if callers may now repeat a tool's calls and could not before. The
// tool is then quarantined.
//
// It does not matter how much later the cycle is. A tool that vanishes is still
// remembered and keeps its name, so it cannot return weaker, and no other
// server can take its name. A new tool that declares the name of a remembered
// one as an alias inherits what is remembered about it; of several, the
// strictest counts. Removing a stricter override is a downgrade too: record the
// weaker value instead.
//
// With [Options.StateFile] the memory survives restarts. A
// state file that is torn, edited or foreign is an error of [New].
//
// Facts are what a server declares about itself. If its declarations are false
// from the first cycle on, the catalogue believes them, unless the operator's
// file overrides them.
//
// # Definitions that change
//
// After a review, a server can change a description so that it instructs the
// model, or add an argument. So a tool whose definition differs from the one
// first seen is quarantined, and reported once with what has changed. The
// operator accepts the new definition by its digest, in [Override.Digest] or
// with [Catalog.Accept]. [Source.Own] accepts all definitions of a server that
// the operator deploys.
//
// # Serving
//
// [Entry.Contract] makes a contract for the gateway's guard from the effective
// facts; package gateway does so for all served tools. Calls to servers that
// know nothing about contracts are then also confirmed, limited, audited and
// deduplicated.
//
// # Hostile servers
//
// Everything that a server lists is bounded, and its texts lose characters that
// hide or reorder text. A server that cannot be listed, or exceeds a bound, is
// reported in [Cycle.Servers]. Its tools stay as they were, and the other
// servers are not affected.
package catalog
