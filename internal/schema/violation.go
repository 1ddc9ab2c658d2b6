package schema

// A Violation is one way in which a value violates its schema.
type Violation struct {
	Rule    string // "schema." and the violated keyword, such as "schema.minimum"
	Pointer string // JSON Pointer (RFC 6901) into the value, printable and bounded; "" is the whole value
	Message string // for people and models; it never holds the value
}

// The rules of violations without a keyword.
const (
	// RuleMore ends a list that was cut: its message counts the rest.
	RuleMore = "schema.more"
	// RuleInternal reports that the validator failed. The value is not
	// validated and must be refused.
	RuleInternal = "schema.internal"
)
