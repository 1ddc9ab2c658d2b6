package scan

// A Break is one schema keyword that a value in a text breaks.
type Break struct {
	// Schema is the index of the schema with the keyword.
	Schema int
	// Keyword is the name of the keyword. An unknown member breaks
	// additionalProperties.
	Keyword string
	// Location lists the names and indexes that lead to the value. For required
	// and additionalProperties, the last name is the member's.
	Location []string
	// OrNull means that null is accepted although type doesn't list it. It is
	// set only for breaks of type.
	OrNull bool
	// Equal holds the indexes of two equal items. It is set only for breaks of
	// uniqueItems.
	Equal [2]int
}

// maxBreaks bounds the memory for breaks. A text with more values after that
// many breaks goes to the slow path.
const maxBreaks = 100

// broken records that the value at the current depth breaks a keyword. The
// arrays and objects around the value complete the location once they have read
// it.
func (r *run) broken(k *check, keyword string) *Break {
	r.breaks = append(r.breaks, Break{Schema: k.schema, Keyword: keyword, Location: make([]string, r.depth)})
	return &r.breaks[len(r.breaks)-1]
}

// locate completes the locations of the breaks from index since on. They all
// lie in one item or member of the array or object being read.
func (r *run) locate(since int, name string) {
	for i := range r.breaks[since:] {
		r.breaks[since+i].Location[r.depth-1] = name
	}
}

// only records that a value breaks the type, enum or const of a schema. It
// drops the breaks from index since on, which belong to the schema's other
// keywords and to nested values, because the validator doesn't report those.
func (r *run) only(k *check, keyword string, since int) *Break {
	r.breaks = r.breaks[:since]
	return r.broken(k, keyword)
}

// size records a break if the size of a value exceeds a limit.
func (r *run) size(k *check, n, smallest, largest int, minimum, maximum string) {
	if n < smallest {
		r.broken(k, minimum)
	}
	if largest >= 0 && n > largest {
		r.broken(k, maximum)
	}
}

// missing records the required members that aren't present.
func (r *run) missing(k *check, present *bits) {
	for name, m := range k.members {
		if k.required.has(m.index) && !present.has(m.index) {
			r.broken(k, "required").Location[r.depth-1] = name
		}
	}
}
