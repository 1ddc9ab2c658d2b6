package adapter

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
)

// An Entry is one name under which a tool is called: the name under which it is
// listed, or an alias. It belongs to a [Table], does not change, and is safe
// for concurrent use. Entries are compared by pointer.
type Entry struct {
	name   string // as it is called
	called string // the name or alias that the guard knows
	tool   *contract.Tool
	risk   risk.Level
	listed Definition

	audience exchange.Audience // of the tool
}

// Name returns the name as it is called.
func (e *Entry) Name() string { return e.name }

// IsAlias reports whether the name is an alias, which is never listed.
func (e *Entry) IsAlias() bool { return e.name != e.listed.Name }

// Tool returns the tool that the name calls.
func (e *Entry) Tool() *contract.Tool { return e.tool }

// Risk returns the risk of the tool.
func (e *Entry) Risk() risk.Level { return e.risk }

// HasRounds reports whether the tool is a wrapped one whose handler may ask the
// client for inputs; see [CallResult].Requests.
func (e *Entry) HasRounds() bool { return bound.Of(e.tool).Facts().Rounds > 0 }

// Definition returns the tool as tools/list has it, also for an alias: its Name
// is the listed one. The caller may change what it gets.
func (e *Entry) Definition() Definition { return e.listed.clone() }

// MetaOver returns the _meta of the tool as it is listed, with the members that
// others wrote into the _meta of a tool that the contract replaces. It is nil
// if there are none.
func (e *Entry) MetaOver(replaced map[string]any) map[string]any {
	if len(replaced) == 0 {
		return maps.Clone(e.listed.Meta)
	}
	all := maps.Clone(replaced)
	delete(all, contract.MetaKeyContract)
	maps.Copy(all, e.listed.Meta)
	return all
}

// newEntries returns the entries of a tool, whose contract is doc, and of its
// aliases.
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

// define returns a contract as tools/list has it. written is nil for a tool
// that is not wrapped.
func define(doc contract.Document, written *bound.Written, tier contract.Tier, names names) (Definition, error) {
	if err := checkHeaders(doc); err != nil {
		return Definition{}, err
	}
	shown, err := shownContract(doc, tier, names.naming)
	if err != nil {
		return Definition{}, err
	}
	d := Definition{
		Name: names.naming.Listed(doc.Name), Title: titleOf(doc, written), Description: names.in(doc.Description),
		InputSchema: doc.InputSchema, OutputSchema: doc.OutputSchema, Annotations: annotationsOf(doc, written),
	}
	if shown != nil {
		d.Meta = map[string]any{contract.MetaKeyContract: shown}
	}
	return d, nil
}

// ListedJSON returns the entry of a contract in tools/list, as a [Table] with
// the default naming has it in a tier. The error has a
// [contract.DeclarationError] if the tool cannot be listed.
func ListedJSON(doc contract.Document, tier contract.Tier) ([]byte, error) {
	d, err := define(doc, nil, tier, names{})
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, &contract.DeclarationError{
			Rule: "serve.definition", Tool: doc.Name, Where: "inputSchema",
			Message: "the definition cannot be written as JSON", Remedy: "correct the schemas",
		}
	}
	return raw, nil
}

// A wireAlias is one form in which an alias can be called.
type wireAlias struct{ name, declared string }

// wireAliases returns the aliases of a contract in every form that a server may
// have listed before, whatever its naming was. The listed name is none of them.
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

// collision reports that a contract's name is written as the name of e on the
// wire.
func collision(name string, e *Entry) error {
	return &contract.DeclarationError{
		Rule: "serve.collision", Tool: e.tool.Name(), Where: "name",
		Message: fmt.Sprintf("the names %s and %s are both listed as %s", name, e.called, e.name),
		Remedy:  "rename one, or list dotted names",
	}
}
