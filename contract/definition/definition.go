package definition

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/risk"
)

//go:generate go test -run TestSchema_IsCurrent -update .

//go:embed definition.schema.json
var schemaFile []byte

// Schema returns the JSON Schema 2020-12 of a [Definition]. Each call returns a
// copy. [Parse] also checks what a schema cannot express: unique names, the
// schema of a return value, and texts without hidden characters.
func Schema() json.RawMessage { return bytes.Clone(schemaFile) }

// A Definition is a document of the MCP Tool Definition Specification 1.0.0:
// one thing with several capabilities, each of them the tool "id.capability".
// [Parse] reads one, and writing it as JSON gives the same values again.
//
// A Definition is a plain value. Call Clone before you change its slices or
// maps. The zero value is not valid, because it lacks every required member.
type Definition struct {
	// ID is the beginning of the names of the tools. It has the form of a tool
	// name, dots included, and is unique among the definitions of a server.
	ID string `json:"id"`
	// Name is for people.
	Name string `json:"name"`
	// Version is the version of all capabilities, by Semantic Versioning 2.0.0.
	Version string `json:"version"`
	// Description is about all capabilities together.
	Description string `json:"description"`
	// Capabilities are the tools. There is at least one.
	Capabilities []Capability `json:"capabilities" jsonschema:"minItems=1"`
	// SecurityLevel is a number from 0 to 10. From 1, a call needs a principal.
	// From 4, it needs permissions, and from 8 a confirmation or a step-up.
	// Zero: no demand beyond the clauses of each contract.
	SecurityLevel risk.SecurityLevel `json:"securityLevel,omitempty"`
	// Metadata is any JSON object.
	Metadata map[string]any `json:"metadata,omitzero"`

	lacksLevel bool // it was read and had no securityLevel
}

// A Capability is one thing that a [Definition] can do.
type Capability struct {
	// Name is the end of the tool's name. It has no dot, and is unique in its
	// definition.
	Name string `json:"name"`
	// Description is for people and models.
	Description string `json:"description"`
	// Parameters are the members of the arguments. Nil: there are none.
	Parameters []Parameter `json:"parameters,omitzero"`
	// Return is the return value. Nil: it is not described.
	Return *ReturnValue `json:"return,omitempty"`
}

// A Parameter is one member of a capability's arguments.
type Parameter struct {
	// Name is the name of the member, unique in its capability.
	Name string `json:"name" jsonschema:"maxLength=128"`
	// Description is for people and models. Empty: none.
	Description string `json:"description,omitempty"`
	// Type is one of the six types.
	Type ParameterType `json:"type"`
	// Required is true if every call must have the parameter. False: a call may
	// leave it out.
	Required bool `json:"required,omitempty"`

	lacksRequired bool // it was read and had no member "required"
}

// A ReturnValue describes a capability's result.
type ReturnValue struct {
	// Description is for people and models. Empty: none.
	Description string `json:"description,omitempty"`
	// Schema is a JSON Schema 2020-12 of the value. Nil: there is none.
	Schema json.RawMessage `json:"schema,omitempty"`
}

// Capability returns a copy of the capability with the given name, and whether
// there is one.
func (d Definition) Capability(name string) (Capability, bool) {
	i := slices.IndexFunc(d.Capabilities, func(c Capability) bool { return c.Name == name })
	if i < 0 {
		return Capability{}, false
	}
	return d.Capabilities[i].clone(), true
}

// ToolName returns the name of a capability's tool: "id.capability".
func (d Definition) ToolName(capability string) string { return d.ID + "." + capability }

// Clone returns a deep copy of d, except that the values in Metadata are
// shared. They are plain JSON and must not be changed.
func (d Definition) Clone() Definition {
	d.Metadata = maps.Clone(d.Metadata)
	d.Capabilities = slices.Clone(d.Capabilities)
	for i, c := range d.Capabilities {
		d.Capabilities[i] = c.clone()
	}
	return d
}

func (c Capability) clone() Capability {
	c.Parameters = slices.Clone(c.Parameters)
	if c.Return != nil {
		c.Return = &ReturnValue{Description: c.Return.Description, Schema: bytes.Clone(c.Return.Schema)}
	}
	return c
}

// MarshalJSON writes the document with its members in the order of the
// specification and those of metadata sorted. A document that was read is
// written with the same values: a security level of 0 and a required of false
// are left out only if they were not in it.
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
	if d.SecurityLevel != 0 || !d.lacksLevel {
		w.SecurityLevel = &d.SecurityLevel
	}
	return json.Marshal(w)
}

// MarshalJSON writes the parameter. A required of false is left out only if it
// was not in the document that was read.
func (p Parameter) MarshalJSON() ([]byte, error) {
	w := struct {
		Name        string        `json:"name"`
		Description string        `json:"description,omitempty"`
		Type        ParameterType `json:"type"`
		Required    *bool         `json:"required,omitempty"`
	}{p.Name, p.Description, p.Type, nil}
	if p.Required || !p.lacksRequired {
		w.Required = &p.Required
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads a definition as strictly as [Parse] does. It replaces all
// of d, and leaves d unchanged on an error.
func (d *Definition) UnmarshalJSON(data []byte) error {
	read, err := Parse(data)
	if err == nil {
		*d = read
	}
	return err
}
