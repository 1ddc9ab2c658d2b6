package guard

import (
	"context"
	"sync/atomic"

	"github.com/toolcontract/toolcontract/contract/internal/bound"
)

// A callContext is the context of a call, with what the guard knows about the
// call. A function of an author may outlive its call, so nothing in it changes,
// except that Validate adds the arguments.
type callContext struct {
	context.Context

	tool      *protectedTool
	id        string                          // the id of the call in the audit log
	args      atomic.Pointer[bound.Arguments] // nil before Validate
	principal *Principal                      // nil: that of the parent, such as an enclosing call's
}

// The keys of the values of a callContext.
type (
	loggedKey    struct{}
	principalKey struct{}
)

// Value implements [context.Context]. Its values are pointers, so that reading
// one allocates nothing.
func (c *callContext) Value(key any) any {
	switch {
	case key == loggedKey{}:
		return c
	case key == principalKey{} && c.principal != nil:
		return c.principal
	}
	return c.Context.Value(key)
}

// withLogged returns a context whose lines in the log name the call.
func withLogged(ctx context.Context, l logged) context.Context {
	c := &callContext{Context: ctx, tool: l.tool, id: l.id}
	c.args.Store(l.args)
	return c
}

// withCaller returns a context whose lines in the log name the call, with a
// copy of the principal of the call, and a pointer to that copy. An anonymous
// principal hides the principal of an enclosing call.
func withCaller(ctx context.Context, l logged, p Principal) (context.Context, *Principal) {
	c := &struct {
		callContext
		p Principal
	}{callContext{Context: ctx, tool: l.tool, id: l.id}, p}
	c.principal = &c.p
	c.args.Store(l.args)
	return &c.callContext, &c.p
}

// noteArguments adds the arguments to the context of a call. The lines in the
// log can then be redacted.
func noteArguments(ctx context.Context, args *bound.Arguments) {
	if c, ok := ctx.(*callContext); ok {
		c.args.Store(args)
	}
}

func loggedFrom(ctx context.Context) logged {
	if c, ok := ctx.Value(loggedKey{}).(*callContext); ok {
		return logged{c.tool, c.id, c.args.Load()}
	}
	return logged{}
}
