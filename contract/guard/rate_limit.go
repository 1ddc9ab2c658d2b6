package guard

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
)

// How often one principal may call one tool whose contract does not say,
// where [WithRateLimit] does not either.
const (
	DefaultRateCalls = 600
	DefaultRateTime  = time.Minute
)

// WithLimiter sets what counts calls against rate limits. Default: a
// [MemoryLimiter] of the guard's own, so that each process has its own limits.
// Where the limiter fails, or has no answer within 10 seconds, nothing runs.
func WithLimiter(l Limiter) Option {
	return optionFunc(func(g *Guard) error {
		if l == nil {
			return errors.New("guard: WithLimiter: the limiter is nil")
		}
		g.limiter = l
		return nil
	})
}

// WithRateLimit sets how often one principal may call one tool whose contract
// declares no limit: at most so many calls at once, given back evenly over per.
// Default: [DefaultRateCalls] in [DefaultRateTime], for servers must limit the
// rate of calls (MCP 2026-07-28, tools, security considerations). There is no way to have none.
// Anonymous callers of a tool share one limit, for nothing tells them apart.
func WithRateLimit(calls int, per time.Duration) Option {
	return optionFunc(func(g *Guard) error {
		if calls < 1 || per <= 0 {
			return errors.New("guard: WithRateLimit: the number of calls and their time must be positive")
		}
		g.rate = callRate{calls, per}
		return nil
	})
}

// A callRate is a limit without whose it is.
type callRate struct {
	calls int
	per   time.Duration
}

// charge counts the call against its limits: the caller's, and that of all
// callers where the contract has one. The answer to a question that was paid for
// is not charged again, once.
func (c *call) charge() *Result {
	if c.redeem() {
		return nil
	}
	wait, err := c.set.guard.take(c.ctx, c.buckets())
	switch {
	case err != nil:
		c.cause = err
		return c.refuseLater(contract.CodeUnavailable, "it cannot be found out how often the tool was called", unavailableDelay)
	case wait > 0 && !c.waives(clauseRateLimit):
		return c.refuseLater(contract.CodeRateLimitExceeded, "", wait)
	}
	c.charged = true
	return nil
}

// take asks the limiter, contained. The module's own neither blocks nor calls
// anybody, and needs no goroutine.
func (g *Guard) take(ctx context.Context, buckets []Bucket) (time.Duration, error) {
	if own, ok := g.limiter.(*MemoryLimiter); ok {
		return own.Take(context.WithoutCancel(ctx), buckets...)
	}
	return contained(ctx, g, func(ctx context.Context) (time.Duration, error) { return g.limiter.Take(ctx, buckets...) })
}

// buckets are what the call counts against, by names that tell nothing of who
// calls.
func (c *call) buckets() []Bucket {
	own := c.set.guard.rate
	if r := c.entry.doc.RateLimit; r != nil {
		own = callRate{r.Calls, time.Duration(r.PerSeconds) * time.Second}
	}
	buckets := []Bucket{{Name: c.scope().Key("rate").ID.String(), Calls: own.calls, Per: own.per}}
	if r := c.entry.doc.TotalRateLimit; r != nil {
		all := idempotency.Scope{Namespace: c.set.guard.ledger.namespace, Tool: c.entry.doc.Name}
		buckets = append(buckets, Bucket{Name: all.Key("total rate").ID.String(), Calls: r.Calls, Per: time.Duration(r.PerSeconds) * time.Second})
	}
	return buckets
}

// redeem reports whether the round was paid for by the one that asked, and uses
// that up. Where it cannot be found out the round is charged.
func (c *call) redeem() bool {
	s := c.state
	if s == nil || s.Credit == "" || s.Principal != c.principalDigest() || c.isStale() {
		return false
	}
	g := c.set.guard
	credit := idempotency.Nonce{Key: c.scope().Key("credit\x00" + s.Credit), TTL: g.outlasting(time.UnixMilli(s.Expires))}
	first, err := ask(c.ctx, g.ledger, func(ctx context.Context) (bool, error) {
		return g.ledger.nonces.Spend(ctx, credit, idempotency.NewOwner())
	})
	return err == nil && first
}
