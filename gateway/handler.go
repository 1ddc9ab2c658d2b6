package gateway

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/catalog"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

// The failures of a call that reached its server and got no answer.
var (
	// ErrInterrupted is for tools that are read-only or natively idempotent.
	ErrInterrupted = contract.Retryable("upstream_interrupted",
		"The server of the tool ended before it answered. The call can be repeated safely.")
	// ErrUnanswered is for all other tools. If the guard deduplicates their
	// calls, the code is outcome_unknown instead.
	ErrUnanswered = contract.Fatal("upstream_unanswered",
		"The server of the tool ended before it answered, so it is not known whether the call had its effect.").EffectPossible()
)

// The first and the last pause before a call that did not reach its server is
// sent again. Each pause is four times as long as the one before.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = 160 * time.Millisecond
)

// build returns the contract of an entry.
func (g *Gateway) build(e catalog.Entry) (*contract.Tool, error) {
	call := catalog.HandlerOf(g.upstreams[e.Server], e.Tool)
	mode := modeOf(e.Effective)
	failures := []*contract.Failure{catalog.ErrUnavailable}
	var lost func(cause error) error
	switch {
	case e.Effective.Effect == risk.ReadOnly || mode == idempotency.Native:
		failures = append(failures, ErrInterrupted)
		lost = func(cause error) error { return ErrInterrupted.Wrap(cause) }
	case mode == idempotency.Managed:
		lost = func(cause error) error { return adapter.Refusal(contract.CodeOutcomeUnknown, cause) }
	default:
		failures = append(failures, ErrUnanswered)
		lost = func(cause error) error { return ErrUnanswered.Wrap(cause) }
	}
	log := g.options.Logger.With("server", e.Server, "tool", e.Tool)
	return e.Contract(forward(call, lost, log), g.wrap).Failures(failures...).From(g.options.Base).Build()
}

// modeOf returns the idempotency mode, or None if there is none.
func modeOf(d contract.Document) idempotency.Mode {
	if d.Idempotency == nil {
		return idempotency.None
	}
	return d.Idempotency.Mode
}

// forward returns a handler that fails with lost if a call reached the server
// and got no answer. It sends a call that did not reach the server a few more
// times, because the server may just be starting. If a call gets no answer at
// first, the cause is logged.
func forward(call adapter.Handler, lost func(cause error) error, log *slog.Logger) adapter.Handler {
	return func(ctx context.Context, c adapter.HandlerCall) (*adapter.HandlerResult, error) {
		result, err := call(ctx, c)
		if _, isUnanswered := errors.AsType[*catalog.UnansweredError](err); isUnanswered || errors.Is(err, catalog.ErrUnavailable) {
			log.WarnContext(ctx, "gateway: a server did not answer a call", "error", errors.Unwrap(err))
		}
		for pause := firstPause; errors.Is(err, catalog.ErrUnavailable) && pause <= lastPause; pause *= 4 {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return nil, err
			}
			result, err = call(ctx, c)
		}
		if unanswered, ok := errors.AsType[*catalog.UnansweredError](err); ok {
			return nil, lost(unanswered)
		}
		return result, err
	}
}
