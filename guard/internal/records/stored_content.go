package records

import "github.com/toolcontract/toolcontract/contract"

// A storedContent is a content item in the JSON form that guards store. Exactly
// one member is set. The names of the members must not change, because stored
// results outlive a release.
type storedContent struct {
	Text     *contract.TextContent     `json:",omitempty"`
	Image    *contract.ImageContent    `json:",omitempty"`
	Audio    *contract.AudioContent    `json:",omitempty"`
	Link     *contract.LinkContent     `json:",omitempty"`
	Resource *contract.ResourceContent `json:",omitempty"`
}

// storeContent returns a content item in its stored form. No member is set for
// nil or for a pointer to one of the types.
func storeContent(c contract.Content) storedContent {
	switch c := c.(type) {
	case contract.TextContent:
		return storedContent{Text: &c}
	case contract.ImageContent:
		return storedContent{Image: &c}
	case contract.AudioContent:
		return storedContent{Audio: &c}
	case contract.LinkContent:
		return storedContent{Link: &c}
	case contract.ResourceContent:
		return storedContent{Resource: &c}
	}
	return storedContent{}
}

// content returns the stored content. It reports false if no member is set.
func (s storedContent) content() (contract.Content, bool) {
	switch {
	case s.Text != nil:
		return *s.Text, true
	case s.Image != nil:
		return *s.Image, true
	case s.Audio != nil:
		return *s.Audio, true
	case s.Link != nil:
		return *s.Link, true
	case s.Resource != nil:
		return *s.Resource, true
	}
	return nil, false
}
