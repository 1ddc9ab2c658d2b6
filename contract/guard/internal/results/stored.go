package results

import "github.com/toolcontract/toolcontract/contract"

// A Stored is a content item in the JSON form that guards store. Exactly one
// member is set. The names of the members must not change, because stored
// results outlive a release.
type Stored struct {
	Text     *contract.TextContent     `json:",omitempty"`
	Image    *contract.ImageContent    `json:",omitempty"`
	Audio    *contract.AudioContent    `json:",omitempty"`
	Link     *contract.LinkContent     `json:",omitempty"`
	Resource *contract.ResourceContent `json:",omitempty"`
}

// Store returns the stored form of a content, with no member set for one that
// [Open] does not know.
func Store(c contract.Content) Stored {
	switch c := c.(type) {
	case contract.TextContent:
		return Stored{Text: &c}
	case contract.ImageContent:
		return Stored{Image: &c}
	case contract.AudioContent:
		return Stored{Audio: &c}
	case contract.LinkContent:
		return Stored{Link: &c}
	case contract.ResourceContent:
		return Stored{Resource: &c}
	}
	return Stored{}
}

// Content returns the stored content. It reports false if no member is set.
func (s Stored) Content() (contract.Content, bool) {
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
