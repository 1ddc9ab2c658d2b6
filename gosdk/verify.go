package gosdk

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// Verify compares the tools registered with s to their contracts, so that a
// test can find a tool that was added or replaced. s is a server made by this
// package, or passed to [Register] or [WrapAll]. Nil means that every tool
// matches its contract. The error joins a [contract.DeclarationError] for every
// difference, sorted by tool:
//
//   - verify.replaced: another tool was added under the name
//   - verify.changed: its definition is not that of the contract
//   - verify.missing: it was removed
//   - verify.added: a tool without a contract, in a closed world
//   - verify.server: s is nil or has no contracts
//
// None of these tools is listed or run, whether Verify is called or not, except
// for one whose definition was changed in place. The server author's middleware
// does not see Verify's read.
func Verify(s *mcp.Server) error {
	b, err := settled(s, "verify.server")
	if err != nil {
		return err
	}
	b.updates.Lock() // against tools that are just being added
	defer b.updates.Unlock()
	state, err := inspect(s)
	if err != nil {
		return err
	}
	return adapter.JoinFindings(b.verify(state.tools))
}

func finding(rule, tool, message, remedy string) *contract.DeclarationError {
	return &contract.DeclarationError{Rule: rule, Tool: tool, Message: message, Remedy: remedy}
}

func (b *binding) verify(tools map[string]*mcp.Tool) []*contract.DeclarationError {
	var findings []*contract.DeclarationError
	t := b.table()
	known := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(t.called)) {
		r := t.called[name]
		known[r.under] = true
		switch tool := tools[r.under]; {
		case r.adopted && r.entry.IsAlias():
		case tool == nil:
			findings = append(findings, finding("verify.missing", name, "the tool is no longer registered",
				"do not remove it from the server"))
		case tool != r.tool:
			findings = append(findings, finding("verify.replaced", name, "another tool was added under the name", "rename it"))
		case r.isChanged():
			findings = append(findings, finding("verify.changed", name, "the definition differs from the contract",
				"change the contract instead"))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		if !known[name] && !b.isPlain(name) {
			findings = append(findings, finding("verify.added", name, "the tool has no contract",
				"declare one, and register it through gosdk.WithTools"))
		}
	}
	return findings
}

// isChanged reports whether the definition was changed after it was registered.
func (r *registration) isChanged() bool {
	now, err := json.Marshal(r.listed)
	return err != nil || !bytes.Equal(now, r.wire)
}
