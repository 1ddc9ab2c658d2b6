package scan

// A Break is one keyword of a schema that a value of a text breaks.
type Break struct {
	// Schema is the index of the schema that has the keyword.
	Schema int
	// Keyword is the name of the keyword. An unknown member breaks
	// additionalProperties.
	Keyword string
	// Location has the names and indexes that lead to the value. If the keyword
	// is required or additionalProperties, the last name is that of the member.
	Location []string
	// OrNull means that null is accepted although the type does not list it.
	// Only breaks of type have it.
	OrNull bool
	// Equal has the indexes of two equal items. Only breaks of uniqueItems have
	// it.
	Equal [2]int
}

// maxBreaks bounds the memory for breaks. The slow path takes a text that has
// more values after so many breaks.
const maxBreaks = 100

// broken records that the value at the current depth breaks a keyword. The
// arrays and objects around the value complete the location when they have read
// it.
func (r *run) broken(k *check, keyword string) *Break {
	r.breaks = append(r.breaks, Break{Schema: k.schema, Keyword: keyword, Location: make([]string, r.depth)})
	return &r.breaks[len(r.breaks)-1]
}

// locate completes the locations of all breaks after the first few. They are in
// one item or member of the array or object that is being read.
func (r *run) locate(since int, name string) {
	for i := range r.breaks[since:] {
		r.breaks[since+i].Location[r.depth-1] = name
	}
}

// only records that a value breaks the type, enum or const of a schema. It
// drops all breaks after the first few, which are those of other keywords of
// the schema and of the values within, because the validator does not report
// them.
func (r *run) only(k *check, keyword string, since int) *Break {
	r.breaks = r.breaks[:since]
	return r.broken(k, keyword)
}

// size records whether the size of a value breaks a limit.
func (r *run) size(k *check, n, smallest, largest int, minimum, maximum string) {
	if n < smallest {
		r.broken(k, minimum)
	}
	if largest >= 0 && n > largest {
		r.broken(k, maximum)
	}
}

// missing records the required members that are not present.
func (r *run) missing(k *check, present *bits) {
	for name, m := range k.members {
		if k.required.has(m.index) && !present.has(m.index) {
			r.broken(k, "required").Location[r.depth-1] = name
		}
	}
}
