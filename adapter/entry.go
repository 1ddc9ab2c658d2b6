package adapter

import (
	"fmt"
	"maps"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/internal/listing"
	"github.com/toolcontract/toolcontract/risk"
)

// An Entry is one name that a tool can be called by: its listed name or an
// alias. It belongs to a [Table], does not change, and is safe for concurrent
// use. Compare entries by pointer.
type Entry struct {
	name   string // as it is called
	called string // the name or alias that the guard knows
	tool   *contract.Tool
	risk   risk.Level
	listed Definition

	audience exchange.Audience // of the tool
}

// Name returns the name that clients call.
func (e *Entry) Name() string { return e.name }

// IsAlias reports whether the name is an alias, which is never listed.
func (e *Entry) IsAlias() bool { return e.name != e.listed.Name }

// Tool returns the tool that the name calls.
func (e *Entry) Tool() *contract.Tool { return e.tool }

// Risk returns the risk of the tool.
func (e *Entry) Risk() risk.Level { return e.risk }

// HasRounds reports whether the tool is wrapped and its handler may ask the
// client for input; see [CallResult].Requests.
func (e *Entry) HasRounds() bool { return bound.Of(e.tool).Facts().Rounds > 0 }

// Definition returns the tool as it appears in tools/list. For an alias too,
// its Name is the listed one. The result is a copy that the caller may change.
func (e *Entry) Definition() Definition { return e.listed.clone() }

// MetaOver returns the tool's listed _meta together with the foreign members of
// the _meta of a tool that the contract replaces. It is nil if there are none.
func (e *Entry) MetaOver(replaced map[string]any) map[string]any {
	if len(replaced) == 0 {
		return maps.Clone(e.listed.Meta)
	}
	all := maps.Clone(replaced)
	delete(all, contract.MetaKeyContract)
	maps.Copy(all, e.listed.Meta)
	return all
}

// newEntries returns the entries of a tool with the contract doc, including
// those of its aliases.
func newEntries(t *contract.Tool, doc contract.Document, tier contract.Tier, names names) ([]*Entry, error) {
	listed, err := define(doc, bound.Of(t).Facts().Written, tier, names)
	if err != nil {
		return nil, err
	}
	entries := []*Entry{{name: listed.Name, called: doc.Name, tool: t, risk: doc.Risk, listed: listed}}
	for _, alias := range wireAliases(doc, listed.Name) {
		entries = append(entries, &Entry{name: alias.name, called: alias.declared, tool: t, risk: doc.Risk, listed: listed})
	}
	return entries, nil
}

// define returns a contract's definition for tools/list. written is nil for a
// tool that is not wrapped.
func define(doc contract.Document, written *bound.Written, tier contract.Tier, names names) (Definition, error) {
	metadata, err := listing.Metadata(doc, tier, names.naming)
	if err != nil {
		return Definition{}, err
	}
	return Definition{
		Meta: metadata, Name: names.naming.Listed(doc.Name), Title: titleOf(doc, written), Description: names.in(doc.Description),
		InputSchema: doc.InputSchema, OutputSchema: doc.OutputSchema, Annotations: annotationsOf(doc, written),
	}, nil
}

// A wireAlias is one form in which an alias can be called.
type wireAlias struct{ name, declared string }

// wireAliases returns a contract's aliases in every form that a server may have
// listed before, whatever its naming was. The listed name is not among them.
func wireAliases(doc contract.Document, listed string) []wireAlias {
	var all []wireAlias
	seen := map[string]bool{listed: true}
	for _, naming := range []contract.Naming{contract.Dotted, contract.Underscore} {
		for _, alias := range doc.Aliases {
			if name := naming.Listed(alias); !seen[name] {
				seen[name] = true
				all = append(all, wireAlias{name, alias})
			}
		}
	}
	return all
}

// collision returns the error for a name that is written like the name of e on
// the wire.
func collision(name string, e *Entry) error {
	return &contract.DeclarationError{
		Rule: "serve.collision", Tool: e.tool.Name(), Where: "name",
		Message: fmt.Sprintf("the names %s and %s are both listed as %s", name, e.called, e.name),
		Remedy:  "rename one, or list dotted names",
	}
}
