package records

import (
	"context"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/store"
)

// claimFor returns the call's request to the store. A call that can ask what
// became of an earlier one asks before it takes that one's record.
func (r *Records) claimFor(e *CallEntry, owner store.Owner) store.Claim {
	return store.Claim{
		Key: e.ID(), Owner: owner, Fingerprint: r.fingerprint(e, 0),
		Lease: r.ledger.Lease(), Retention: r.recordTTL(e), Nonce: e.Nonce(),
		Rerun: e.reruns() && !e.reconciles(),
	}
}

// find returns the record of the call. If a process died while it was giving up
// the record, find finishes that.
func (r *Records) find(ctx context.Context, e *CallEntry) (store.Record, error) {
	record, err := r.ledger.Get(ctx, e.ID())
	if err != nil || record.State != store.InProgress || record.LeaseLeft > 0 || e.executionOf(record).Ending == 0 {
		return record, err
	}
	if err := r.leaveUnknown(ctx, e.ID(), record, e.Retention()); err != nil {
		return store.Record{}, err
	}
	return r.ledger.Get(ctx, e.ID())
}

// leaveUnknown records in the name of an abandoned execution that its outcome
// is unknown. The execution may still complete it.
func (r *Records) leaveUnknown(ctx context.Context, key store.Key, record store.Record, retention time.Duration) error {
	err := r.ledger.Complete(ctx, store.Completion{Key: key, Owner: record.Owner, State: store.Unknown, Retention: retention})
	if errors.Is(err, store.ErrLost) { // another execution holds the record, as its reader will see
		return nil
	}
	return err
}
