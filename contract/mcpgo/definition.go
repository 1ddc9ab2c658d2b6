package mcpgo

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/internal/toollist"
	"github.com/toolcontract/toolcontract/risk"
)

// An entry is one name under which a tool is registered.
type entry struct {
	tool  mcp.Tool
	owner *binding
	// called is the name or alias that the guard knows.
	called string
	// listed is the name of the contract.
	listed string
	risk   risk.Level
	// wire is tool as JSON. A later comparison shows whether tool was changed.
	wire []byte
	// standIn is set for an alias: the tool as it is listed, with the Meta of
	// the alias.
	standIn *mcp.Tool
	// digest is that of the contract.
	digest string
}

// newEntries defines a tool and its aliases.
func newEntries(doc contract.Document, tier ContractTier, names names) ([]*entry, error) {
	shown, err := shownContract(doc, tier, names.naming)
	if err != nil {
		return nil, err
	}
	listed := definition(doc, shown, names)
	if err := toollist.CheckHeaders(doc); err != nil {
		return nil, err
	}
	entries := []*entry{{tool: listed, called: doc.Name, listed: doc.Name, risk: doc.Risk}}
	for _, alias := range wireAliases(doc, listed.Name) {
		e := &entry{tool: definition(doc, shown, names), called: alias.declared, listed: doc.Name, risk: doc.Risk}
		standIn := e.tool
		e.standIn, e.tool.Name = &standIn, alias.name
		entries = append(entries, e)
	}
	for _, e := range entries {
		if err := e.write(); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// A wireAlias is one form in which an alias can be called.
type wireAlias struct{ name, declared string }

// wireAliases returns the aliases of a contract in every form that a server may
// have listed before, whatever its naming was. The listed name is none of them.
func wireAliases(doc contract.Document, listed string) []wireAlias {
	var all []wireAlias
	seen := map[string]bool{listed: true}
	for _, naming := range []Naming{Dotted, Underscore} {
		for _, alias := range doc.Aliases {
			if name := naming.Listed(alias); !seen[name] {
				seen[name] = true
				all = append(all, wireAlias{name, alias})
			}
		}
	}
	return all
}

// write stores the definition as JSON.
func (e *entry) write() (err error) {
	if e.wire, err = json.Marshal(e.tool); err != nil {
		return &contract.DeclarationError{
			Rule: "serve.definition", Tool: e.listed, Where: "inputSchema",
			Message: "the definition cannot be written as JSON", Remedy: "correct the schemas",
		}
	}
	return nil
}

// inherit copies members without a clause from the tool that the contract
// replaces: icons, deferred loading, and the _meta of others.
func (e *entry) inherit(old mcp.Tool) {
	e.tool.Icons, e.tool.DeferLoading = old.Icons, old.DeferLoading
	if old.Meta == nil || len(old.Meta.AdditionalFields) == 0 {
		return
	}
	fields := maps.Clone(old.Meta.AdditionalFields)
	delete(fields, contract.MetaKeyContract)
	maps.Copy(fields, e.tool.Meta.AdditionalFields)
	e.tool.Meta.AdditionalFields = fields
}

// definition returns a contract as a tool of mcp-go. Each tool has its own
// Meta, by which it is recognised later. The schemas stay raw, because mcp-go's
// typed form drops keywords.
func definition(doc contract.Document, shown json.RawMessage, names names) mcp.Tool {
	hints := doc.Hints()
	meta := &mcp.Meta{}
	if shown != nil {
		meta.AdditionalFields = map[string]any{contract.MetaKeyContract: shown}
	}
	return mcp.Tool{
		Name: names.naming.Listed(doc.Name), Title: doc.Title, Description: names.in(doc.Description),
		RawInputSchema: doc.InputSchema, RawOutputSchema: doc.OutputSchema,
		Annotations: mcp.ToolAnnotation{
			Title:           doc.Title,
			ReadOnlyHint:    &hints.ReadOnly,
			DestructiveHint: &hints.Destructive,
			IdempotentHint:  &hints.Idempotent,
			OpenWorldHint:   &hints.OpenWorld,
		},
		Meta: meta,
	}
}

// collision reports that a contract's name is written as the name of e on the
// wire.
func collision(name string, e *entry) error {
	return &contract.DeclarationError{
		Rule: "serve.collision", Tool: e.listed, Where: "name",
		Message: fmt.Sprintf("the names %s and %s are both listed as %s", name, e.called, e.tool.Name), Remedy: "rename one, or list dotted names",
	}
}
