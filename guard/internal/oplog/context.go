package oplog

import (
	"context"
	"sync/atomic"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/internal/bound"
)

// A Call names the call that a context belongs to, for lines of the log. The
// zero value names none. It does not change, because a function of an author
// may outlive its call.
type Call struct {
	Tool *facts.Tool
	ID   string           // the id of the call in the audit log
	Args *bound.Arguments // nil before they were read
	// Forgetter forgets outcomes for the functions of the call. Nil: that of
	// the parent, such as an enclosing call's.
	Forgetter Forgetter
}

// A Forgetter forgets the outcome of an earlier call of a tool that has this
// key.
type Forgetter interface {
	Forget(ctx context.Context, tool string, key any) error
}

// A callContext is the context of a call, with what the guard knows about the
// call. A function of an author may outlive its call, so nothing in it changes,
// except that [NoteArguments] adds the arguments.
type callContext struct {
	context.Context

	tool      *facts.Tool
	id        string                          // the id of the call in the audit log
	args      atomic.Pointer[bound.Arguments] // nil before they were read
	principal *contract.Principal             // nil: that of the parent, such as an enclosing call's
	forgetter Forgetter                       // nil: the same
}

// The keys of the values of a callContext.
type (
	callKey      struct{}
	principalKey struct{}
	forgetterKey struct{}
)

// Value implements [context.Context]. Its values are pointers, so that reading
// one allocates nothing.
func (c *callContext) Value(key any) any {
	switch {
	case key == callKey{}:
		return c
	case key == principalKey{} && c.principal != nil:
		return c.principal
	case key == forgetterKey{} && c.forgetter != nil:
		return c.forgetter
	case bound.IsRoundKey(key):
		return nil
	}
	return c.Context.Value(key)
}

// With returns a context whose lines in the log name the call.
func With(ctx context.Context, l Call) context.Context {
	c := &callContext{Context: ctx, tool: l.Tool, id: l.ID}
	c.args.Store(l.Args)
	return c
}

// WithPrincipal returns a context whose lines in the log name the call, with a
// copy of the principal of the call, and a pointer to that copy. An anonymous
// principal hides the principal of an enclosing call.
func WithPrincipal(ctx context.Context, l Call, p contract.Principal) (context.Context, *contract.Principal) {
	c := &struct {
		callContext
		p contract.Principal
	}{callContext{Context: ctx, tool: l.Tool, id: l.ID, forgetter: l.Forgetter}, p}
	c.principal = &c.p
	c.args.Store(l.Args)
	return &c.callContext, &c.p
}

// NoteArguments adds the arguments to the context of a call. The lines in the
// log can then be redacted.
func NoteArguments(ctx context.Context, args *bound.Arguments) {
	if c, ok := ctx.(*callContext); ok {
		c.args.Store(args)
	}
}

// From returns the call that a context belongs to.
func From(ctx context.Context) Call {
	if c, ok := ctx.Value(callKey{}).(*callContext); ok {
		return Call{c.tool, c.id, c.args.Load(), c.forgetter}
	}
	return Call{}
}

// PrincipalFrom returns the principal of the call that a context belongs to. It
// is nil outside a call.
func PrincipalFrom(ctx context.Context) *contract.Principal {
	p, _ := ctx.Value(principalKey{}).(*contract.Principal)
	return p
}

// ForgetterFrom returns what forgets outcomes for the call that a context
// belongs to. It is nil outside a call.
func ForgetterFrom(ctx context.Context) Forgetter {
	f, _ := ctx.Value(forgetterKey{}).(Forgetter)
	return f
}
