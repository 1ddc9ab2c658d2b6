package strictjson

// The rules of an [Error].
const (
	RuleSyntax    = "json.syntax"    // not one JSON value (RFC 8259)
	RuleDuplicate = "json.duplicate" // an object with the same name twice, after unescaping
	RuleUTF8      = "json.utf8"      // invalid UTF-8, or an escaped surrogate without its other half
	RuleDepth     = "json.depth"     // arrays and objects nested deeper than Limits.Depth
	RuleSize      = "json.size"      // more values than Limits.Elements
	RuleName      = "json.name"      // an object with a name longer than Limits.NameLength
	RuleNumber    = "json.number"    // a number too long, or one that a double and 64 bits cannot hold
	RuleBind      = "json.bind"      // valid JSON that the Go type does not accept
	RuleValue     = "json.value"     // a Go value that has no JSON form, such as NaN
)

// An Error is the reason a text or a value was refused. It never contains a
// value. Of the text it contains only member names, in Pointer, made printable
// and short by [PrintablePointer].
type Error struct {
	Rule    string // one of the rules above
	Pointer string // JSON Pointer (RFC 6901) to the place; "" is the whole value
	Message string // for people and models
}

// Error returns the message, with the pointer if there is one.
func (e *Error) Error() string {
	if e.Pointer == "" {
		return "strictjson: " + e.Message
	}
	return "strictjson: " + e.Pointer + ": " + e.Message
}
