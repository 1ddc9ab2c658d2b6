package slice

import (
	"maps"
	"slices"
)

// A Mask is the set of errors that can reach a place, given that conditions
// along the way rule others out. The zero value lets no error pass.
type Mask struct {
	// Codes are the failures that pass, sorted, or those that do not if Inverse
	// is true.
	Codes   []string
	Inverse bool
	// Plain lets errors pass that are not failures.
	Plain bool
}

func everything() Mask       { return Mask{Inverse: true, Plain: true} }
func onlyCode(c string) Mask { return Mask{Codes: []string{c}} }
func notCode(c string) Mask  { return Mask{Codes: []string{c}, Inverse: true, Plain: true} }

// failuresIf returns the mask of failures, or the mask of all other errors.
func failuresIf(are bool) Mask { return Mask{Inverse: are, Plain: !are} }

// has reports whether a failure passes.
func (m Mask) has(code string) bool { return slices.Contains(m.Codes, code) != m.Inverse }

// or returns the mask of what passes either mask.
func (m Mask) or(o Mask) Mask {
	out := Mask{Inverse: m.Inverse || o.Inverse, Plain: m.Plain || o.Plain}
	return out.selectCodes(m, o, func(code string) bool { return m.has(code) || o.has(code) })
}

// and returns the mask of what passes both masks.
func (m Mask) and(o Mask) Mask {
	out := Mask{Inverse: m.Inverse && o.Inverse, Plain: m.Plain && o.Plain}
	return out.selectCodes(m, o, func(code string) bool { return m.has(code) && o.has(code) })
}

// selectCodes returns m, whose Inverse is set, with those codes of a and b for
// which pass returns true.
func (m Mask) selectCodes(a, b Mask, pass func(string) bool) Mask {
	codes := map[string]bool{}
	for _, code := range slices.Concat(a.Codes, b.Codes) {
		if pass(code) != m.Inverse {
			codes[code] = true
		}
	}
	m.Codes = slices.Sorted(maps.Keys(codes))
	return m
}

// equal reports whether two masks let the same errors pass.
func (m Mask) equal(o Mask) bool {
	return m.Inverse == o.Inverse && m.Plain == o.Plain && slices.Equal(m.Codes, o.Codes)
}

// apply returns those errors of s that pass.
func (m Mask) apply(s *Summary) *Summary {
	s = s.flat()
	out := newSummary()
	for code, pos := range s.Failures {
		if m.has(code) {
			out.fail(code, pos)
		}
	}
	if m.Plain {
		out.Plain = s.Plain
	}
	if m.Plain || m.Inverse {
		out.Unknown = s.Unknown
	} else if len(s.Unknown) > 0 { // of what is unknown, only these pass
		for _, code := range m.Codes {
			out.fail(code, s.Unknown[0].Pos)
		}
	}
	for _, f := range s.flows {
		f.mask = f.mask.and(m)
		out.flow(f)
	}
	return out
}
