package scan

import (
	"regexp"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// A check is what one schema demands of a value. It is immutable once it is
// compiled. Recursive schemas have recursive checks.
type check struct {
	schema int // the index of the schema in its document, not the schema, which leads to the whole document

	same   *check // what a $ref leads to, in place of everything below
	orNull bool   // null is accepted, whatever follows

	kinds   tree.Types          // of the accepted values
	enum    map[string]struct{} // canonical forms; nil: all values
	values  string              // the keyword that enum is of: enum or const
	formats func(value any) error

	minLength, maxLength int // in characters; a maximum below 0 is none
	pattern              *regexp.Regexp
	texts                []textBound

	bounds     []bound
	multipleOf *multiple

	minItems, maxItems int
	unique             bool
	items              *check // nil: all items

	members map[string]*member
	others  *check // of members that are not in members; nil: there are none
	// required has a bit for each required member, and defaults the members
	// that are added if they are absent.
	required                     bits
	defaults                     []*member
	minProperties, maxProperties int

	// foreign decides about the whole value, in place of everything above but
	// orNull.
	foreign func(value any) bool
}

// A textBound is a bound of strings that is not their length.
type textBound struct {
	keyword string
	admits  func(text string) (within, sure bool)
}

// A member is one property of an object.
type member struct {
	name  []byte
	index int // among the members, in the order of their names
	check *check
	// filled is the member with its default, in canonical form: its name, a
	// colon and the value. Nil: it has no default.
	filled []byte
}

// maxMembers is the number of properties whose presence a check can note.
const maxMembers = 256

// bits is a set of members.
type bits [maxMembers / 64]uint64

func (b *bits) add(i int)      { b[i/64] |= 1 << (i % 64) }
func (b *bits) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }

// contains reports whether b has all members of other.
func (b *bits) contains(other *bits) bool {
	for i := range b {
		if other[i]&^b[i] != 0 {
			return false
		}
	}
	return true
}

// free returns a check that accepts every value.
func free() *check {
	c := &check{kinds: tree.AnyType, maxLength: -1, maxItems: -1, maxProperties: -1}
	c.others = c
	return c
}

// everyValue accepts every value.
var everyValue = free()
