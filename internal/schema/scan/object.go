package scan

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A span is one member in the output.
type span struct {
	index      int // the member's index in the schema, or notInSchema
	begin, end int
	nameEnd    int // the end of the name, whose quotes are included
}

// notInSchema is the index of a member that the schema doesn't have.
const notInSchema = -1

// someMembers is a number of members that few objects exceed.
const someMembers = 16

// object checks an object, adds the schema's defaults and writes the members
// sorted by name. It reports whether Check can decide.
func (r *run) object(k *check) bool {
	if r.depth++; r.depth > strictjson.DefaultDepth {
		return false
	}
	r.at++
	r.out = append(r.out, '{')
	first := len(r.out)
	var present bits
	var room [someMembers]span
	spans, sorted := room[:0], true
	for !r.next('}') {
		if len(spans) > 0 {
			if !r.next(',') {
				return false
			}
			r.out = append(r.out, ',')
		}
		r.space()
		begin := len(r.out)
		name, ok := r.name()
		if !ok {
			return false
		}
		s := span{index: notInSchema, begin: begin, nameEnd: begin + len(name) + 2}
		check := k.others
		since := len(r.breaks)
		if m := k.members[string(name)]; m != nil {
			present.add(m.index)
			check, s.index = m.check, m.index
		} else if check == nil {
			r.broken(k, "additionalProperties")
			check = everyValue
		}
		if !r.value(check) {
			return false
		}
		if len(r.breaks) > since {
			r.locate(since, string(name))
		}
		s.end = len(r.out)
		sorted = sorted && (len(spans) == 0 || r.order(spans[len(spans)-1], s) < 0)
		spans = append(spans, s)
	}
	for _, m := range k.defaults {
		if present.has(m.index) {
			continue
		}
		present.add(m.index)
		if len(spans) > 0 {
			r.out = append(r.out, ',')
		}
		begin := len(r.out)
		r.out = append(r.out, m.filled...)
		spans = append(spans, span{m.index, begin, len(r.out), begin + len(m.name) + 2})
		sorted = false
	}
	if !present.contains(&k.required) {
		r.missing(k, &present)
	}
	r.depth--
	r.size(k, len(spans), k.minProperties, k.maxProperties, "minProperties", "maxProperties")
	if !sorted && !r.sort(first, spans) {
		return false
	}
	r.out = append(r.out, '}')
	return true
}

// name reads a member's name and the colon.
func (r *run) name() ([]byte, bool) {
	if r.at >= len(r.data) || r.data[r.at] != '"' {
		return nil, false
	}
	begin := r.at
	for r.at++; r.at < len(r.data); r.at++ {
		switch c := r.data[r.at]; {
		case c == '"':
			name := r.data[begin+1 : r.at]
			r.at++
			if len(name) > strictjson.DefaultNameLength || !r.next(':') {
				return nil, false
			}
			r.space()
			r.out = append(r.out, r.data[begin:begin+len(name)+2]...)
			r.out = append(r.out, ':')
			return name, true
		case c < ' ' || c >= utf8.RuneSelf || c == '\\':
			return nil, false
		}
	}
	return nil, false
}

// order compares the names of two members. Members in the schema have indexes
// in name order.
func (r *run) order(a, b span) int {
	if a.index != notInSchema && b.index != notInSchema {
		return a.index - b.index
	}
	return bytes.Compare(r.nameOf(a), r.nameOf(b))
}

func (r *run) nameOf(s span) []byte { return r.out[s.begin+1 : s.nameEnd-1] }

// sort rewrites the members in name order. It reports whether all names are
// distinct.
func (r *run) sort(first int, spans []span) bool {
	slices.SortFunc(spans, r.order)
	if need := len(r.out) - first; cap(r.spare) < need {
		r.spare = make([]byte, 0, max(need, len(r.data)))
	}
	r.spare = r.spare[:0]
	for i, s := range spans {
		if i > 0 {
			if r.order(spans[i-1], s) == 0 {
				return false
			}
			r.spare = append(r.spare, ',')
		}
		r.spare = append(r.spare, r.out[s.begin:s.end]...)
	}
	r.out = append(r.out[:first], r.spare...)
	return true
}
