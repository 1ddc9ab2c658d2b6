package adapter

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/exchange"
)

// A Request is one tools/call without the tool's name. The zero value is a call
// without arguments from a client that can do nothing.
type Request struct {
	// Arguments is the raw JSON of the arguments, byte for byte as it was sent.
	// Nil: none.
	Arguments json.RawMessage
	// Meta is the _meta of the request as it was sent, including its
	// progressToken. Wrapped handlers get it. Nil: none.
	Meta map[string]any
	// Client says what the client can do.
	Client Client
	// Progress receives what the handler reports; see [Progress]. Nil drops it.
	// It must not block. It is not called after the call is answered.
	Progress func(done, total float64, note string)
	// Task means that the caller requested a task. Such a call is refused.
	// Requests of a Modern client have no such member, so Task is ignored for
	// them.
	Task bool
	// Isolate runs the handler on another goroutine even if no timeout is
	// declared, so that a handler that calls runtime.Goexit does not end the
	// goroutine of Call. Set it if that goroutine serves other requests too.
	Isolate bool
	// Caller tells anonymous callers apart for a [Belt]: the subject of a token,
	// or else the session, or else the connection. Empty: none of them is known,
	// and all such callers share their limits.
	Caller string
	// HTTP is the context of the HTTP request that the call came with, for
	// [KeepAlive]. Nil means the context of Call. SDKs can give handlers that of
	// the session's first request.
	HTTP context.Context //nolint:containedctx // it is not that of the call
}

// Call runs one call through the guard. e is an entry of t, or of a table that
// t was made from with [Table.With]. The context has the [Caller].
//
// Every refusal is a CallResult. The error is [guard.ErrUnknownTool] if the
// tool does not exist for the caller: the adapter answers exactly as for a name
// that t does not have, and does not call [Table.Unknown]. An [RPCError] comes
// from the handler. Any other error, such as that of a state that belongs to
// another call, becomes a JSON-RPC error with the error's text.
func (t *Table) Call(ctx context.Context, e *Entry, r Request) (*CallResult, error) {
	t.warnOfMemory(ctx)
	callBegins(cmp.Or(r.HTTP, ctx))
	request := exchange.Request{
		Client:         r.Client.forGuard(e.HasRounds()),
		Tool:           e.called,
		Arguments:      r.Arguments,
		IdempotencyKey: sentKey(r.Meta),
		Task:           r.Task && !r.Client.Modern,
		Isolate:        r.Isolate,
		Progress:       r.Progress,
		Server:         t.server,
		Listed:         t.listed,
	}
	ctx = withMeta(ctx, r.Meta)
	result, err := t.operations.Call(ctx, request)
	for err == nil && result.WhileWaiting != nil {
		request.State = result.State
		if request.Answers, err = e.fulfil(ctx, r.Client.Send, result); err == nil {
			result, err = t.operations.Call(ctx, request)
		}
	}
	if err != nil {
		return nil, err
	}
	if result.RPC != nil {
		return nil, result.RPC
	}
	t.names.translate(&result.Outcome, e)
	if result.IsError {
		result.Text = t.names.in(result.Text)
	}
	return t.answer(result, r.Client.Modern)
}

// Unknown audits a call to a name that the table does not have or that the SDK
// refused. The name may be empty.
func (t *Table) Unknown(ctx context.Context, name string) { t.operations.UnknownTool(ctx, name) }

// Unparsable audits a call whose parameters could not be read.
func (t *Table) Unparsable(ctx context.Context) { t.operations.Unparsable(ctx) }

// sentKey returns the idempotency key that the client sent. A key that is not a
// string becomes the empty key, which is never valid.
func sentKey(meta map[string]any) *string {
	sent, ok := meta[contract.MetaKeyIdempotencyKey]
	if !ok {
		return nil
	}
	key, _ := sent.(string)
	return &key
}

// metaKey is the context key of a call's _meta, for wrapped handlers.
type metaKey struct{}

func withMeta(ctx context.Context, meta map[string]any) context.Context {
	if meta == nil {
		return ctx
	}
	return context.WithValue(ctx, metaKey{}, meta)
}

func metaFrom(ctx context.Context) map[string]any {
	meta, _ := ctx.Value(metaKey{}).(map[string]any)
	return meta
}
