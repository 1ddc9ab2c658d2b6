package clausediff

import (
	"bytes"
	"cmp"
	"maps"
	"reflect"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
)

// A differ compares two contracts of one tool.
type differ struct {
	old, now side
	findings []Finding
}

// A side is one of the two contracts, as written and with the values that
// apply.
type side struct {
	contract.Document
	effective contract.Document
}

// add records a difference. A nil from means that nothing was there, a nil to
// that nothing is.
func (d *differ) add(rule, pointer string, from, to any) {
	d.findings = append(d.findings, Finding{Rule: rule, Pointer: pointer, From: from, To: to})
}

// changesIn reports whether compare found a difference.
func (d *differ) changesIn(compare func()) bool {
	before := len(d.findings)
	compare()
	return len(d.findings) > before
}

// text compares two texts under a rule that has no direction. An empty text
// counts as none.
func (d *differ) text(rule, pointer, old, now string) {
	if old != now {
		d.add(rule, pointer, orNil(old), orNil(now))
	}
}

// stated compares how two values with the same meaning are written.
func (d *differ) stated(pointer string, old, now any) {
	if !bytes.Equal(JSON(old), JSON(now)) {
		d.add("default.stated", pointer, old, now)
	}
}

// ordered compares two values. order is 1 if now is higher, -1 if it is lower,
// and 0 if both mean the same.
func (d *differ) ordered(pointer string, old, now any, order int, higher, lower string) {
	from := orNil(old)
	to := orNil(now)
	switch {
	case order > 0:
		d.add(higher, pointer, from, to)
	case order < 0:
		d.add(lower, pointer, from, to)
	default:
		d.stated(pointer, from, to)
	}
}

// compareBools orders true above false, for [differ.ordered].
func compareBools(old, now bool) int {
	switch {
	case old == now:
		return 0
	case now:
		return 1
	default:
		return -1
	}
}

// limit compares two limits. Zero means no limit.
func (d *differ) limit(pointer string, old, now int64, tighter, wider string) {
	order := cmp.Compare(now, old)
	if old == 0 || now == 0 {
		order = -order
	}
	d.ordered(pointer, old, now, order, wider, tighter)
}

// present records whether a part of a contract was added or removed, and
// reports whether both sides have it.
func present[T any](d *differ, pointer string, old, now *T, added, removed string) bool {
	switch {
	case old == nil && now == nil:
		return false
	case old == nil:
		d.add(added, pointer, nil, now)
	case now == nil:
		d.add(removed, pointer, old, nil)
	}
	return old != nil && now != nil
}

// set compares two lists, word by word. Their order does not matter.
func (d *differ) set(pointer string, old, now []string, added, removed string) {
	changed := d.changesIn(func() {
		for _, word := range old {
			if !slices.Contains(now, word) {
				d.add(removed, pointer, word, nil)
			}
		}
		for _, word := range now {
			if !slices.Contains(old, word) {
				d.add(added, pointer, nil, word)
			}
		}
	})
	if !changed && !slices.Equal(old, now) {
		d.add("order.changed", pointer, old, now)
	}
}

// sameWords reports whether two lists have the same words in any order.
func sameWords(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// A pair is the indexes of an item in two lists, or -1 for a list without it.
type pair struct{ old, now int }

// match pairs the items of two lists that are alike by the first of the
// likenesses, then by the next, and so on. The pairs follow the order of old;
// those with only a new item come last.
func match[T any](old, now []T, likenesses ...func(a, b T) bool) []pair {
	pairs := make([]pair, 0, len(old))
	for i := range old {
		pairs = append(pairs, pair{old: i, now: -1})
	}
	taken := make([]bool, len(now))
	for _, alike := range likenesses {
		for i := range old {
			if pairs[i].now >= 0 {
				continue
			}
			for j := range now {
				if !taken[j] && alike(old[i], now[j]) {
					pairs[i].now, taken[j] = j, true
					break
				}
			}
		}
	}
	for j := range now {
		if !taken[j] {
			pairs = append(pairs, pair{old: -1, now: j})
		}
	}
	return pairs
}

// namesOf returns the names of both maps, sorted.
func namesOf[V any](a, b map[string]V) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(names)
	return slices.Compact(names)
}

// orNil returns nil for a zero value or an empty list, so that a change from or
// to nothing has no value there.
func orNil(v any) any {
	if r := reflect.ValueOf(v); !r.IsValid() || r.IsZero() || r.Kind() == reflect.Slice && r.Len() == 0 {
		return nil
	}
	return v
}
