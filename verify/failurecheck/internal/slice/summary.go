// Package slice finds the errors that a function can return. It follows the
// function's error result backwards through the SSA form of the source: to
// failures of package contract, to plain errors, and to values whose origin it
// does not know.
package slice

import (
	"cmp"
	"go/token"
	"maps"
	"slices"
)

// A Summary is what a function's error result can be, besides nil.
type Summary struct {
	// Failures maps the code of each failure to where it is first made or
	// passed on.
	Failures map[string]token.Pos
	// Plain has the errors that are not failures.
	Plain []Origin
	// Unknown has the values whose origin is not known.
	Unknown []Origin

	flows []flow
	parts []part
}

// A part of a summary applies only if a parameter is a particular error from
// another package, such as fs.ErrNotExist. A caller that has ruled that error
// out does not get the part.
type part struct {
	param    int
	sentinel string
	errors   *Summary
}

// flat returns s with its parts merged into the rest.
func (s *Summary) flat() *Summary {
	if len(s.parts) == 0 {
		return s
	}
	out := newSummary()
	out.Add(&Summary{Failures: s.Failures, Plain: s.Plain, Unknown: s.Unknown, flows: s.flows})
	for _, p := range s.parts {
		out.Add(p.errors)
	}
	return out
}

// An Origin is one place in the source.
type Origin struct {
	Pos token.Pos
	// What describes the value in a few words, such as "the error of os.Open".
	What string
}

// A flow means that a parameter of a function becomes its error result.
type flow struct {
	param int
	// result is for a parameter that is a function: the index of its result
	// that becomes the error. It is negative if the parameter itself becomes
	// the error.
	result int
	mask   Mask
}

// itself is the result of a flow whose parameter itself becomes the error.
const itself = -1

func newSummary() *Summary { return &Summary{Failures: map[string]token.Pos{}} }

func (s *Summary) fail(code string, pos token.Pos) {
	if at, known := s.Failures[code]; !known || pos < at {
		s.Failures[code] = pos
	}
}

func (s *Summary) plain(pos token.Pos, what string) {
	s.Plain = withOrigin(s.Plain, Origin{pos, what})
}

func (s *Summary) unknown(pos token.Pos, what string) {
	s.Unknown = withOrigin(s.Unknown, Origin{pos, what})
}

// flow adds a flow, or widens the one for the same parameter.
func (s *Summary) flow(f flow) {
	for i, each := range s.flows {
		if each.param == f.param && each.result == f.result {
			s.flows = slices.Clone(s.flows)
			s.flows[i].mask = each.mask.or(f.mask)
			return
		}
	}
	s.flows = append(slices.Clip(s.flows), f)
}

func withOrigin(list []Origin, o Origin) []Origin {
	if slices.Contains(list, o) {
		return list
	}
	list = append(slices.Clone(list), o)
	slices.SortFunc(list, func(a, b Origin) int { return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.What, b.What)) })
	return list
}

// Add adds other's errors to s.
func (s *Summary) Add(other *Summary) {
	other = other.flat()
	for _, code := range slices.Sorted(maps.Keys(other.Failures)) {
		s.fail(code, other.Failures[code])
	}
	for _, o := range other.Plain {
		s.plain(o.Pos, o.What)
	}
	for _, o := range other.Unknown {
		s.unknown(o.Pos, o.What)
	}
	for _, f := range other.flows {
		s.flow(f)
	}
}

// Close turns parameters that become the error into unknown values. A handler's
// callers are not in the source.
func (s *Summary) Close(pos token.Pos) {
	if len(s.flows) > 0 {
		s.unknown(pos, "a parameter")
		s.flows = nil
	}
}

// moveTo returns a copy of s with everything positioned at pos.
func (s *Summary) moveTo(pos token.Pos, what string) *Summary {
	s = s.flat()
	m := newSummary()
	for code := range s.Failures {
		m.fail(code, pos)
	}
	if len(s.Plain) > 0 {
		m.plain(pos, what)
	}
	if len(s.Unknown) > 0 {
		m.unknown(pos, what)
	}
	m.flows = s.flows
	return m
}
