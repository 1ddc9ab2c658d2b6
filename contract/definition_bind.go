package contract

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A binding is what a tool was bound to.
type binding struct {
	definition *Definition
	capability *Capability // nil where the definition has no such one, or is not valid
}

// Bind starts the contract of one capability of d: the tool "id.capability".
// Description, version, security level and metadata are the definition's, and
// the title is made of its name; effect, trust, permissions and all else the
// author adds, by the verbs of the builder or the tags of In.
//
//	//go:embed calculator.json
//	var document []byte
//
//	d, err := contract.ParseDefinition(document)
//	add, err := contract.Bind(d, "add", add).Effect(risk.ReadOnly).Trust(trust.Trusted).Build()
//
// Where In is a struct, its JSON Schema has to have exactly the parameters of
// the definition, each of the declared type and as required as declared; a
// whole number is a number, and what the fields' tags add (a minimum, a
// pattern) narrows it. Where In is map[string]any, or a map of another element
// type, the schema is that of the parameters. Either way the parameters'
// descriptions are published with it.
//
// Where the definition has the schema of the return value, results are held to
// it and it is published, and a struct Out must have the members that it
// declares. Text, an Out of string, fits the type string and nothing more: a
// result that is text has no schema, so one that bounds it is refused, and its
// words are not published. The output schema of a restricted tool is that of
// the exposed fields, as always.
//
// Build reports what does not fit, an unknown capability, a definition that is
// not valid, another version, and a security level below the definition's.
func Bind[In, Out any](d Definition, capability string, handler Handler[In, Out]) *Builder[In, Out] {
	b := newBuilder(handler)
	if hasMarkers(reflect.TypeFor[In]()) {
		b.tagged, b.tags = true, factsFromTags[In]()
	}
	d = d.Clone()
	f := &b.facts
	f.name.say(d.ToolName(capability))
	b.binding = &binding{definition: &d}
	if broken := DefinitionErrors(d.Validate()); len(broken) > 0 {
		for _, e := range broken {
			f.mistake(ruleBindDefinition, "definition"+e.Pointer, "["+e.Rule+"] "+e.Message, "correct the definition; ParseDefinition reports the same")
		}
		return b
	}
	c, ok := d.Capability(capability)
	if !ok {
		f.mistake(ruleBindCapability, "definition/capabilities", "the definition has no such capability", "bind one of "+listed(d.capabilityNames()))
		return b
	}
	b.binding.capability = &c
	f.title.say(d.Name + ": " + c.Name)
	f.description.say(c.Description)
	f.version.say(d.Version)
	f.securityLevel.say(d.SecurityLevel)
	if d.Metadata != nil {
		f.metadata.say(maps.Clone(d.Metadata))
	}
	return b
}

func (d Definition) capabilityNames() []string {
	names := make([]string, len(d.Capabilities))
	for i, c := range d.Capabilities {
		names[i] = c.Name
	}
	return names
}

// check holds what the builder said to what the definition says. A higher
// security level is a stricter promise, and kept.
func (b *binding) check(c *checker) {
	if b == nil || b.capability == nil {
		return
	}
	if c.doc.Version != b.definition.Version {
		c.bad(ruleBindVersion, "version", "the contract has another version than its definition", "raise the version in the definition, and leave it out here")
	}
	if c.doc.SecurityLevel < b.definition.SecurityLevel {
		c.bad(ruleBindSecurityLevel, "securityLevel", "the contract demands less than its definition", "leave the level out, or raise it")
	}
}

// Definition returns the definition that the tool was bound to by [Bind], and
// false where it was made in another way.
func (t *Tool) Definition() (Definition, bool) {
	if t.definition == nil {
		return Definition{}, false
	}
	return t.definition.Clone(), true
}

// DefinitionsOf returns the definitions that tools were bound to, each once and
// sorted by ID: what a server was made from, written back. Nil tools and those
// that were not bound are passed over. A definition has its capabilities that
// nobody bound too; see [Definition.Unbound].
//
// The error joins a [DefinitionError] for every ID that two different
// definitions have.
func DefinitionsOf(tools ...*Tool) ([]Definition, error) {
	var all []Definition
	var errs []error
	written := map[string][]byte{}
	reported := map[string]bool{}
	for _, t := range tools {
		if t == nil || t.definition == nil {
			continue
		}
		d := *t.definition
		form, err := d.canonical()
		if err != nil {
			return nil, err
		}
		earlier, known := written[d.ID]
		switch {
		case !known:
			written[d.ID] = form
			all = append(all, d.Clone())
		case !bytes.Equal(earlier, form) && !reported[d.ID]:
			reported[d.ID] = true
			errs = append(errs, &DefinitionError{ID: d.ID, Rule: RuleDefinitionDuplicate, Pointer: "/id", Message: "another definition, with other content, has the ID"})
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	slices.SortFunc(all, func(a, b Definition) int { return cmp.Compare(a.ID, b.ID) })
	return all, nil
}

// canonical writes d so that equal definitions have equal bytes.
func (d Definition) canonical() ([]byte, error) {
	data, err := d.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return strictjson.Canonical(data)
}

// Unbound returns the names of the capabilities of d, in its order, to which
// none of the tools was bound: what the document promises and a server of these
// tools does not have. Nil tools are passed over.
func (d Definition) Unbound(tools ...*Tool) []string {
	bound := map[string]bool{}
	for _, t := range tools {
		if t != nil && t.definition != nil {
			bound[t.Name()] = true
		}
	}
	return slices.DeleteFunc(d.capabilityNames(), func(name string) bool { return bound[d.ToolName(name)] })
}
