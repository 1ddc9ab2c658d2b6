package contract

import "reflect"

// strayMarkers reports the marker fields of the types that in, out and the data
// of a preview, which may be nil, reach: what they say would be lost, since only
// the direct fields of in are read.
func (c *checker) strayMarkers(in, out, data reflect.Type) {
	s := strayReader{checker: c, read: in, seen: map[reflect.Type]bool{}}
	s.walk(in)
	s.walk(out)
	if data != nil {
		s.walk(data)
	}
}

type strayReader struct {
	*checker
	read reflect.Type // its own marker fields are no strays
	seen map[reflect.Type]bool
}

func (s *strayReader) walk(t reflect.Type) {
	if s.seen[t] {
		return
	}
	s.seen[t] = true
	switch t.Kind() { //nolint:exhaustive // the other kinds hold no fields
	case reflect.Map:
		s.walk(t.Key())
		s.walk(t.Elem())
	case reflect.Pointer, reflect.Slice, reflect.Array:
		s.walk(t.Elem())
	case reflect.Struct:
		if t != s.read && hasMarkers(t) {
			s.bad(ruleTagStray, t.String(), "marker fields say nothing in an embedded or nested struct, nor in a result", "move them to the input type itself, or share clauses by contract.Base")
		}
		for f := range t.Fields() {
			s.walk(f.Type)
		}
	}
}
