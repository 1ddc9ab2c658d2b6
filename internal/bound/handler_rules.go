package bound

import "reflect"

// handlerRules are what an adapter knows about the handler of a tool.
type handlerRules struct {
	code   uintptr // of the function that the handler calls; 0: it is the handler itself
	rounds int     // how often it may ask for an input
	passes bool    // callers get the texts of its error results
	exact  bool    // and nothing is added to them
}

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
func SetHandler(b Adaptable, function any) { b.adapted().handler.code = CodeOf(function) }

// HandlerCode returns the code of the function behind a handler.
func HandlerCode(b Adaptable, handler any) uintptr {
	if code := b.adapted().handler.code; code != 0 {
		return code
	}
	return CodeOf(handler)
}

// AllowRounds sets how often the handler of a tool may ask in one call.
func AllowRounds(b Adaptable, rounds int) { b.adapted().handler.rounds = rounds }

// Rounds returns how often the handler may ask. Zero: never.
func Rounds(b Adaptable) int { return b.adapted().handler.rounds }

// PassReported sets whether callers get the texts of the handler's error
// results that no failure of the contract stands for.
func PassReported(b Adaptable, pass bool) { b.adapted().handler.passes = pass }

// PassesReported returns what PassReported set.
func PassesReported(b Adaptable) bool { return b.adapted().handler.passes }

// KeepReported sets whether those texts stay as the handler wrote them; see
// [Facts.Verbatim].
func KeepReported(b Adaptable, keep bool) { b.adapted().handler.exact = keep }

// KeepsReported returns what KeepReported set.
func KeepsReported(b Adaptable) bool { return b.adapted().handler.exact }
