package scan

import (
	"regexp"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
)

// A check is what one schema demands of a value. Once compiled, it is
// immutable. Recursive schemas have recursive checks.
type check struct {
	schema int // the schema's index in its document; the schema itself would keep the whole document alive

	same   *check // the target of a $ref, in place of everything below
	orNull bool   // null is accepted regardless of what follows

	kinds   tree.Types          // the types of the accepted values
	enum    map[string]struct{} // canonical forms; nil: all values
	values  string              // the keyword that enum comes from: enum or const
	formats func(value any) error

	minLength, maxLength int // in characters; a maximum below 0 means none
	pattern              *regexp.Regexp
	texts                []textBound

	bounds     []bound
	multipleOf *multiple

	minItems, maxItems int
	unique             bool
	items              *check // nil: all items

	members map[string]*member
	others  *check // for members not listed in members; nil: none are allowed
	// required has a bit for each required member, defaults one for each member
	// that is added if absent.
	required                     bits
	defaults                     []*member
	minProperties, maxProperties int

	// foreign checks the whole value, in place of everything above except
	// orNull.
	foreign func(value any) bool
}

// A textBound bounds strings other than by length.
type textBound struct {
	keyword string
	admits  func(text string) (within, sure bool)
}

// A member is one property of an object.
type member struct {
	name  []byte
	index int // position among the members, sorted by name
	check *check
	// filled is the member with its default in canonical form: name, colon and
	// value. It is nil if the member has no default.
	filled []byte
}

// maxMembers is the number of properties whose presence a check can track.
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
