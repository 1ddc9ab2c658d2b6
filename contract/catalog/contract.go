package catalog

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/adapter"
)

// Contract starts a contract from the effective facts of e, for the guard of a
// gateway. The guard then confirms, limits, audits and deduplicates calls of a
// tool whose server knows nothing about contracts. handler forwards the call;
// [upstream.Client.Handler] is one.
//
// Callers can add clauses before Build. It is an error of Build if the entry is
// not [Served], except that a vetoed tool is forbidden.
func (e Entry) Contract(handler adapter.Handler, c adapter.WrapConfig) *adapter.WrappedBuilder {
	return e.contract(handler, c)
}

// Tools returns the contracts of all served tools of a cycle, for an adapter
// such as package mcpgo. handler returns the handler of an entry. The error
// joins a [contract.DeclarationError] for every mistake; the tools without one
// are returned too.
func (c Cycle) Tools(handler func(Entry) adapter.Handler, w adapter.WrapConfig) ([]*contract.Tool, error) {
	return c.tools(handler, w)
}
