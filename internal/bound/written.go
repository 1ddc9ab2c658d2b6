package bound

import "reflect"

// A Written is how the author of a wrapped tool described it, as far as it is
// listed again. A nil hint was not set.
type Written struct {
	// Title and AnnotationsTitle are the titles of the tool and of its
	// annotations.
	Title, AnnotationsTitle string

	ReadOnly, Destructive, Idempotent, OpenWorld *bool
	// EffectGuessed means that the effect of the contract comes from the hints,
	// so that it adds nothing to them.
	EffectGuessed bool
	// Input is the type into which the handler decodes its arguments. The tags of
	// its fields count. Nil: unknown.
	Input reflect.Type
}

// SetWritten sets how the author of a wrapped tool described it.
func SetWritten(b Adaptable, w Written) { b.adapted().written = &w }

// WrittenOf returns what SetWritten has set. It is nil for a tool that is not
// wrapped.
func WrittenOf(b Adaptable) *Written { return b.adapted().written }
