package scan

// A Break is one keyword that a value of a text breaks.
type Break struct {
	// Schema is the JSON Pointer of the schema that has the keyword.
	Schema string
	// Keyword is additionalProperties for an unknown member.
	Keyword string
	// Location has the names and indexes that lead to the value. It ends with
	// the member if the keyword is required or additionalProperties.
	Location []string
	// OrNull means that null is accepted although the type does not have it.
	OrNull bool
	// Equal are the indexes of two equal items, for uniqueItems.
	Equal [2]int
}

// maxBreaks bounds the memory for breaks. A text that goes on after so many is
// left to the slow path.
const maxBreaks = 100

// broken notes that the value at the current depth breaks a keyword. The arrays
// and objects around it locate it when they have read it.
func (r *run) broken(k *check, keyword string) *Break {
	r.breaks = append(r.breaks, Break{Schema: k.pointer, Keyword: keyword, Location: make([]string, r.depth)})
	return &r.breaks[len(r.breaks)-1]
}

// locate completes the locations of the breaks since a number of them. All are
// in one item or member of the array or object that is being read.
func (r *run) locate(since int, name string) {
	for i := range r.breaks[since:] {
		r.breaks[since+i].Location[r.depth-1] = name
	}
}

// only notes that a value breaks the type or the values of a schema, which
// hides the breaks that were noted since: other keywords of the schema, and
// those of the values within.
func (r *run) only(k *check, keyword string, since int) *Break {
	r.breaks = r.breaks[:since]
	return r.broken(k, keyword)
}

// size notes that the size of a value is not within its limits.
func (r *run) size(k *check, n, smallest, largest int, minimum, maximum string) {
	if n < smallest {
		r.broken(k, minimum)
	}
	if largest >= 0 && n > largest {
		r.broken(k, maximum)
	}
}

// missing notes the required members that are not present.
func (r *run) missing(k *check, present *bits) {
	for name, m := range k.members {
		if k.required.has(m.index) && !present.has(m.index) {
			r.broken(k, "required").Location[r.depth-1] = name
		}
	}
}
