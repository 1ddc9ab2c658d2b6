package compat

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// snapshotFormat is the version of the wire form of a [Snapshot].
const snapshotFormat = 1

// A Snapshot holds the contracts of a server at one time. Check it in as a file
// and compare it with the contracts of later versions. The zero value is a
// server without tools.
//
// A Snapshot is a plain value. [NewSnapshot] and [ParseSnapshot] return
// snapshots that are sorted and hold each name once. A snapshot built by hand
// is sorted when it is written.
type Snapshot struct {
	// Format is the version of the wire form. Zero: the current one, 1.
	Format int `json:"format"`
	// Names is how the server lists the names of the tools. Zero:
	// [contract.Underscore]. A snapshot that was written without it has dotted
	// names.
	Names contract.Naming `json:"names"`
	// Tools are the contracts with their schemas, sorted by name.
	Tools []contract.Document `json:"tools"`
	// Capabilities are what the source of each tool can reach, by its name, as
	// an analysis such as package effectcheck found it. A tool without
	// capabilities has an empty list. Nil: they are not recorded.
	Capabilities map[string][]string `json:"capabilities,omitempty"`
}

// NewSnapshot returns the contracts of tools, sorted by name. Its Names are the
// default naming; set them if the server uses another. The error joins a
// mistake for every nil tool and every duplicate name.
func NewSnapshot(tools ...*contract.Tool) (Snapshot, error) {
	s := Snapshot{Format: snapshotFormat, Tools: make([]contract.Document, 0, len(tools))}
	var errs []error
	for i, tool := range tools {
		if tool == nil {
			errs = append(errs, snapshotError(ruleSnapshotTool, strictjson.PointerIndex("/tools", i), "is nil"))
			continue
		}
		s.Tools = append(s.Tools, tool.Document())
	}
	errs = append(errs, s.duplicates()...)
	if len(errs) > 0 {
		return Snapshot{}, errors.Join(errs...)
	}
	s.Tools = s.sorted()
	return s, nil
}

// sorted returns the contracts sorted by name, in a new slice.
func (s Snapshot) sorted() []contract.Document {
	sorted := append(make([]contract.Document, 0, len(s.Tools)), s.Tools...)
	slices.SortStableFunc(sorted, func(a, b contract.Document) int { return strings.Compare(a.Name, b.Name) })
	return sorted
}

func (s Snapshot) duplicates() []error {
	var errs []error
	seen := make(map[string]bool, len(s.Tools))
	for i, d := range s.Tools {
		if seen[d.Name] {
			errs = append(errs, snapshotError(ruleSnapshotDuplicate, strictjson.PointerIndex("/tools", i)+"/name",
				"is also the name of another tool"))
		}
		seen[d.Name] = true
	}
	return errs
}

// plainSnapshot is a Snapshot without its methods.
type plainSnapshot Snapshot

// MarshalJSON writes the contracts sorted by name. Equal snapshots have equal
// bytes.
func (s Snapshot) MarshalJSON() ([]byte, error) {
	if s.Format == 0 {
		s.Format = snapshotFormat
	}
	s.Tools = s.sorted()
	s.Capabilities = sortedCapabilities(s.Capabilities)
	return json.Marshal(plainSnapshot(s))
}

// UnmarshalJSON reads a snapshot as [ParseSnapshot] does. If it returns an
// error, s is unchanged.
func (s *Snapshot) UnmarshalJSON(data []byte) error {
	read, err := ParseSnapshot(data)
	if err == nil {
		*s = read
	}
	return err
}

// Text returns the snapshot as JSON for a file: indented by two spaces, one
// member per line so that a review shows each change, without HTML escapes, and
// with a newline at the end. [ParseSnapshot] reads it.
func (s Snapshot) Text() ([]byte, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("compat: snapshot: %w", err)
	}
	text, err := jsontext.AppendFormat(nil, data, jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("compat: snapshot: %w", err)
	}
	return append(text, '\n'), nil
}

// Digest returns "sha256:" and the hexadecimal SHA-256 of the snapshot's RFC
// 8785 form. Two servers declare the same contracts if their digests are equal.
// It returns an error for a snapshot that cannot be written.
func (s Snapshot) Digest() (string, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	tree, err := strictjson.Parse(data, snapshotLimits())
	if err != nil {
		return "", err
	}
	canonical, err := strictjson.Marshal(tree)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// snapshotLimits allows documents of the usual depth, nested two levels
// further, and any number of them, because the tool author wrote the file.
func snapshotLimits() strictjson.Limits {
	return strictjson.Limits{Depth: strictjson.DefaultDepth + 2, Elements: math.MaxInt}
}

// sortedCapabilities returns the lists sorted, in a new map; nil for nil.
func sortedCapabilities(all map[string][]string) map[string][]string {
	if all == nil {
		return nil
	}
	sorted := maps.Clone(all)
	for tool, list := range sorted {
		sorted[tool] = append([]string{}, list...)
		slices.Sort(sorted[tool])
	}
	return sorted
}
