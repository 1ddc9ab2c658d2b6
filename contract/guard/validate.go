package guard

import "github.com/toolcontract/toolcontract/contract"

// validate reads the arguments: strict JSON, defaults, the input schema, the
// author's type.
func validate(c *call) *Result {
	args, violations := c.entry.bound.Decode(c.req.Arguments)
	if len(violations) > 0 {
		all := make([]contract.Violation, len(violations))
		for i, v := range violations {
			all[i] = contract.Violation{Rule: v.Rule, Pointer: v.Pointer, Message: v.Message}
		}
		return c.violated(all...)
	}
	c.args = args
	return nil
}
