package oldschema

// A Violation is one way in which a value breaks its schema.
type Violation struct {
	Rule    string // "schema." and the broken JSON Schema keyword, such as "schema.minimum"
	Pointer string // JSON Pointer (RFC 6901) into the value, made printable and bounded; "" is the whole value
	Message string // for people and models; never holds the offending value
}

// The rules of violations that are no keyword's.
const (
	// RuleMore is the last violation of a list that was cut: its message counts the rest.
	RuleMore = "schema.more"
	// RuleInternal says that the validator failed. The value was not validated, and must not pass.
	RuleInternal = "schema.internal"
)
