package contract

import (
	"maps"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// Clauses holds the verbs that say a contract's data. [Builder] and [BaseBuilder]
// embed it; each verb returns the one it was called on. A verb that takes a
// list adds to what the same builder said before; any other verb replaces it.
// What a builder says wins over tags, and both win over a Base. Nothing is
// checked before Build, which reports all mistakes at once.
//
// Clauses is not safe for concurrent use.
type Clauses[B any] struct {
	self  B
	facts facts
	base  facts
}

// From lays the clauses of base, as they are now, under this contract's own.
// A second From lies under the first.
func (c *Clauses[B]) From(base *BaseBuilder) B {
	if base == nil {
		c.facts.mistake(ruleBaseNil, "from", "the base is nil", "pass a contract.Base()")
		return c.self
	}
	c.base.over(base.merged())
	return c.self
}

func (c *Clauses[B]) merged() facts {
	f := c.facts
	f.over(c.base)
	return f
}

// Title sets a name for people.
func (c *Clauses[B]) Title(title string) B {
	c.facts.title.say(title)
	return c.self
}

// Description says what the tool does, for people and models. Every tool needs one.
func (c *Clauses[B]) Description(text string) B {
	c.facts.description.say(text)
	return c.self
}

// Category sets a domain to filter by, such as "communication".
func (c *Clauses[B]) Category(category string) B {
	c.facts.category.say(category)
	return c.self
}

// Metadata adds one member of free data; value must be something that
// encoding/json can write. Integers stay exact; one of more than 64 bits is a
// mistake.
func (c *Clauses[B]) Metadata(key string, value any) B {
	m := maps.Clone(c.facts.metadata.value)
	if m == nil {
		m = map[string]any{}
	}
	m[key] = value
	c.facts.metadata.say(m)
	return c.self
}

// Version sets the contract's version, by Semantic Versioning 2.0.0. Every
// tool needs one.
func (c *Clauses[B]) Version(version string) B {
	c.facts.version.say(version)
	return c.self
}

// Deprecated says that the tool should no longer be used. Every call's outcome
// carries the notice.
func (c *Clauses[B]) Deprecated(d Deprecation) B {
	c.facts.deprecated.say(d)
	return c.self
}

// Aliases adds old names of the tool. They can be called and are not listed.
// The tool's own name is one where a server lists another form of it.
func (c *Clauses[B]) Aliases(names ...string) B {
	c.facts.aliases.say(extend(c.facts.aliases.value, names))
	return c.self
}

// FlatName allows a name without a domain. By default a name is "domain.verb".
func (c *Clauses[B]) FlatName() B {
	c.facts.flatName.say(true)
	return c.self
}

// Risk sets the level. It cannot lie below the floor of the effect. Without
// it the level follows from the effect.
func (c *Clauses[B]) Risk(level risk.Level) B {
	c.facts.risk.say(level)
	return c.self
}

// Effect sets the kind of change that the tool makes. It may be left out from
// critical up, where it then counts as destructive.
func (c *Clauses[B]) Effect(effect risk.Effect) B {
	c.facts.effect.say(effect)
	return c.self
}

// SecurityLevel sets a demand from 0 to 10: from 1 up an authenticated
// principal, from 4 up declared permissions, from 8 up a confirmation or a
// step-up.
func (c *Clauses[B]) SecurityLevel(level risk.SecurityLevel) B {
	c.facts.securityLevel.say(level)
	return c.self
}

// Trust sets how far what the tool returns can be trusted. Undeclared content
// is treated as prone to prompt injection.
func (c *Clauses[B]) Trust(level trust.Level) B {
	c.facts.contentTrust.say(level)
	return c.self
}

// ConfirmAlways has a person asked before every call.
func (c *Clauses[B]) ConfirmAlways() B {
	c.facts.confirmation.say(confirmationClause{mode: ConfirmationAlways})
	return c.self
}

// ConfirmNever lets a tool at high run unasked, for a reason that is
// published. A critical tool cannot say so.
func (c *Clauses[B]) ConfirmNever(reason string) B {
	c.facts.confirmation.say(confirmationClause{mode: ConfirmationNever, reason: reason})
	return c.self
}

// Autonomous asserts whether an agent may run the tool without a person. The
// value itself is derived, from risk and confirmation; an assertion that
// disagrees is an error of Build.
func (c *Clauses[B]) Autonomous(may bool) B {
	c.facts.autonomous.say(may)
	return c.self
}

// StepUp demands a recent or strong authentication of every caller: see [StepUp].
// A call that lacks it is refused with step_up_required, or its person is sent to
// authenticate. Default: none.
func (c *Clauses[B]) StepUp(s StepUp) B {
	c.facts.stepUp.say(s)
	return c.self
}

// Permissions adds permissions; a caller needs all of them.
func (c *Clauses[B]) Permissions(permissions ...string) B {
	p := c.facts.permissions.value
	p.list = extend(p.list, permissions)
	c.facts.permissions.say(p)
	return c.self
}

// NoPermissions lets a tool above low go without permissions, for a reason
// that is published.
func (c *Clauses[B]) NoPermissions(reason string) B {
	p := c.facts.permissions.value
	p.none, p.noneReason = true, reason
	c.facts.permissions.say(p)
	return c.self
}

// DiscoverWith adds permissions that show the tool in the list to holders of
// fewer than it takes to call it.
func (c *Clauses[B]) DiscoverWith(permissions ...string) B {
	c.facts.discoverWith.say(extend(c.facts.discoverWith.value, permissions))
	return c.self
}

// SideEffects adds changes outside the return value. A write that declares
// none counts as having one that is external and irreversible.
func (c *Clauses[B]) SideEffects(effects ...SideEffect) B {
	c.facts.sideEffects.say(extend(c.facts.sideEffects.value, effects))
	return c.self
}

// Idempotency says what a repeated call does. Without it a repetition does it
// again.
func (c *Clauses[B]) Idempotency(i Idempotency) B {
	i.KeyFields = slices.Clone(i.KeyFields)
	c.facts.idempotency.say(i)
	return c.self
}

// AuditEvent names the event in the audit log. Default: the tool's name.
func (c *Clauses[B]) AuditEvent(name string) B {
	c.facts.auditEvent.say(name)
	return c.self
}

// Failures adds declared failures. The list in the document is complete: any
// other error reaches the caller as internal_error.
func (c *Clauses[B]) Failures(failures ...*Failure) B {
	c.facts.failures.say(extend(c.facts.failures.value, failures))
	return c.self
}

// OtherErrors lets errors that are not declared leave with their sanitised
// text, as the generic failure of class: [ErrRetry] or [ErrFatal]. By default
// they leave as internal_error, with nothing of it. For tools whose errors are
// free text that callers may read.
func (c *Clauses[B]) OtherErrors(class Class) B {
	c.facts.otherErrors.say(class)
	return c.self
}

// RateLimit bounds how often one principal calls: so many calls at once, which
// are given back evenly in per, whole seconds. In a single window of per that can
// be twice as many; see [RateLimit]. Default: the guard's.
func (c *Clauses[B]) RateLimit(calls int, per time.Duration) B {
	c.facts.rateLimit.say(rateLimitClause{calls: calls, per: per})
	return c.self
}

// TotalRateLimit bounds in the same way how often all callers together call.
// Where both are declared it is not below the limit of one caller, which would
// then say nothing; declare both, so that no caller uses up what is for all.
// Default: none.
func (c *Clauses[B]) TotalRateLimit(calls int, per time.Duration) B {
	c.facts.totalRateLimit.say(rateLimitClause{calls: calls, per: per})
	return c.self
}

// Timeout bounds the handler, in whole milliseconds. The handler's context
// ends then and the caller gets the code timeout.
func (c *Clauses[B]) Timeout(d time.Duration) B {
	c.facts.timeout.say(d)
	return c.self
}

// Cancellable ends a write when its caller goes away. By default only reads
// end; a write is finished, because a caller that hangs up decides nothing.
func (c *Clauses[B]) Cancellable() B {
	c.facts.cancellable.say(true)
	return c.self
}

// MaxConcurrent bounds the calls that run at once in this process. One more
// answers unavailable.
func (c *Clauses[B]) MaxConcurrent(n int) B {
	c.facts.maxConcurrent.say(n)
	return c.self
}

// MaxResultBytes bounds the result's JSON, at most [MaxBytes]. Default:
// [DefaultMaxResultBytes].
func (c *Clauses[B]) MaxResultBytes(n int64) B {
	c.facts.maxResultBytes.say(n)
	return c.self
}

// MaxArgumentBytes bounds the arguments' JSON, at most [MaxBytes]. Default:
// [DefaultMaxArgumentBytes].
func (c *Clauses[B]) MaxArgumentBytes(n int64) B {
	c.facts.maxArgumentBytes.say(n)
	return c.self
}

// Mistake has Build report m too, with the tool's name: for adapters that start
// a contract from another declaration and find that wrong.
func (c *Clauses[B]) Mistake(m DeclarationError) B {
	c.facts.mistake(m.Rule, m.Clause, m.Message, m.Remedy)
	return c.self
}

// extend appends to a copy: a Base's slices are shared by many builders.
func extend[T any](have, more []T) []T {
	return append(slices.Clip(slices.Clone(have)), more...)
}

// A BaseBuilder holds clauses that many tools share. Make one with [Base] and
// hand it to From.
type BaseBuilder struct {
	Clauses[*BaseBuilder]
}

// Base returns an empty set of clauses to share: version, category, trust and
// whatever else many tools have in common.
func Base() *BaseBuilder {
	b := &BaseBuilder{}
	b.self = b
	return b
}
