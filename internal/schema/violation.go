package schema

// A Violation is one way in which a value violates its schema.
type Violation struct {
	Rule    string // "schema." and the violated keyword, such as "schema.minimum"
	Pointer string // JSON Pointer (RFC 6901) into the value, printable and bounded; "" is the whole value
	Message string // for people and models; it never contains the value
}

// The rules for violations without a keyword.
const (
	// RuleMore ends a list that was cut short: its message counts the rest.
	RuleMore = "schema.more"
	// RuleInternal reports that the validator failed. The value was not
	// validated and must be refused.
	RuleInternal = "schema.internal"
)
