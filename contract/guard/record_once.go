package guard

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

var errRecorded = errors.New("guard: it was recorded before")

// recordOnce keeps what a person did outside of a call: the first word counts, on
// whichever replica. The error is errRecorded, or wraps [ErrUnavailable].
func (g *Guard) recordOnce(ctx context.Context, key store.Key, what string, result []byte, retention time.Duration) error {
	l := g.ledger
	retention = max(l.brief(), retention)
	claim := store.Claim{
		Key: key, Owner: store.NewOwner(), Fingerprint: store.Fingerprint([]byte(what)), Lease: l.brief(), Retention: retention,
	}
	answer, err := ask(ctx, l, func(ctx context.Context) (store.ClaimResult, error) { return l.store.Claim(ctx, claim) })
	switch {
	case err != nil:
		return unavailable("it cannot be recorded", err)
	case answer.Status == store.Running:
		return unavailable("it is being recorded", nil)
	case answer.Status != store.Claimed:
		return errRecorded
	}
	done := store.Completion{Key: key, Owner: claim.Owner, State: store.Completed, Result: result, Retention: retention}
	err = l.tell(ctx, func(ctx context.Context) error { return l.store.Complete(ctx, done) })
	switch {
	case errors.Is(err, store.ErrLost):
		return errRecorded
	case err != nil:
		return unavailable("it may not have been recorded", err)
	}
	return nil
}
