package verify

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/store"
)

// An Option adjusts [Tool], [Replay], [CheckIdempotency] and package fuzz. An
// option that a function cannot use fails the test. A [Case] is an option too.
type Option interface{ applyTo(*settings) }

type optionFunc func(*settings)

func (f optionFunc) applyTo(c *settings) { f(c) }

// settings holds what the options set.
type settings struct {
	cases       []Case
	drawn       int
	setups      []func(testing.TB)
	fixture     func(testing.TB) Fixture
	state       func() any
	folders     []string
	transports  []*Transport
	logs        []*Log
	allowances  []allowance
	volatile    []string
	accepted    []acceptance
	required    []string
	requiresAll bool
	limit       time.Duration
	noKernel    bool // only the tests of this package set it
	resources   []Resource
	callers     []contract.Principal
	effects     func(input string) int
	mistakes    []string
}

func (c *settings) mistake(text string) { c.mistakes = append(c.mistakes, text) }

// An acceptance is a contradiction that the author accepts.
type acceptance struct{ rule, reason string }

// A Case is one call for [Tool] to make, with valid arguments. The zero value
// calls without arguments.
type Case struct {
	// Tool is the name of the tool to call. Empty: the first one.
	Tool string
	// Name is the name in the report. Empty: "case 1" and so on.
	Name string
	// Input is encoded as JSON, like the input of [contracttest.Client.Call].
	Input any
	// Setup prepares the state that the call needs. It runs each time the case
	// is tried, after the functions of [WithSetup]. The testing.TB it gets ends
	// with the try. Nil: there is nothing to set up. Only [Tool] uses it.
	Setup func(testing.TB)
	// As makes the call. Zero: the first caller of [WithCallers]. Only [Tool]
	// uses it.
	As contract.Principal
}

func (c Case) applyTo(config *settings) { config.cases = append(config.cases, c) }

// A Fixture is a tool with fresh state.
type Fixture struct {
	// Tool has the contract to verify. Nil: the tool given to [Tool].
	Tool *contract.Tool
	// Tools are all the tools that package fuzz calls. Nil: only Tool. If Tool is
	// nil, other functions take the one with their tool's name from it. They serve
	// the rest beside it, so that its handler can forget their calls with
	// guard.Forget.
	Tools []*contract.Tool
	// State returns a value that describes the state; see [WithState]. Nil: the
	// function of WithState, if any.
	State func() any
	// Folders are compared before and after each call; see [WithFolders].
	Folders []string
	// Store is what the guards of [CheckIdempotency] share. Nil: a store in
	// memory. Other functions use it only for an atomic tool. For such a tool
	// it is a [store.Transactor] on a fresh database, the one its handlers
	// write to.
	Store store.Store
}

// named returns the fixture's Tool, or the one of its Tools with the name, or
// nil.
func (f Fixture) named(name string) *contract.Tool {
	if f.Tool != nil {
		return f.Tool
	}
	for _, tool := range f.Tools {
		if tool != nil && tool.Name() == name {
			return tool
		}
	}
	return nil
}

// beside returns the fixture's tools to serve beside a tool.
func (f Fixture) beside(tool *contract.Tool) []*contract.Tool {
	return slices.DeleteFunc(slices.Clone(f.Tools), func(t *contract.Tool) bool { return t == nil || t.Name() == tool.Name() })
}

// WithDrawn adds cases whose inputs are drawn from the input schema. Inputs are
// all different, so a schema with fewer values gives fewer cases. Default:
// eight if there is no [Case], otherwise none. The same schema gives the same
// inputs. For package fuzz, it is the number of cases.
func WithDrawn(cases int) Option {
	return optionFunc(func(c *settings) {
		if cases < 1 {
			c.mistake("WithDrawn: the number of cases must be positive")
		}
		c.drawn = cases
	})
}

// WithSetup adds a function that runs each time a case is tried, such as one
// that empties a table. The testing.TB it gets ends with the try: that is when
// its Cleanup functions run.
func WithSetup(setup func(testing.TB)) Option {
	return optionFunc(func(c *settings) {
		if setup == nil {
			c.mistake("WithSetup: the function is nil")
			return
		}
		c.setups = append(c.setups, setup)
	})
}

// WithFixture makes a new tool with fresh state each time a case is tried. Use
// it if the handler holds its state, so that a setup function cannot reset it:
//
//	verify.WithFixture(func(t testing.TB) verify.Fixture {
//		shop := newShop()
//		return verify.Fixture{Tool: shop.refundTool(), State: func() any { return shop.orders }}
//	})
func WithFixture(fixture func(testing.TB) Fixture) Option {
	return optionFunc(func(c *settings) {
		if fixture == nil {
			c.mistake("WithFixture: the function is nil")
		}
		c.fixture = fixture
	})
}

// WithState compares state in memory, or in a database, before and after each
// call. The function returns any value that describes the state, such as a map
// or the rows of a table. Tool copies the value at once, including unexported
// fields and whatever pointers lead to, so a handler may change it later. It
// must not change by itself. In a fuzz target, the function must not use the
// testing.F; take the testing.TB of WithSetup.
func WithState(state func() any) Option {
	return optionFunc(func(c *settings) {
		if state == nil {
			c.mistake("WithState: the function is nil")
		}
		c.state = state
	})
}

// WithFolders compares folders before and after each call. Use it where the
// kernel is not a witness, and for files that another process writes.
func WithFolders(paths ...string) Option {
	return optionFunc(func(c *settings) { c.folders = append(c.folders, paths...) })
}

// WithTransport observes the handler's HTTP requests, which must go through the
// [Transport].
func WithTransport(transport *Transport) Option {
	return optionFunc(func(c *settings) {
		if transport == nil {
			c.mistake("WithTransport: the transport is nil")
			return
		}
		c.transports = append(c.transports, transport)
	})
}

// WithLog searches the handler's log for values of sensitive and secret fields.
// The handler must write to the log given here. If the kernel is a witness, the
// log of package log is searched as well.
func WithLog(l *Log) Option {
	return optionFunc(func(c *settings) {
		if l == nil {
			c.mistake("WithLog: the log is nil")
			return
		}
		c.logs = append(c.logs, l)
	})
}

// WithAllowance names an effect that does not count, such as a write to a log
// or a cache, with a reason for the report. The effect is a path, with
// everything below it; an address as "host:port" or "host"; "loopback" for this
// machine; a request as "POST host:port"; or a part of the state as "state
// PATH", with everything below it. A star matches any text. A blank reason
// fails the test.
func WithAllowance(effect, reason string) Option {
	return optionFunc(func(c *settings) {
		if strings.TrimSpace(effect) == "" || strings.TrimSpace(reason) == "" {
			c.mistake("WithAllowance: an allowance needs an effect and a reason")
			return
		}
		c.allowances = append(c.allowances, allowance{effect, reason})
	})
}

// WithVolatile names members of results that may differ between equal calls,
// such as a time, by JSON Pointer. A star stands for any member or index:
// "/items/*/at".
func WithVolatile(pointers ...string) Option {
	return optionFunc(func(c *settings) { c.volatile = append(c.volatile, pointers...) })
}

// WithAccepted accepts a rule's contradictions for a reason. They stay in the
// report, or in the log of functions without a report, and do not fail the
// test. For "handler.neverSucceeded", it accepts that no call succeeds. A blank
// reason fails the test. So does a rule that nothing contradicts, except in
// [Replay].
func WithAccepted(rule, reason string) Option {
	return optionFunc(func(c *settings) {
		switch {
		case claimNamed(rule).Summary == "":
			c.mistake("WithAccepted: there is no such rule; see Claims")
		case strings.TrimSpace(reason) == "":
			c.mistake("WithAccepted: an acceptance of " + rule + " needs a reason")
		}
		c.accepted = append(c.accepted, acceptance{rule, reason})
	})
}

// WithRequired makes unknown conclusions about the rules fail the test. No
// rules means all of them.
func WithRequired(rules ...string) Option {
	return optionFunc(func(c *settings) {
		for _, rule := range rules {
			if claimNamed(rule).Summary == "" {
				c.mistake("WithRequired: there is no such rule; see Claims")
			}
		}
		c.required = append(c.required, rules...)
		c.requiresAll = c.requiresAll || len(rules) == 0
	})
}

// WithCallers sets the principals of the calls. The first one makes all calls,
// except in package fuzz. Default: a person with the permissions of the
// contract, who has just authenticated as strongly as the contract demands. If
// there is only one caller and a [Resource] is not shared, package fuzz adds
// one from another tenant with the same permissions.
func WithCallers(callers ...contract.Principal) Option {
	return optionFunc(func(c *settings) {
		if len(callers) == 0 {
			c.mistake("WithCallers: there are no callers")
		}
		c.callers = callers
	})
}

// WithCallLimit sets how long to wait for one call. Default: ten seconds.
func WithCallLimit(d time.Duration) Option {
	return optionFunc(func(c *settings) {
		if d <= 0 {
			c.mistake("WithCallLimit: the duration is not positive")
		}
		c.limit = d
	})
}

// A Resource is a kind of thing that tools create, use and delete by ID.
// Package fuzz then calls tools with the IDs of earlier results, including
// those of things already deleted, and as callers from another tenant. Those
// last two must fail.
//
//	verify.WithResource(verify.Resource{
//		Name:    "invoice",
//		Created: map[string]string{"invoices.create": "/number"},
//		Used:    map[string]string{"invoices.get": "/invoice", "invoices.void": "/invoice"},
//		Deleted: map[string]string{"invoices.void": "/invoice"},
//	})
type Resource struct {
	// Name is the word for the thing in messages.
	Name string
	// Created maps each tool that creates one to the JSON Pointer of its ID in
	// the structured content.
	Created map[string]string
	// Used maps each tool that needs one to the JSON Pointer of its ID in the
	// arguments.
	Used map[string]string
	// Deleted maps each tool that deletes one to the JSON Pointer of its ID in
	// the arguments.
	Deleted map[string]string
	// Shared means that callers from other tenants may use it. False: they may
	// not, and no result for them may contain its ID.
	Shared bool
}

// WithResource declares a kind of thing for package fuzz. Without it, results
// are linked to arguments only by name, and no rule is judged by those links.
func WithResource(r Resource) Option {
	return optionFunc(func(c *settings) {
		if len(r.Created) == 0 {
			c.mistake("WithResource: no tool creates the resource " + r.Name)
		}
		c.resources = append(c.resources, r)
	})
}

// A use is a set of functions that take an [Option].
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

// refuseOtherTools records a mistake for each case whose tool is not among
// tools.
func (c *settings) refuseOtherTools(tools ...*contract.Tool) {
	for _, one := range c.cases {
		if one.Tool != "" && !slices.ContainsFunc(tools, func(t *contract.Tool) bool { return t.Name() == one.Tool }) {
			c.mistake("a Case is for the tool " + one.Tool + ", which is not called here")
		}
	}
}
