package contract

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/contract/definition"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

const (
	ruleBindDefinition    = "bind.definition"
	ruleBindCapability    = "bind.capability"
	ruleBindVersion       = "bind.version"
	ruleBindSecurityLevel = "bind.securityLevel"
	ruleBindParameter     = "bind.parameter"
	ruleBindReturn        = "bind.return"
)

func bindRules() []BuildRule {
	return []BuildRule{
		{ID: ruleBindDefinition, Summary: "Bind takes a definition that is valid."},
		{ID: ruleBindCapability, Summary: "Bind names a capability of its definition."},
		{ID: ruleBindVersion, Summary: "A bound tool has its definition's version."},
		{ID: ruleBindSecurityLevel, Summary: "A bound tool's security level is not below its definition's."},
		{ID: ruleBindParameter, Summary: "A bound tool's input has the definition's parameters, of their types, as required " +
			"as they are."},
		{ID: ruleBindReturn, Summary: "A bound tool's result has what the definition declares of the return value."},
	}
}

// A binding is the part of a definition that a tool was bound to.
type binding struct {
	definition *definition.Definition
	capability *definition.Capability // nil if the definition is not valid or has no such capability
}

// Bind starts the contract of one capability of d: the tool "id.capability".
// The definition supplies the description, the version, the security level, the
// metadata and the title. The tool author adds the effect, the trust, the
// permissions and the rest with verbs of the builder or tags of In.
//
//	//go:embed calculator.json
//	var document []byte
//
//	d, err := definition.Parse(document)
//	add, err := contract.Bind(d, "add", add).Effect(risk.ReadOnly).Trust(trust.Trusted).Build()
//
// If In is a struct, its JSON Schema must have exactly the definition's
// parameters, with the declared types, and required as declared. An integer
// counts as a number, and field tags may narrow a parameter, for example with a
// minimum. If In is a map, the schema is that of the parameters. In both cases
// the parameters' descriptions are published in the schema.
//
// If the definition has a schema for the return value, that schema is published
// and results are checked against it. A struct Out must have the members that
// it declares. If Out is string, the schema must be the type string alone,
// because a text result has no schema that could restrict it. The output schema
// of a restricted tool is that of the exposed fields, as for every tool.
//
// Build reports every difference, an unknown capability, an invalid definition,
// a version other than the definition's, and a lower security level.
func Bind[In, Out any](d definition.Definition, capability string, handler Handler[In, Out]) *Builder[In, Out] {
	b := newBuilder(handler, clauses[:])
	d = d.Clone()
	l := &b.verbs
	declaredName.set(l, d.ToolName(capability))
	b.binding = &binding{definition: &d}
	if broken := definition.Errors(d.Validate()); len(broken) > 0 {
		for _, e := range broken {
			l.mistake(ruleBindDefinition, "definition"+e.Where, "["+e.Rule+"] "+e.Message,
				"correct the definition; definition.Parse reports the same")
		}
		return b
	}
	c, ok := d.Capability(capability)
	if !ok {
		l.mistake(ruleBindCapability, "definition/capabilities", "the definition has no such capability",
			"bind one of "+listed(capabilityNames(d)))
		return b
	}
	b.binding.capability = &c
	declaredTitle.set(l, d.Name+": "+c.Name)
	declaredDescription.set(l, c.Description)
	declaredVersion.set(l, d.Version)
	declaredSecurityLevel.set(l, d.SecurityLevel)
	if d.Metadata != nil {
		declaredMetadata.set(l, maps.Clone(d.Metadata))
	}
	return b
}

func capabilityNames(d definition.Definition) []string {
	names := make([]string, len(d.Capabilities))
	for i, c := range d.Capabilities {
		names[i] = c.Name
	}
	return names
}

// check compares the builder's clauses with the definition. A higher security
// level is stricter than the definition and allowed.
func (b *binding) check(c *checker) {
	if b == nil || b.capability == nil {
		return
	}
	if c.doc.Version != b.definition.Version {
		c.bad(ruleBindVersion, "version", "the contract has another version than its definition",
			"raise the version in the definition, and leave it out here")
	}
	if c.doc.SecurityLevel < b.definition.SecurityLevel {
		c.bad(ruleBindSecurityLevel, "securityLevel", "the security level is below that of the definition",
			"leave the level out, or raise it")
	}
}

// Definition returns the definition that [Bind] bound the tool to, and false if
// the tool was not made by Bind.
func (t *Tool) Definition() (definition.Definition, bool) {
	if t.definition == nil {
		return definition.Definition{}, false
	}
	return t.definition.Clone(), true
}

// DefinitionsOf returns the definitions that the tools were bound to, each once
// and sorted by ID. It ignores nil tools and tools that were not bound. A
// definition is returned with all its capabilities, even those that no tool was
// bound to; see [Unbound].
//
// The error joins one [definition.Error] for each ID shared by two different
// definitions.
func DefinitionsOf(tools ...*Tool) ([]definition.Definition, error) {
	var all []definition.Definition
	var errs []error
	written := map[string][]byte{}
	reported := map[string]bool{}
	for _, t := range tools {
		if t == nil || t.definition == nil {
			continue
		}
		d := *t.definition
		form, err := canonicalDefinition(d)
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
			errs = append(errs, &definition.Error{ID: d.ID, Rule: "definition.duplicate", Where: "/id",
				Message: "another definition with other content has the same ID"})
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	slices.SortFunc(all, func(a, b definition.Definition) int { return cmp.Compare(a.ID, b.ID) })
	return all, nil
}

// canonicalDefinition writes d so that equal definitions have equal bytes.
func canonicalDefinition(d definition.Definition) ([]byte, error) {
	data, err := d.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return strictjson.Canonical(data)
}

// Unbound returns the names of d's capabilities, in its order, that none of the
// tools was bound to. A server with only these tools lacks them. It ignores nil
// tools.
func Unbound(d definition.Definition, tools ...*Tool) []string {
	bound := map[string]bool{}
	for _, t := range tools {
		if t != nil && t.definition != nil {
			bound[t.Name()] = true
		}
	}
	return slices.DeleteFunc(capabilityNames(d), func(name string) bool { return bound[d.ToolName(name)] })
}
