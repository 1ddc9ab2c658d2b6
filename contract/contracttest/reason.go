package contracttest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// reasonsFormat is the version of the file's form.
const reasonsFormat = 1

// A reasonFile holds why downgrades were accepted. It is the author's own and read strictly.
type reasonFile struct {
	Format  int      `json:"format"`
	Reasons []reason `json:"reasons"`
}

// A reason is for one downgrade: it names the tool, the place, the rule, and what was and what is there.
type reason struct {
	Tool    string `json:"tool"`
	Pointer string `json:"pointer"`
	Rule    string `json:"rule"`
	// From and To are digests; "" is nothing.
	From string `json:"from"`
	To   string `json:"to"`
	Why  string `json:"why"`
}

func reasonsPath(path string) string { return strings.TrimSuffix(path, ".json") + ".reasons.json" }

var (
	errReasonsForm   = errors.New(`it must be {"format":1,"reasons":[...]}, each reason with tool, pointer, rule, from, to and why`)
	errReasonsFormat = errors.New("its format must be 1")
)

// readReasons takes a missing file as an empty one.
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

// replace sorts the new reasons in and reports whether anything changed.
func (f *reasonFile) replace(reasons []reason) bool {
	slices.SortStableFunc(reasons, func(a, b reason) int {
		return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	if slices.Equal(reasons, f.Reasons) {
		return false
	}
	f.Reasons = reasons
	return true
}

// text writes the words as people wrote them, without HTML escapes.
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

// entryFor is the reason that a downgrade needs, without the word.
func entryFor(c contract.Change) reason {
	return reason{Tool: c.Tool, Pointer: c.Pointer, Rule: c.Rule, From: digest(c.From), To: digest(c.To)}
}

// matches reports whether r is for the same change as entry.
func (r reason) matches(entry reason) bool {
	entry.Why = r.Why
	return r == entry
}

// inForce reports whether a snapshot is still as weak as the reason says: what stands at the pointer is what the
// downgrade led to. A reason for a contract as a whole is in force as long as the tool is there.
func (r reason) inForce(s contract.Snapshot) bool {
	at := slices.IndexFunc(s.Tools, func(d contract.Document) bool {
		return d.Name == r.Tool || slices.Contains(d.Aliases, r.Tool)
	})
	if at < 0 {
		return false
	}
	if r.Pointer == "" {
		return true
	}
	value := valueAt(s.Tools[at], r.Pointer)
	if value == nil {
		return r.To == "" || slices.Contains(omitted(), r.To)
	}
	list, isList := value.([]any)
	contains := func(digest string) bool {
		return slices.ContainsFunc(list, func(v any) bool { return digestOf(v) == digest })
	}
	switch {
	case digestOf(value) == r.To:
		return true
	case isList && r.To == "": // of a set, one element went
		return !contains(r.From)
	default:
		return isList && contains(r.To)
	}
}

// omitted are the digests of values that a document leaves out.
func omitted() []string {
	return []string{digestOf(false), digestOf(int64(0)), digestOf(""), digestOf([]any{})}
}

// valueAt returns what stands at a pointer into a contract, nil for nothing.
func valueAt(d contract.Document, pointer string) any {
	data, err := json.Marshal(d)
	if err != nil {
		return nil
	}
	tree, err := strictjson.Parse(data, strictjson.Limits{})
	if err != nil {
		return nil
	}
	value, err := jsonptr.Lookup(tree, pointer)
	if err != nil {
		return nil
	}
	return value
}

// digest is that of a JSON text, "" for none.
func digest(raw json.RawMessage) string {
	tree, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return ""
	}
	return digestOf(tree)
}

func digestOf(tree any) string {
	canonical, err := strictjson.Marshal(tree)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:])
}
