package verify

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract"
)

// A use is a set of functions that take a [Option].
type use int

const (
	forTool      use = 1 << iota // Tool and Observe
	forCalls                     // package fuzz and Replay
	forHistories                 // CheckIdempotency
)

// String names the functions.
func (u use) String() string {
	switch u {
	case forTool:
		return "Tool"
	case forCalls:
		return "package fuzz and Replay"
	case forHistories:
		return "CheckIdempotency"
	case forTool | forCalls:
		return "Tool, package fuzz and Replay"
	}
	return "other functions"
}

// refuseUnused records a mistake for each option that the functions of a use
// would ignore, so that no author relies on it.
func (c *settings) refuseUnused(by use) {
	for _, option := range []struct {
		name  string
		given bool
		by    use
	}{
		{"WithDrawn", c.drawn > 0, forTool | forCalls},
		{"WithState", c.state != nil, forTool | forCalls},
		{"WithFolders", len(c.folders) > 0, forTool | forCalls},
		{"WithTransport", len(c.transports) > 0, forTool | forCalls},
		{"WithLog", len(c.logs) > 0, forTool | forCalls},
		{"WithAllowance", len(c.allowances) > 0, forTool | forCalls},
		{"WithVolatile", len(c.volatile) > 0, forTool | forCalls},
		{"WithRequired", c.requiresAll || len(c.required) > 0, forTool},
		{"WithResource", len(c.resources) > 0, forCalls},
		{"a second caller of WithCallers", len(c.callers) > 1, forCalls},
		{"WithEffects", c.effects != nil, forHistories},
		{"Case.Setup", slices.ContainsFunc(c.cases, func(one Case) bool { return one.Setup != nil }), forTool},
		{"Case.As", slices.ContainsFunc(c.cases, func(one Case) bool { return !one.As.IsAnonymous() }), forTool},
	} {
		if option.given && option.by&by == 0 {
			c.mistake(option.name + " is not used here; only " + option.by.String() + " can use it")
		}
	}
}

// refuseOtherTools records a mistake if a case is for another tool.
func (c *settings) refuseOtherTools(tools ...*contract.Tool) {
	for _, one := range c.cases {
		if one.Tool != "" && !slices.ContainsFunc(tools, func(t *contract.Tool) bool { return t.Name() == one.Tool }) {
			c.mistake("a Case is for the tool " + one.Tool + ", which is not called here")
		}
	}
}
