package scan

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// Check returns the canonical form of a text with defaults if the text
// certainly fits the schema. If the text certainly doesn't fit, Check returns
// all its breaks, in no particular order. Otherwise ok is false.
func (s *Scanner) Check(data []byte) (canonical []byte, breaks []Break, ok bool) {
	if s == nil || !utf8.Valid(data) {
		return nil, nil, false
	}
	r := newRun(data)
	defer r.end()
	switch {
	case !r.all(s.root):
		return nil, nil, false
	case len(r.breaks) > 0:
		return nil, r.breaks, true
	default:
		return r.canonical(), nil, true
	}
}

// Canonical returns the canonical form of a text with defaults if the text
// certainly fits the schema.
func (s *Scanner) Canonical(data []byte) (canonical []byte, ok bool) {
	canonical, breaks, ok := s.Check(data)
	return canonical, ok && len(breaks) == 0
}

// Fits reports whether a text certainly fits the schema.
func (s *Scanner) Fits(data []byte) bool {
	if s == nil || !utf8.Valid(data) {
		return false
	}
	r := newRun(data)
	defer r.end()
	return r.all(s.root) && len(r.breaks) == 0
}

// Canonical returns what strictjson.Canonical returns for a text, if that
// certainly accepts it.
func Canonical(data []byte) (canonical []byte, ok bool) {
	return (&Scanner{everyValue}).Canonical(data)
}

// A run scans one text.
type run struct {
	*buffers

	data   []byte
	at     int
	count  int // values read so far
	depth  int // open arrays and objects
	breaks []Break
}

// all reads the whole text as one value and records which keywords it breaks.
// It returns false if it isn't sure what the slow path would do.
func (r *run) all(k *check) bool {
	r.space()
	if !r.value(k) {
		return false
	}
	r.space()
	return r.at == len(r.data)
}

func (r *run) space() {
	for r.at < len(r.data) {
		switch r.data[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// next skips white space and reads the next byte if it is c.
func (r *run) next(c byte) bool {
	r.space()
	if r.at < len(r.data) && r.data[r.at] == c {
		r.at++
		return true
	}
	return false
}

// value reads a value and records which keywords it breaks. It returns false if
// it isn't sure what the slow path would do; the run is over then.
func (r *run) value(k *check) bool {
	orNull := false
	for k.same != nil {
		if k.orNull {
			if r.literal("null") {
				r.count++
				return r.count <= strictjson.DefaultElements
			}
			orNull = true
		}
		k = k.same
	}
	if k.foreign != nil {
		return r.foreign(k)
	}
	if r.count++; r.count > strictjson.DefaultElements || len(r.breaks) > maxBreaks || r.at >= len(r.data) {
		return false
	}
	begin := len(r.out)
	since := len(r.breaks)
	kind, ok := r.anyKind(k)
	if !ok {
		return false
	}
	if k.kinds&kind == 0 {
		r.only(k, "type", since).OrNull = orNull
		return true
	}
	if k.enum != nil {
		if _, listed := k.enum[string(r.out[begin:])]; !listed {
			r.only(k, k.values, since)
		}
	}
	return true
}

// anyKind reads a value of any kind and returns the kind. If the schema doesn't
// accept that kind, the caller drops the value's breaks.
func (r *run) anyKind(k *check) (kind tree.Types, ok bool) {
	switch r.data[r.at] {
	case '{':
		return tree.ObjectType, r.object(k)
	case '[':
		return tree.ArrayType, r.array(k)
	case '"':
		return tree.StringType, r.text(k)
	case 't':
		return tree.BooleanType, r.literal("true")
	case 'f':
		return tree.BooleanType, r.literal("false")
	case 'n':
		return tree.NullType, r.literal("null")
	default:
		return r.number(k)
	}
}

func (r *run) literal(name string) bool {
	if !bytes.HasPrefix(r.data[r.at:], []byte(name)) {
		return false
	}
	r.at += len(name)
	r.out = append(r.out, name...)
	return true
}

func (r *run) text(k *check) bool {
	begin := r.at
	end, escaped := textEnd(r.data, begin+1)
	if end < 0 {
		return false
	}
	r.at = end
	quoted := r.data[begin:end]
	plain := quoted[1 : len(quoted)-1]
	if escaped {
		var err error
		if plain, err = jsontext.AppendUnquote(nil, quoted); err != nil {
			return false
		}
		if r.out, err = jsontext.AppendQuote(r.out, plain); err != nil {
			return false
		}
	} else {
		r.out = append(r.out, quoted...)
	}
	if k.formats != nil && k.formats(string(plain)) != nil {
		r.broken(k, "format")
		return true
	}
	if k.minLength > 0 || k.maxLength >= 0 {
		r.size(k, utf8.RuneCount(plain), k.minLength, k.maxLength, "minLength", "maxLength")
	}
	if k.pattern != nil && !k.pattern.Match(plain) {
		r.broken(k, "pattern")
	}
	for _, b := range k.texts {
		within, sure := b.admits(string(plain))
		if !sure {
			return false
		}
		if !within {
			r.broken(k, b.keyword)
		}
	}
	return true
}

// textEnd returns the index after a string's closing quote, or -1.
func textEnd(data []byte, at int) (end int, escaped bool) {
	for ; at < len(data); at++ {
		switch c := data[at]; {
		case c == '"':
			return at + 1, escaped
		case c == '\\':
			escaped = true
			at++
		case c < ' ':
			return -1, false
		}
	}
	return -1, false
}

func (r *run) array(k *check) bool {
	if r.depth++; r.depth > strictjson.DefaultDepth {
		return false
	}
	r.at++
	r.out = append(r.out, '[')
	items := k.items
	if items == nil {
		items = everyValue
	}
	var begins []int // where the items begin, if they must be unique
	n := 0
	for !r.next(']') {
		if n > 0 {
			if !r.next(',') {
				return false
			}
			r.out = append(r.out, ',')
		}
		r.space()
		n++
		if k.unique {
			begins = append(begins, len(r.out))
		}
		since := len(r.breaks)
		if !r.value(items) {
			return false
		}
		if len(r.breaks) > since {
			r.locate(since, strconv.Itoa(n-1))
		}
	}
	r.depth--
	r.size(k, n, k.minItems, k.maxItems, "minItems", "maxItems")
	if k.unique {
		r.unique(k, begins)
	}
	r.out = append(r.out, ']')
	return true
}

// unique records the first two equal items. begins holds the index in the
// output where each item begins; the last item ends with the output.
func (r *run) unique(k *check, begins []int) {
	seen := make(map[string]int, len(begins))
	for i, begin := range begins {
		end := len(r.out)
		if i+1 < len(begins) {
			end = begins[i+1] - 1 // before the comma
		}
		if first, ok := seen[string(r.out[begin:end])]; ok {
			r.broken(k, "uniqueItems").Equal = [2]int{first, i}
			return
		}
		seen[string(r.out[begin:end])] = i
	}
}
