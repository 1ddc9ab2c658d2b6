package contract

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/risk"
)

//go:generate go test -run TestDefinitionSchema_IsCurrent -update .

//go:embed definition.schema.json
var definitionSchema []byte

// DefinitionSchema returns the JSON Schema 2020-12 of a [Definition]. Each call
// returns a copy. What a schema cannot say (unique names, a return value's
// schema that compiles, texts that hide nothing) [ParseDefinition] checks.
func DefinitionSchema() json.RawMessage { return bytes.Clone(definitionSchema) }

// A Definition is a document of the MCP Tool Definition Specification 1.0.0:
// one thing with several capabilities, each of which is the tool
// "id.capability". Read one with [ParseDefinition], and attach handlers to it
// with [Bind]; it is written back value for value, and so is what tools were
// bound to: see [DefinitionsOf].
//
// A Definition is a plain value: copy it with Clone before changing what its
// slices and maps hold. JSON Schema: [DefinitionSchema].
type Definition struct {
	// ID begins the tools' names. It is formed as a name, dots included, and
	// unique among the definitions of a server.
	ID string `json:"id"`
	// Name is for people.
	Name string `json:"name"`
	// Version is that of all capabilities, by Semantic Versioning 2.0.0.
	Version string `json:"version"`
	// Description says what the capabilities have in common.
	Description string `json:"description"`
	// Capabilities are what can be called; there is at least one.
	Capabilities []Capability `json:"capabilities" jsonschema:"minItems=1"`
	// SecurityLevel runs from 0 to 10: from 1 up a principal is needed, from 4
	// up its permissions are checked, from 8 up a confirmation or a step-up.
	// Zero: no demand beyond the clauses of each contract.
	SecurityLevel risk.SecurityLevel `json:"securityLevel,omitempty"`
	// Metadata is free.
	Metadata map[string]any `json:"metadata,omitzero"`

	levelUnsaid bool // it was read, and had no securityLevel
}

// A Capability is one thing that a [Definition] can do.
type Capability struct {
	// Name ends the tool's name. It has no dot, and is unique in its definition.
	Name string `json:"name"`
	// Description says what it does, for people and models.
	Description string `json:"description"`
	// Parameters are the members of its arguments. Nil: it has none.
	Parameters []Parameter `json:"parameters,omitzero"`
	// Return is what it gives back. Nil: nothing is said of it.
	Return *ReturnValue `json:"return,omitempty"`
}

// A Parameter is one member of a capability's arguments.
type Parameter struct {
	// Name is the member's, unique in its capability.
	Name string `json:"name" jsonschema:"maxLength=128"`
	// Description is for people and models. Empty: none.
	Description string `json:"description,omitempty"`
	// Type is one of the six types.
	Type ParameterType `json:"type"`
	// Required says that it cannot be left out. False: it can.
	Required bool `json:"required,omitempty"`

	requiredUnsaid bool // it was read, and had no member required
}

// A ReturnValue is what a capability gives back.
type ReturnValue struct {
	// Description is for people and models. Empty: none.
	Description string `json:"description,omitempty"`
	// Schema is a JSON Schema 2020-12 of the value. Nil: nothing is said of it.
	Schema json.RawMessage `json:"schema,omitempty"`
}

// Capability returns the capability called name.
func (d Definition) Capability(name string) (Capability, bool) {
	i := slices.IndexFunc(d.Capabilities, func(c Capability) bool { return c.Name == name })
	if i < 0 {
		return Capability{}, false
	}
	return d.Capabilities[i].clone(), true
}

// ToolName returns the name of the tool that a capability is: "id.capability".
func (d Definition) ToolName(capability string) string { return d.ID + "." + capability }

// Clone returns a deep copy of d. Values in Metadata are shared: they are plain
// JSON and not to be changed.
func (d Definition) Clone() Definition {
	d.Metadata, d.Capabilities = maps.Clone(d.Metadata), slices.Clone(d.Capabilities)
	for i, c := range d.Capabilities {
		d.Capabilities[i] = c.clone()
	}
	return d
}

func (c Capability) clone() Capability {
	c.Parameters = slices.Clone(c.Parameters)
	if c.Return = clonePointer(c.Return); c.Return != nil {
		c.Return.Schema = bytes.Clone(c.Return.Schema)
	}
	return c
}

// MarshalJSON writes the document: its members in the order of the
// specification, those of metadata sorted. What was read is written value for
// value; a security level of 0 and a required of false are left out only where
// they were not there.
func (d Definition) MarshalJSON() ([]byte, error) {
	w := struct {
		ID            string              `json:"id"`
		Name          string              `json:"name"`
		Version       string              `json:"version"`
		Description   string              `json:"description"`
		Capabilities  []Capability        `json:"capabilities"`
		SecurityLevel *risk.SecurityLevel `json:"securityLevel,omitempty"`
		Metadata      map[string]any      `json:"metadata,omitzero"`
	}{d.ID, d.Name, d.Version, d.Description, d.Capabilities, nil, d.Metadata}
	if d.SecurityLevel != 0 || !d.levelUnsaid {
		w.SecurityLevel = &d.SecurityLevel
	}
	return json.Marshal(w)
}

// MarshalJSON writes the parameter as its definition has it.
func (p Parameter) MarshalJSON() ([]byte, error) {
	w := struct {
		Name        string        `json:"name"`
		Description string        `json:"description,omitempty"`
		Type        ParameterType `json:"type"`
		Required    *bool         `json:"required,omitempty"`
	}{p.Name, p.Description, p.Type, nil}
	if p.Required || !p.requiredUnsaid {
		w.Required = &p.Required
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads a definition as strictly as [ParseDefinition] does. It
// replaces all of d, and leaves d unchanged on an error.
func (d *Definition) UnmarshalJSON(data []byte) error {
	read, err := ParseDefinition(data)
	if err == nil {
		*d = read
	}
	return err
}
