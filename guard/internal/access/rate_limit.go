package access

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/store"
)

// charge counts the call against its limits: the caller's, and that of all
// callers if the contract has one. A call that answers a question is free, once
// for each question that was charged.
func (g *Gate) charge(ctx context.Context, a *Arrival) (charged bool, refused *answer.Refusal) {
	own := g.ownBucket(a)
	if g.redeem(ctx, a, own) {
		return false, nil
	}
	var room [2]store.Bucket
	enforced := room[:0]
	if !a.Tool.AuditOnly[facts.ClauseRateLimit] {
		enforced = append(enforced, own)
	} else if wait, err := g.take(ctx, own); err != nil || wait > 0 {
		a.Journal.Blame(err)
		a.Journal.Waives(facts.ClauseRateLimit)
	}
	if r := a.Tool.Doc.TotalRateLimit; r != nil {
		name := g.ledger.Scope("", "", "", a.Tool.Identity).Key("total rate").ID.String()
		enforced = append(enforced, store.Bucket{Name: name, Calls: r.Calls, Per: r.Per})
	}
	if len(enforced) == 0 {
		return true, nil
	}
	wait, err := g.take(ctx, enforced...)
	switch {
	case err != nil:
		return true, answer.Unavailable("the rate limit cannot be checked now").Because(err)
	case wait > 0:
		return true, answer.Later(contract.CodeRateLimitExceeded, "", wait)
	}
	return true, nil
}

// take calls the limiter, contained. A limiter in memory never blocks, so it
// needs no goroutine.
func (g *Gate) take(ctx context.Context, buckets ...store.Bucket) (time.Duration, error) {
	if own, ok := g.Limiter.(*store.MemoryLimiter); ok {
		return own.Take(context.Background(), buckets...)
	}
	kept := slices.Clone(buckets) // the limiter may keep them
	return contain.Author(ctx, g.limiting, func(ctx context.Context) (time.Duration, error) {
		return g.Limiter.Take(ctx, kept...)
	})
}

// ownBucket returns the bucket of the caller. Its name does not reveal the
// caller.
func (g *Gate) ownBucket(a *Arrival) store.Bucket {
	rate := g.Rate
	if r := a.Tool.Doc.RateLimit; r != nil {
		rate = CallRate{r.Calls, r.Per}
	}
	return store.Bucket{Name: a.Tool.RateBucket(&a.Scope), Calls: rate.Calls, Per: rate.Per}
}

const (
	// roundsPaid is the number of unpaid rounds for each call that a limit
	// allows. Further rounds are charged, because each unpaid round costs a
	// query of the store.
	roundsPaid = 10
	// creditSkew is how long a spent credit is remembered after its state
	// expires.
	creditSkew = time.Minute
)

// redeem reports whether the round that asked the question has paid for this
// round, and spends that credit. If the store cannot be queried, the round is
// charged.
func (g *Gate) redeem(ctx context.Context, a *Arrival, own store.Bucket) bool {
	s := a.State
	if s == nil || s.Credit == "" || s.Principal != consent.PrincipalDigest(a.Scope) || s.IsExpired(a.Tool.Digest(), time.Now()) {
		return false
	}
	rounds := store.Bucket{Name: own.Name + " rounds", Calls: roundsPaid * min(own.Calls, math.MaxInt/roundsPaid), Per: own.Per}
	if wait, err := g.take(ctx, rounds); err != nil || wait > 0 {
		return false
	}
	credit := store.Nonce{Key: a.Scope.Key("credit\x00" + s.Credit), TTL: time.Until(time.UnixMilli(s.Expires)) + creditSkew}
	first, err := g.ledger.Spend(ctx, credit, store.NewOwner())
	return err == nil && first
}
