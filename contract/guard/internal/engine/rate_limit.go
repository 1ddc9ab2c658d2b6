package engine

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/contract/ratelimit"
	"github.com/toolcontract/toolcontract/contract/store"
)

// charge counts the call against its limits: the caller's, and that of all
// callers if the contract has one. A call that answers a question is not
// charged, once for each charged question.
func charge(who identified, state *consent.State) (charged bool, refused *answer.Refusal) {
	own, all := who.buckets()
	if redeem(who, state, own) {
		return false, nil
	}
	buckets := append([]ratelimit.Bucket{own}, all...)
	if who.tool.AuditOnly[facts.ClauseRateLimit] {
		if wait, err := who.engine.limit(who.ctx, own); err != nil || wait > 0 {
			who.log.Blame(err)
			who.waives(facts.ClauseRateLimit)
		}
		buckets = all // the buckets that are enforced
	}
	if len(buckets) == 0 {
		return true, nil
	}
	wait, err := who.engine.limit(who.ctx, buckets...)
	switch {
	case err != nil:
		return true, answer.Unavailable("the rate limit cannot be checked now").Because(err)
	case wait > 0:
		return true, answer.Later(contract.CodeRateLimitExceeded, "", wait)
	}
	return true, nil
}

// limit calls the limiter, contained. It has its own slots, so that a slow
// limiter does not block principal functions. A limiter in memory does not
// block and needs no goroutine.
func (g *Engine) limit(ctx context.Context, buckets ...ratelimit.Bucket) (time.Duration, error) {
	if own, ok := g.config.Limiter.(*ratelimit.Memory); ok {
		return own.Take(context.Background(), buckets...)
	}
	kept := slices.Clone(buckets) // the limiter may keep them
	return contain.Author(ctx, g.limiting, func(ctx context.Context) (time.Duration, error) {
		return g.config.Limiter.Take(ctx, kept...)
	})
}

// buckets returns the buckets that the call counts against: that of the caller,
// and that of all callers if there is one. Their names do not disclose the
// caller.
func (who *identified) buckets() (own ratelimit.Bucket, all []ratelimit.Bucket) {
	d, rate := &who.tool.Doc, who.engine.config.Rate
	if r := d.RateLimit; r != nil {
		rate = CallRate{r.Calls, r.Per}
	}
	own = ratelimit.Bucket{Name: who.bucketName(), Calls: rate.Calls, Per: rate.Per}
	if r := d.TotalRateLimit; r != nil {
		of := who.engine.ledger.Scope("", "", "", d.Name)
		all = []ratelimit.Bucket{{Name: of.Key("total rate").ID.String(), Calls: r.Calls, Per: r.Per}}
	}
	return own, all
}

// A bucketName is the name of a caller's bucket.
type bucketName struct {
	scope store.Scope
	name  string
}

// bucketName returns the name of the caller's bucket. It keeps the last one of
// the tool, because a caller often calls a tool again.
func (who *identified) bucketName() string {
	scope := who.scope()
	if last := who.tool.lastBucket.Load(); last != nil && last.scope == scope {
		return last.name
	}
	name := scope.Key("rate").ID.String()
	who.tool.lastBucket.Store(&bucketName{scope, name})
	return name
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
func redeem(who identified, s *consent.State, own ratelimit.Bucket) bool {
	if s == nil || s.Credit == "" || s.Principal != who.principalDigest() || s.IsExpired(who.tool.Digest, time.Now()) {
		return false
	}
	rounds := ratelimit.Bucket{Name: own.Name + " rounds", Calls: roundsPaid * min(own.Calls, math.MaxInt/roundsPaid), Per: own.Per}
	if wait, err := who.engine.limit(who.ctx, rounds); err != nil || wait > 0 {
		return false
	}
	credit := store.Nonce{Key: who.scope().Key("credit\x00" + s.Credit), TTL: time.Until(time.UnixMilli(s.Expires)) + creditSkew}
	first, err := who.engine.ledger.Spend(who.ctx, credit, store.NewOwner())
	return err == nil && first
}
