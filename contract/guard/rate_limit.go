package guard

import (
	"context"
	"math"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/ratelimit"
	"github.com/toolcontract/toolcontract/contract/store"
)

// charge counts the call against its limits: the caller's, and that of all
// callers where the contract has one. The answer to a question that was paid for
// is not charged again, once.
func (c *call) charge() *Result {
	own, all := c.buckets()
	if c.redeem(own) {
		return nil
	}
	c.charged = true
	buckets := append([]ratelimit.Bucket{own}, all...)
	if c.entry.auditOnly[clauseRateLimit] {
		if wait, err := c.set.guard.take(c.ctx, own); err != nil || wait > 0 {
			c.cause = err
			c.waives(clauseRateLimit)
		}
		buckets = all // which are kept
	}
	if len(buckets) == 0 {
		return nil
	}
	wait, err := c.set.guard.take(c.ctx, buckets...)
	switch {
	case err != nil:
		c.cause = err
		return c.refuseLater(contract.CodeUnavailable, "it cannot be found out how often the tool was called", unavailableDelay)
	case wait > 0:
		return c.refuseLater(contract.CodeRateLimitExceeded, "", wait)
	}
	return nil
}

// take queries the limiter, contained, in concurrency slots of its own, so that a
// slow limiter does not delay authentication. A [ratelimit.Memory] does not block
// and needs no goroutine.
func (g *Guard) take(ctx context.Context, buckets ...ratelimit.Bucket) (time.Duration, error) {
	ctx = context.WithoutCancel(ctx)
	if own, ok := g.limiter.(*ratelimit.Memory); ok {
		return own.Take(ctx, buckets...)
	}
	ctx, cancel := context.WithTimeout(ctx, authorTimeout)
	defer cancel()
	return contain.Call(ctx, g.limiting, func(ctx context.Context) (time.Duration, error) { return g.limiter.Take(ctx, buckets...) })
}

// buckets are what the call counts against, the caller's and those of all callers,
// by names that tell nothing of who calls.
func (c *call) buckets() (own ratelimit.Bucket, all []ratelimit.Bucket) {
	rate := c.set.guard.rate
	if r := c.entry.doc.RateLimit; r != nil {
		rate = callRate{r.Calls, time.Duration(r.PerSeconds) * time.Second}
	}
	own = ratelimit.Bucket{Name: c.scope().Key("rate").ID.String(), Calls: rate.calls, Per: rate.per}
	if r := c.entry.doc.TotalRateLimit; r != nil {
		of := store.Scope{Namespace: c.set.guard.ledger.namespace, Tool: c.entry.doc.Name}
		all = []ratelimit.Bucket{{Name: of.Key("total rate").ID.String(), Calls: r.Calls, Per: time.Duration(r.PerSeconds) * time.Second}}
	}
	return own, all
}

const (
	// roundsPaid is how many rounds of a question a limit pays for, with what it
	// lets through, before they are charged: a credit that was spent is looked up
	// in the store.
	roundsPaid = 10
	// creditSkew is for how long after a state expires it is remembered that its
	// credit was spent.
	creditSkew = time.Minute
)

// redeem reports whether the round was paid for by the one that asked, and uses
// that up. Where it cannot be found out the round is charged.
func (c *call) redeem(own ratelimit.Bucket) bool {
	s := c.state
	if s == nil || s.Credit == "" || s.Principal != c.principalDigest() || c.isExpired() {
		return false
	}
	g := c.set.guard
	rounds := ratelimit.Bucket{Name: own.Name + " rounds", Calls: roundsPaid * min(own.Calls, math.MaxInt/roundsPaid), Per: own.Per}
	if wait, err := g.take(c.ctx, rounds); err != nil || wait > 0 {
		return false
	}
	credit := store.Nonce{Key: c.scope().Key("credit\x00" + s.Credit), TTL: time.Until(time.UnixMilli(s.Expires)) + creditSkew}
	first, err := ask(c.ctx, g.ledger, func(ctx context.Context) (bool, error) {
		return g.ledger.store.Spend(ctx, credit, store.NewOwner())
	})
	return err == nil && first
}
