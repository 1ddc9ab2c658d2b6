package observe

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// A survey collects which parts of a schema accepted values have.
type survey struct {
	accepted []Value
	refused  []attempt
	has      map[string]bool
}

func (s *survey) add(a attempt) {
	if len(a.violations) > 0 {
		s.refused = append(s.refused, a)
		return
	}
	if s.has == nil {
		s.has = map[string]bool{}
	}
	for pointer := range a.trace.parts() {
		s.has[pointer] = true
	}
	if !slices.ContainsFunc(s.accepted, func(v Value) bool { return string(v.JSON) == string(a.value.JSON) }) {
		s.accepted = append(s.accepted, a.value)
	}
}

// gaps returns the outermost parts that refused values have and accepted ones
// lack.
func (s *survey) gaps() []gap {
	missing := map[string]bool{}
	for _, a := range s.refused {
		for pointer := range a.trace.parts() {
			if !s.has[pointer] {
				missing[pointer] = true
			}
		}
	}
	var gaps []gap
	for _, pointer := range slices.Sorted(maps.Keys(missing)) {
		if !slices.ContainsFunc(gaps, func(g gap) bool { return strings.HasPrefix(pointer, g.schema+"/") }) {
			gaps = append(gaps, s.refusal(pointer))
		}
	}
	return gaps
}

// refusal returns the keyword that refuses the most values with a part.
func (s *survey) refusal(part string) gap {
	count := map[[2]string]int{}
	for _, a := range s.refused {
		if _, ok := a.trace.parts()[part]; !ok && part != "" {
			continue
		}
		for _, v := range a.violations {
			count[[2]string{keywordOf(v), v.Pointer}]++
		}
	}
	if len(count) == 0 {
		return gap{schema: part}
	}
	most := slices.MaxFunc(slices.Collect(maps.Keys(count)), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(count[a], count[b]), -cmp.Compare(a[0], b[0]), -cmp.Compare(a[1], b[1]))
	})
	return gap{part, most[0], most[1]}
}
