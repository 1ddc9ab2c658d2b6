// Package callctx holds what the context of a call carries: which call it is,
// its principal, and what its handler may use.
package callctx

import (
	"context"
	"sync/atomic"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/operation"
)

// Values describes the call that a context belongs to. The zero value describes
// none.
type Values struct {
	Tool *facts.ProtectedTool
	ID   string           // the id of the call in the audit log
	Args *bound.Arguments // nil before they were read
	// Records are those of the caller's earlier calls. Nil: those of the
	// enclosing call, if there is one.
	Records Records
}

// Records are what is known about a caller's earlier calls.
type Records interface {
	// Forget forgets the outcome of a call of a tool, which it finds by its key.
	Forget(ctx context.Context, tool string, key any) error
	// LookUp returns the status of an operation, which it finds by its ID.
	LookUp(ctx context.Context, id string) (operation.Status, error)
}

// A callContext is the context of a call. An author's function may outlive its
// call, so the context never changes, except that [NoteArguments] adds the
// arguments.
type callContext struct {
	context.Context

	tool      *facts.ProtectedTool
	id        string
	args      atomic.Pointer[bound.Arguments]
	principal *contract.Principal // nil: that of the enclosing call, if there is one
	records   Records             // nil: the same
}

// The keys of a callContext's values.
type (
	callKey      struct{}
	principalKey struct{}
	recordsKey   struct{}
)

// Value implements [context.Context]. It returns pointers, so that reading a
// value allocates nothing.
func (c *callContext) Value(key any) any {
	switch {
	case key == callKey{}:
		return c
	case key == principalKey{} && c.principal != nil:
		return c.principal
	case key == recordsKey{} && c.records != nil:
		return c.records
	case bound.IsRoundKey(key):
		return nil
	}
	return c.Context.Value(key)
}

// With returns a context that belongs to the call. It keeps the principal and
// the records of ctx.
func With(ctx context.Context, v Values) context.Context {
	c := &callContext{Context: ctx, tool: v.Tool, id: v.ID}
	c.args.Store(v.Args)
	return c
}

// WithPrincipal returns a context that belongs to a principal's call, and a
// pointer to the context's copy of the principal. An anonymous principal hides
// that of an enclosing call.
func WithPrincipal(ctx context.Context, v Values, p contract.Principal) (context.Context, *contract.Principal) {
	c := &struct {
		callContext
		p contract.Principal
	}{callContext{Context: ctx, tool: v.Tool, id: v.ID, records: v.Records}, p}
	c.principal = &c.p
	c.args.Store(v.Args)
	return &c.callContext, &c.p
}

// NoteArguments adds the arguments to the context of a call, so that the
// operator log can redact them.
func NoteArguments(ctx context.Context, args *bound.Arguments) {
	if c, ok := ctx.(*callContext); ok {
		c.args.Store(args)
	}
}

// From returns the values of the call that a context belongs to.
func From(ctx context.Context) Values {
	if c, ok := ctx.Value(callKey{}).(*callContext); ok {
		return Values{c.tool, c.id, c.args.Load(), c.records}
	}
	return Values{}
}

// PrincipalFrom returns the principal of the call that a context belongs to, or
// nil outside a call.
func PrincipalFrom(ctx context.Context) *contract.Principal {
	p, _ := ctx.Value(principalKey{}).(*contract.Principal)
	return p
}

// RecordsFrom returns the [Records] of the call that a context belongs to,
// or nil outside a call.
func RecordsFrom(ctx context.Context) Records {
	f, _ := ctx.Value(recordsKey{}).(Records)
	return f
}
