package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/risk"
)

// A tool is a tool as a directory sees it.
type tool struct {
	name, title, description    string
	readOnly, destructive, open *bool // nil: not sent
	output                      bool  // it has an output schema
	// doc is its contract, or nil if it has none.
	doc *contract.Document
	// whole reports whether the contract includes its side effects. A summary
	// in tools/list leaves them out.
	whole bool
}

// A source is where the tools come from.
type source struct {
	tools []tool
	// digest is the snapshot's digest. It is empty for a running server.
	digest string
}

// ofSnapshot returns the tools of a snapshot as its server lists them.
func ofSnapshot(s compat.Snapshot) (source, error) {
	digest, err := s.Digest()
	if err != nil {
		return source{}, err
	}
	from := source{digest: digest}
	for _, doc := range s.Tools {
		if doc.Risk == risk.Forbidden {
			continue // it is never listed
		}
		h := doc.Hints()
		from.tools = append(from.tools, tool{
			name: s.Names.Listed(doc.Name), title: doc.Title, description: doc.Description, output: len(doc.OutputSchema) > 0,
			readOnly: &h.ReadOnly, destructive: &h.Destructive, open: &h.OpenWorld, doc: &doc, whole: true,
		})
	}
	return from.sorted(), nil
}

// ofListing returns the tools that a server lists.
func ofListing(listed []json.RawMessage) (from source, err error) {
	for _, raw := range listed {
		var l struct {
			Name, Title, Description string
			OutputSchema             json.RawMessage
			Annotations              struct {
				Title                                        string
				ReadOnlyHint, DestructiveHint, OpenWorldHint *bool
			}
			Meta map[string]json.RawMessage `json:"_meta"`
		}
		if err := json.Unmarshal(raw, &l); err != nil {
			return source{}, errors.New("a tool in the list is not of the form that the protocol defines")
		}
		t := tool{
			name: l.Name, title: l.Title, description: l.Description, output: len(l.OutputSchema) > 0,
			readOnly: l.Annotations.ReadOnlyHint, destructive: l.Annotations.DestructiveHint, open: l.Annotations.OpenWorldHint,
		}
		if t.title == "" {
			t.title = l.Annotations.Title
		}
		var doc contract.Document
		if published := l.Meta[contract.MetaKeyContract]; published != nil && json.Unmarshal(published, &doc) == nil {
			t.doc = &doc
			t.whole = bytes.Contains(published, []byte(`"failureModes"`)) // a document always has it, a summary never does
		}
		from.tools = append(from.tools, t)
	}
	return from.sorted(), nil
}

func (s source) sorted() source {
	slices.SortFunc(s.tools, func(a, b tool) int { return strings.Compare(a.name, b.name) })
	return s
}

func is(hint *bool, value bool) bool { return hint != nil && *hint == value }
