package dryrun

import (
	"context"
	"errors"
	"reflect"
)

// A Clause declares dry runs for a tool with input In: the mode and the
// function that makes the preview. Create one with [By]. The zero value has no
// function and declares nothing. A Clause is immutable, and as safe for
// concurrent use as its function.
type Clause[In any] struct {
	preview  func(context.Context, In) (Preview[any], error)
	data     reflect.Type
	code     uintptr
	required bool
}

// By returns the clause of a tool that supports dry runs, with the function
// that makes the preview. [Clause.Required] makes the dry run mandatory. A nil
// function gives the zero clause, whose [Clause.Mode] is zero.
func By[In, D any](preview func(context.Context, In) (Preview[D], error)) Clause[In] {
	if preview == nil {
		return Clause[In]{}
	}
	return Clause[In]{
		data: reflect.TypeFor[D](),
		code: reflect.ValueOf(preview).Pointer(),
		preview: func(ctx context.Context, in In) (Preview[any], error) {
			p, err := preview(ctx, in)
			if err != nil {
				return Preview[any]{}, err
			}
			return p.erased(), nil
		},
	}
}

// Required returns the clause with the mode [Required]: a real call is accepted
// only after a dry run with the same arguments. A zero clause stays zero.
func (c Clause[In]) Required() Clause[In] {
	c.required = c.preview != nil
	return c
}

// Mode returns [Supported] or [Required], or zero if c has no preview function.
func (c Clause[In]) Mode() Mode {
	switch {
	case c.preview == nil:
		return 0
	case c.required:
		return Required
	default:
		return Supported
	}
}

// DataType returns the type of the preview's Data, or nil if c has no preview
// function.
func (c Clause[In]) DataType() reflect.Type { return c.data }

// Code returns the address of the preview function's code, as
// [reflect.Value.Pointer] does, or 0 if c has no preview function. Tests can
// look up the function's name with it, by [runtime.FuncForPC].
func (c Clause[In]) Code() uintptr { return c.code }

// Preview calls the preview function. The result's Data has the type
// [Clause.DataType], or is nil if that is an interface type and the function
// left it nil. The function's error is returned unchanged, with the zero
// preview; its panic is not recovered. Preview returns an error if c has no
// function.
func (c Clause[In]) Preview(ctx context.Context, in In) (Preview[any], error) {
	if c.preview == nil {
		return Preview[any]{}, errors.New("dryrun: clause has no preview function")
	}
	return c.preview(ctx, in)
}
