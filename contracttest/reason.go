package contracttest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// reasonsFormat is the version of the file format.
const reasonsFormat = 1

// A reasonFile records why downgrades and removals were accepted.
type reasonFile struct {
	Format  int      `json:"format"`
	Reasons []reason `json:"reasons"`
}

// A reason is for one change. SideEffect and Among are set only for changes of
// side effects: the description, and all side effects with that description if
// there are several.
type reason struct {
	Tool       string   `json:"tool"`
	Pointer    string   `json:"pointer"`
	SideEffect evidence `json:"sideEffect,omitempty"`
	Among      evidence `json:"among,omitempty"`
	Rule       string   `json:"rule"`
	From       evidence `json:"from"`
	To         evidence `json:"to"`
	Why        string   `json:"why"`
}

func reasonsPath(path string) string { return strings.TrimSuffix(path, ".json") + ".reasons.json" }

// Reasons reads the reasons that [Golden] keeps next to the snapshot at path,
// for the changes from an old snapshot to a new one. why returns the reason for
// a change from [compat.Diff], or "" if there is none. Without a file there are
// no reasons.
func Reasons(path string, old, now compat.Snapshot) (why func(compat.Change) string, err error) {
	reasons, err := readReasons(reasonsPath(path))
	if err != nil {
		return nil, fmt.Errorf("contracttest: %s: %w", reasonsPath(path), err)
	}
	c := &comparison{path: path, recorded: old, built: now, reasons: reasons}
	return func(change compat.Change) string {
		if entry, _ := c.reasonFor(change); entry != nil {
			return strings.TrimSpace(entry.Why)
		}
		return ""
	}, nil
}

var (
	errReasonsForm   = errors.New(`it must be {"format":1,"reasons":[...]}, each reason with tool, pointer, rule, from, to and why`)
	errReasonsFormat = errors.New("its format must be 1")
)

// readReasons reads a file strictly. A missing file counts as empty.
func readReasons(path string) (*reasonFile, error) {
	f := &reasonFile{Format: reasonsFormat}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	if strictjson.Unmarshal(data, f) != nil {
		return nil, errReasonsForm
	}
	if f.Format != reasonsFormat {
		return nil, errReasonsFormat
	}
	return f, nil
}

// replace sets the reasons, sorted, and reports whether that changes the file.
func (f *reasonFile) replace(reasons []reason) bool {
	slices.SortStableFunc(reasons, func(a, b reason) int {
		return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.SideEffect, b.SideEffect),
			cmp.Compare(a.Among, b.Among), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	if slices.Equal(reasons, f.Reasons) {
		return false
	}
	f.Reasons = reasons
	return true
}

// text returns the file's contents, without HTML escapes.
func (f *reasonFile) text() ([]byte, error) {
	out := *f
	if out.Reasons == nil {
		out.Reasons = []reason{}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(out)
	return b.Bytes(), err
}

// needsReason reports whether a change needs a reason: downgrades do, and so do
// tools removed without notice.
func needsReason(c compat.Change) bool { return c.Downgrade || c.Rule == removed }

const (
	removed = "tool.removed"
	waived  = "principal.waived"

	capabilities = "/capabilities" // the pointer of changes of [compat.Snapshot.Capabilities]
)

// blankReason returns a change's reason with an empty "why".
func (c *comparison) blankReason(change compat.Change) reason {
	r := reason{Tool: change.Tool, Pointer: change.Pointer, Rule: change.Rule, From: evidenceIn(change.From),
		To: evidenceIn(change.To)}
	return r.ofSideEffect(change, c.recorded, c.built)
}

// matches reports whether r and other are for the same change.
func (r reason) matches(other reason) bool {
	other.Why = r.Why
	return r == other
}

// inForce reports whether a snapshot is still as weak as the reason records:
// the value at the pointer is the one that the downgrade led to.
func (r reason) inForce(s compat.Snapshot) bool {
	d, found := toolNamed(s, r.Tool)
	switch {
	case r.Pointer == capabilities && r.Tool == "":
		return s.Capabilities == nil
	case r.Pointer == capabilities:
		return slices.ContainsFunc(s.Capabilities[r.Tool], func(c string) bool { return evidenceOf(c) == r.To })
	case r.Rule == removed:
		return !found
	case !found:
		return false
	case r.Pointer == "":
		return r.Rule == waived && !d.NeedsPrincipal()
	case r.Pointer == "/discoverWith":
		return !slices.ContainsFunc(discoverWith(d), func(permission string) bool { return evidenceOf(permission) == r.From })
	case r.Pointer == sideEffects:
		return r.sideEffectInForce(d)
	}
	value := valueAt(d, r.Pointer)
	if value == nil {
		return r.To == "" || slices.Contains(omittedValues(), r.To)
	}
	list, isList := value.([]any)
	contains := func(e evidence) bool {
		return slices.ContainsFunc(list, func(v any) bool { return evidenceOf(v) == e })
	}
	switch {
	case evidenceOf(value) == r.To:
		return true
	case isList && r.To == "": // a word was removed from a set
		return !contains(r.From)
	default:
		return isList && contains(r.To)
	}
}

// discoverWith returns the permissions that reveal a tool.
func discoverWith(d contract.Document) []string {
	if len(d.DiscoverWith) > 0 {
		return d.DiscoverWith
	}
	return d.Permissions
}

// omittedValues returns the values that a document leaves out.
func omittedValues() []evidence {
	return []evidence{evidenceOf(false), evidenceOf(int64(0)), evidenceOf(""), evidenceOf([]any{})}
}

// valueAt returns the value at a change's pointer, or nil if there is none.
func valueAt(d contract.Document, pointer string) any {
	data, err := json.Marshal(d)
	if err != nil {
		return nil
	}
	tree, err := strictjson.Parse(data, strictjson.Limits{})
	if err != nil {
		return nil
	}
	for _, clause := range []string{"/inputSchema", "/outputSchema"} {
		if below, ok := strings.CutPrefix(pointer, clause+"/"); ok {
			document, err := strictjson.Lookup(tree, clause)
			if err != nil {
				return nil
			}
			return schemaValueAt(document, "/"+below)
		}
	}
	value, err := strictjson.Lookup(tree, pointer)
	if err != nil {
		return nil
	}
	return value
}

// schemaValueAt returns the value at a pointer, following references. Build
// refuses circular references, but a snapshot that was edited by hand may have
// one, so it follows at most maxReferences in a row.
func schemaValueAt(document any, pointer string) any {
	tokens, err := strictjson.SplitPointer(pointer)
	if err != nil {
		return nil
	}
	schemas := tree.Of(document)
	node := document
	for _, token := range tokens {
		next, err := strictjson.Lookup(node, strictjson.Pointer("", token))
		for range maxReferences {
			keywords, _ := node.(map[string]any)
			ref, isRef := keywords["$ref"].(string)
			if err == nil || !isRef {
				break
			}
			node = nil
			if n := schemas.Resolve(ref); n != nil {
				node = n.Written()
			}
			next, err = strictjson.Lookup(node, strictjson.Pointer("", token))
		}
		if err != nil {
			return nil
		}
		node = next
	}
	return node
}

// maxReferences is how many references in a row schemaValueAt follows.
const maxReferences = 16
