package guard

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/internal/schema"
)

// validate reads the arguments: strict JSON, defaults, the input schema, the
// author's type; and finds the key of a managed call. An answer to a question
// about other arguments, or about somebody else's call, ends it.
func validate(c *call) *Result {
	args, broken := c.entry.bound.Decode(c.req.Arguments)
	if len(broken) > 0 {
		return c.violated(violations(broken)...)
	}
	c.args = args
	if c.state != nil && !c.isOwnState() {
		return c.reject()
	}
	return c.identify()
}

func violations(of []schema.Violation) []contract.Violation {
	all := make([]contract.Violation, len(of))
	for i, v := range of {
		all[i] = contract.Violation{Rule: v.Rule, Pointer: v.Pointer, Message: v.Message}
	}
	return all
}
