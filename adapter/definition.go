package adapter

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/trust"
)

// A Definition is one tool as it appears in tools/list. It is what an adapter
// lists for an [Entry], and how it describes a tool that was written for its
// SDK. Its JSON has the protocol's form. Other members, such as icons, are left
// to the adapter.
type Definition struct {
	// Meta is the _meta. Nil: there is none.
	Meta        map[string]any  `json:"_meta,omitempty"`
	Annotations ToolAnnotations `json:"annotations"`
	Description string          `json:"description,omitempty"`
	// InputSchema and OutputSchema are JSON Schemas. A nil OutputSchema means
	// that there is none.
	InputSchema  json.RawMessage `json:"inputSchema"`
	Name         string          `json:"name"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Title        string          `json:"title,omitempty"`
}

// ToolAnnotations are the annotations of a [Definition]. A nil hint is not set.
type ToolAnnotations struct {
	// Title is empty if there is none.
	Title string `json:"title,omitempty"`
	// The hints of an [Entry] follow from its contract; see
	// [contract.Document.Hints].
	ReadOnlyHint    *bool `json:"readOnlyHint,omitempty"`
	DestructiveHint *bool `json:"destructiveHint,omitempty"`
	IdempotentHint  *bool `json:"idempotentHint,omitempty"`
	OpenWorldHint   *bool `json:"openWorldHint,omitempty"`
}

func (a *ToolAnnotations) setHints(h contract.Hints) {
	a.ReadOnlyHint, a.DestructiveHint = &h.ReadOnly, &h.Destructive
	a.IdempotentHint, a.OpenWorldHint = &h.Idempotent, &h.OpenWorld
}

// clone returns a deep copy of a definition made from a contract.
func (d Definition) clone() Definition {
	d.Meta = maps.Clone(d.Meta)
	for name, value := range d.Meta {
		if raw, ok := value.(json.RawMessage); ok {
			d.Meta[name] = slices.Clone(raw)
		}
	}
	d.InputSchema = slices.Clone(d.InputSchema)
	d.OutputSchema = slices.Clone(d.OutputSchema)
	for _, hint := range []**bool{&d.Annotations.ReadOnlyHint, &d.Annotations.DestructiveHint, &d.Annotations.IdempotentHint,
		&d.Annotations.OpenWorldHint} {
		if *hint != nil {
			set := **hint
			*hint = &set
		}
	}
	return d
}

// title returns the tool's title, which may be only in its annotations.
func (d Definition) title() string {
	if d.Title != "" {
		return d.Title
	}
	return d.Annotations.Title
}

// CleanTexts cleans the texts of a third-party tool. It removes the characters
// that Build refuses: those that hide text, reorder it or control a terminal.
// It returns the definition for [Wrap] and the number of texts that changed. d
// does not change.
//
// It cleans the titles and the description of the tool, and in its schemas
// title, description, $comment and examples, as [trust.Sanitize] does. It also
// cleans texts under keywords that JSON Schema does not have, such as
// markdownDescription, and in objects and lists there. Names, enum, const,
// default, and the texts of other keywords, such as pattern, stay as they are.
func (d Definition) CleanTexts() (cleaned Definition, texts int) {
	for _, text := range []*string{&d.Title, &d.Annotations.Title, &d.Description} {
		if clean, removed := trust.Sanitize(*text); removed > 0 {
			*text = clean
			texts++
		}
	}
	for _, s := range []*json.RawMessage{&d.InputSchema, &d.OutputSchema} {
		if *s == nil {
			continue
		}
		if clean, changed := schema.CleanTexts(*s); changed > 0 {
			*s = clean
			texts += changed
		}
	}
	return d, texts
}

// checkTexts returns an error for texts with hidden characters.
func checkTexts(tool, title, description string) error {
	return errors.Join(checkShown(tool, "title", title), checkShown(tool, "description", description))
}

func checkShown(tool, where, text string) error {
	if _, hidden := trust.Sanitize(text); hidden == 0 {
		return nil
	}
	return &contract.DeclarationError{
		Rule: "text.form", Tool: tool, Where: where,
		Message: "the text has characters that hide, reorder it or drive a terminal",
		Remedy:  "clean the tool with CleanTexts of the adapter",
	}
}
