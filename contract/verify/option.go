package verify

import (
	"strings"
	"testing"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/store"
)

// An Option adjusts [Tool], [Replay], [CheckIdempotency] and package fuzz. An option
// that a function cannot use fails the test. A [Case] is an option, too.
type Option interface{ applyTo(*settings) }

type optionFunc func(*settings)

func (f optionFunc) applyTo(c *settings) { f(c) }

// A settings holds what options set.
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
	noKernel    bool // in a test of this package
	resources   []Resource
	callers     []contract.Principal
	effects     func(input string) int
	mistakes    []string
}

func (c *settings) mistake(text string) { c.mistakes = append(c.mistakes, text) }

// An acceptance is a contradiction that the author accepts.
type acceptance struct{ rule, reason string }

// A Case is one call that [Tool] makes, with valid arguments. The zero value
// calls without arguments.
type Case struct {
	// Tool is the name of the tool that is called. Empty: the first one.
	Tool string
	// Name is the name in the report. Empty: "case 1" and so on.
	Name string
	// Input is encoded as JSON, as the input of [contracttest.Client.Call] is.
	Input any
	// Setup prepares the state that the call needs. It runs before
	// each trial of the case, after those of [WithSetup]. The test it gets ends
	// with the trial. Nil: there is nothing to set up. Only [Tool] uses it.
	Setup func(testing.TB)
	// As makes the call. Zero: the caller of [WithCallers]. Only [Tool] uses
	// it.
	As contract.Principal
}

func (c Case) applyTo(config *settings) { config.cases = append(config.cases, c) }

// A Fixture is a tool on a fresh state.
type Fixture struct {
	// Tool has the contract that is verified. Nil: the tool of [Tool].
	Tool *contract.Tool
	// Tools are all tools of package fuzz. Nil: only Tool. If Tool is nil, other
	// functions take the one with the name of their tool.
	Tools []*contract.Tool
	// State returns a value that describes the state; see [WithState]. Nil: the
	// function of WithState, if any.
	State func() any
	// Folders are compared before and after each call; see [WithFolders].
	Folders []string
	// Store is what the guards of [CheckIdempotency] share. Nil: a store in
	// memory. Other functions do not use it.
	Store store.Store
}

// named returns the tool of a fixture, or that of its tools with the name, or
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

// WithDrawn adds cases whose inputs are drawn from the input schema. Default:
// eight if there is no [Case], and otherwise none. The same schema gives the
// same inputs. For package fuzz it is the number of cases.
func WithDrawn(cases int) Option {
	return optionFunc(func(c *settings) {
		if cases < 1 {
			c.mistake("WithDrawn: the number of cases must be positive")
		}
		c.drawn = cases
	})
}

// WithSetup adds a function that runs before each trial of every case, such as
// one that empties a table. The test that it gets ends with the trial, so that
// functions for its Cleanup run then.
func WithSetup(setup func(testing.TB)) Option {
	return optionFunc(func(c *settings) {
		if setup == nil {
			c.mistake("WithSetup: the function is nil")
			return
		}
		c.setups = append(c.setups, setup)
	})
}

// WithFixture makes the tool of each trial, on a fresh state. Use it if the
// handler holds its state, so that a set-up cannot reset it:
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

// WithState compares the state in memory, or in a database, before and after
// each call. The function returns any value that describes the state, such as a
// map or the rows of a table. Tool copies the value at once, with unexported
// fields and through pointers, so a handler may go on to change it. It must not
// change by itself. In a fuzz target, the function must not use the testing.F;
// take the testing.TB of WithSetup.
func WithState(state func() any) Option {
	return optionFunc(func(c *settings) {
		if state == nil {
			c.mistake("WithState: the function is nil")
		}
		c.state = state
	})
}

// WithFolders compares folders before and after each call. It is for systems
// without the kernel as a witness, and for files that another process writes.
func WithFolders(paths ...string) Option {
	return optionFunc(func(c *settings) { c.folders = append(c.folders, paths...) })
}

// WithTransport observes the HTTP requests of the handler, which must send them
// through the [Transport].
func WithTransport(transport *Transport) Option {
	return optionFunc(func(c *settings) {
		if transport == nil {
			c.mistake("WithTransport: the transport is nil")
			return
		}
		c.transports = append(c.transports, transport)
	})
}

// WithLog searches the log of the handler for values of sensitive and secret
// fields. The handler must write to the log that is given here. The log of
// package log is searched if the kernel is a witness.
func WithLog(l *Log) Option {
	return optionFunc(func(c *settings) {
		if l == nil {
			c.mistake("WithLog: the log is nil")
			return
		}
		c.logs = append(c.logs, l)
	})
}

// WithAllowance names an effect that does not count, such as that of a log or a
// cache, with a reason for the report. It is a path, with everything below it;
// an address as "host:port" or "host"; "loopback" for this machine; a request
// as "POST host:port"; or a part of the state as "state PATH", with everything
// below it. A star matches any text. A blank reason fails the test.
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
// such as a time, by JSON Pointers. A star stands for any member or index:
// "/items/*/at".
func WithVolatile(pointers ...string) Option {
	return optionFunc(func(c *settings) { c.volatile = append(c.volatile, pointers...) })
}

// WithAccepted accepts the contradictions of a rule for a reason. They stay in
// the report, or in the log of functions without a report, and do not fail the
// test. A blank reason fails the test. A rule that nothing contradicts fails it
// too, except in [Replay].
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

// WithRequired makes unknown conclusions about the rules fail the test. Without
// rules it means all of them.
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

// WithCallers sets the principals of the calls. The first one makes all calls
// except those of package fuzz. Default: a person with the permissions of the
// contract, who has just authenticated as strongly as the contract demands. If
// there is only one, and a [Resource] is not shared, package fuzz adds one of
// another tenant with the same permissions.
func WithCallers(callers ...contract.Principal) Option {
	return optionFunc(func(c *settings) {
		if len(callers) == 0 {
			c.mistake("WithCallers: there are no callers")
		}
		c.callers = callers
	})
}

// WithCallLimit sets how long one call may take before it is given up.
// Default: ten seconds.
func WithCallLimit(d time.Duration) Option {
	return optionFunc(func(c *settings) {
		if d <= 0 {
			c.mistake("WithCallLimit: the duration is not positive")
		}
		c.limit = d
	})
}
