// Package immediate knows the functions of this library that answer at once:
// they neither wait nor call functions of others, except perhaps before their
// first success. A caller needs no time limit and no goroutine for them.
package immediate

import (
	"reflect"
	"sync"
)

// known holds the code of functions, because Go cannot compare functions.
var known sync.Map

// Func returns f and records that it answers at once. The functions that one
// literal makes can have the same code, so all of them must answer at once.
func Func[F any](f F) F {
	known.Store(codeOf(f), true)
	return f
}

// Is reports whether a function came from [Func].
func Is(f any) bool {
	_, is := known.Load(codeOf(f))
	return is
}

// codeOf returns the address of a function's code. It is 0 for a nil function.
func codeOf(f any) uintptr {
	v := reflect.ValueOf(f)
	if v.IsNil() {
		return 0
	}
	return v.Pointer()
}
