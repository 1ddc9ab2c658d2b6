package guard

import "context"

// A callContext is the context of a call, with what the guard knows about the
// call. It does not change, because a function of an author may outlive its
// call.
type callContext struct {
	context.Context

	logged    logged
	principal *Principal // nil: that of the parent, such as an enclosing call's
}

// The keys of the values of a callContext.
type (
	loggedKey    struct{}
	principalKey struct{}
)

// Value implements [context.Context]. Its values are pointers.
func (c *callContext) Value(key any) any {
	switch {
	case key == loggedKey{}:
		return &c.logged
	case key == principalKey{} && c.principal != nil:
		return c.principal
	}
	return c.Context.Value(key)
}

// next returns a copy of the context of a call, or a new one around ctx.
func next(ctx context.Context) callContext {
	if c, ok := ctx.(*callContext); ok {
		return *c
	}
	return callContext{Context: ctx, logged: loggedFrom(ctx)}
}

// withLogged returns a context whose lines in the log name the call.
func withLogged(ctx context.Context, l logged) context.Context {
	c := next(ctx)
	c.logged = l
	return &c
}

// withCaller returns a context with a copy of the principal of its call, and a
// pointer to that copy. An anonymous principal hides the principal of an
// enclosing call.
func withCaller(ctx context.Context, p Principal) (context.Context, *Principal) {
	c := struct {
		callContext
		p Principal
	}{next(ctx), p}
	c.principal = &c.p
	return &c.callContext, &c.p
}

func loggedFrom(ctx context.Context) logged {
	if l, ok := ctx.Value(loggedKey{}).(*logged); ok {
		return *l
	}
	return logged{}
}
