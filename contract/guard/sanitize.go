package guard

import (
	"encoding/base64"
	"errors"
	"maps"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/trust"
)

var (
	errKeyCollision = errors.New("two member names of the result are the same once sanitised")
	errContent      = errors.New("an item of the content is nil, or a pointer to a content type")
)

// A sanitizer cleans the parts of one result and counts what it took out.
type sanitizer struct{ removed int }

func (s *sanitizer) text(text string) string {
	clean, removed := trust.Sanitize(text)
	s.removed += removed
	return clean
}

// tree cleans every string and member name of plain JSON. Two names that
// become one are an error: one of them would be lost.
func (s *sanitizer) tree(tree any) (any, error) {
	switch v := tree.(type) {
	case string:
		return s.text(v), nil
	case []any:
		clean := make([]any, len(v))
		for i, e := range v {
			var err error
			if clean[i], err = s.tree(e); err != nil {
				return nil, err
			}
		}
		return clean, nil
	case map[string]any:
		clean := make(map[string]any, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			key := s.text(name)
			if _, taken := clean[key]; taken {
				return nil, errKeyCollision
			}
			var err error
			if clean[key], err = s.tree(v[name]); err != nil {
				return nil, err
			}
		}
		return clean, nil
	}
	return tree, nil
}

// content cleans the texts of items; images and sounds pass as they are.
func (s *sanitizer) content(items []contract.Content) ([]contract.Content, error) {
	if len(items) == 0 {
		return nil, nil
	}
	clean := make([]contract.Content, len(items))
	for i, item := range items {
		switch c := item.(type) {
		case contract.TextContent:
			c.Text = s.text(c.Text)
			clean[i] = c
		case contract.ImageContent:
			c.MIMEType = s.text(c.MIMEType)
			clean[i] = c
		case contract.AudioContent:
			c.MIMEType = s.text(c.MIMEType)
			clean[i] = c
		case contract.LinkContent:
			c.URI, c.Name, c.Title = s.text(c.URI), s.text(c.Name), s.text(c.Title)
			c.Description, c.MIMEType = s.text(c.Description), s.text(c.MIMEType)
			clean[i] = c
		case contract.ResourceContent:
			c.URI, c.MIMEType, c.Text = s.text(c.URI), s.text(c.MIMEType), s.text(c.Text)
			clean[i] = c
		default:
			return nil, errContent
		}
	}
	return clean, nil
}

// hasText reports whether a handler gave a text of its own.
func hasText(items []contract.Content) bool {
	return slices.ContainsFunc(items, func(item contract.Content) bool {
		_, ok := item.(contract.TextContent)
		return ok
	})
}

// size is about what the result takes on the wire, in bytes.
func (r *Result) size() int64 {
	n := max(len(r.Text), len(r.Structured))
	for _, item := range r.Content {
		switch c := item.(type) {
		case contract.TextContent:
			n += len(c.Text)
		case contract.ImageContent:
			n += base64.StdEncoding.EncodedLen(len(c.Data))
		case contract.AudioContent:
			n += base64.StdEncoding.EncodedLen(len(c.Data))
		case contract.LinkContent:
			n += len(c.URI) + len(c.Name) + len(c.Title) + len(c.Description)
		case contract.ResourceContent:
			n += len(c.URI) + len(c.Text) + base64.StdEncoding.EncodedLen(len(c.Blob))
		}
	}
	return int64(n)
}
