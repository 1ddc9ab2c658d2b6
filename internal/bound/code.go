package bound

import "reflect"

// CodeOf returns the address of a function's code, which names the function and
// cannot call it. It is 0 for a nil function.
func CodeOf(function any) uintptr {
	v := reflect.ValueOf(function)
	if v.Kind() != reflect.Func || v.IsNil() {
		return 0
	}
	return v.Pointer()
}

// SetHandler names the function that the handler of a tool calls, if the
// handler is an adapter's own.
func SetHandler(b Reporter, function any) { b.mistakes().handler = CodeOf(function) }

// HandlerCode returns the code of the function behind a handler.
func HandlerCode(b Reporter, handler any) uintptr {
	if code := b.mistakes().handler; code != 0 {
		return code
	}
	return CodeOf(handler)
}
