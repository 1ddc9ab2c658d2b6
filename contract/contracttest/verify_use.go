package contracttest

import (
	"slices"

	"github.com/toolcontract/toolcontract/contract"
)

// A use is a set of functions that take a [VerifyOption].
type use int

const (
	forVerify    use = 1 << iota // Verify and Observe
	forCalls                     // FuzzTool, FuzzTools and Replay
	forHistories                 // CheckIdempotency
)

// String names the functions.
func (u use) String() string {
	switch u {
	case forVerify:
		return "Verify"
	case forCalls:
		return "FuzzTool, FuzzTools and Replay"
	case forHistories:
		return "CheckIdempotency"
	case forVerify | forCalls:
		return "Verify, FuzzTool, FuzzTools and Replay"
	}
	return "other functions"
}

// refuseUnused records a mistake for each option that the functions of a use
// would ignore, so that no author relies on it.
func (c *verifyConfig) refuseUnused(by use) {
	for _, option := range []struct {
		name  string
		given bool
		by    use
	}{
		{"WithDrawn", c.drawn > 0, forVerify | forCalls},
		{"WithReadOnlyTwin", c.twin != nil, forVerify},
		{"WithState", c.state != nil, forVerify | forCalls},
		{"WithFolders", len(c.folders) > 0, forVerify | forCalls},
		{"WithTransport", len(c.transports) > 0, forVerify | forCalls},
		{"WithLog", len(c.logs) > 0, forVerify | forCalls},
		{"WithAllowance", len(c.allowances) > 0, forVerify | forCalls},
		{"WithVolatile", len(c.volatile) > 0, forVerify | forCalls},
		{"WithRequired", c.requiresAll || len(c.required) > 0, forVerify},
		{"WithResource", len(c.resources) > 0, forCalls},
		{"WithCallers", len(c.callers) > 0, forCalls},
		{"WithEffects", c.effects != nil, forHistories},
		{"WithSharedStore", c.store != nil, forHistories},
		{"Case.Setup", slices.ContainsFunc(c.cases, func(one Case) bool { return one.Setup != nil }), forVerify},
		{"Case.As", slices.ContainsFunc(c.cases, func(one Case) bool { return !one.As.IsAnonymous() }), forVerify},
	} {
		if option.given && option.by&by == 0 {
			c.mistake(option.name + " is not used here; only " + option.by.String() + " can use it")
		}
	}
}

// refuseOtherTools records a mistake if a case is for another tool.
func (c *verifyConfig) refuseOtherTools(tools ...*contract.Tool) {
	for _, one := range c.cases {
		if one.Tool != "" && !slices.ContainsFunc(tools, func(t *contract.Tool) bool { return t.Name() == one.Tool }) {
			c.mistake("a Case is for the tool " + one.Tool + ", which is not called here")
		}
	}
}
