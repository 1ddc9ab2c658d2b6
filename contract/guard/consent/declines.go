package consent

import (
	"context"

	"github.com/toolcontract/toolcontract/contract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/contract/store"
)

// This file has the memory of declined questions. The store counts each
// declined question for the time of guard.WithDeclineMemory, however the person
// was asked. Until then no person is asked about the same call again. After
// several declined calls of one tool by one principal, no person is asked about
// any call of that tool by that principal. Nothing is remembered for anonymous
// callers, because one of them could lock out others.
//
// A ruling that declined a call counts for the same time, because a full store
// forgets counts and never forgets records: a caller that fills the store does
// not get the question asked again. After that time the question is over, even
// if it has not expired, and a new one is asked.
//
// A count ends one duration after its first declined call, whatever follows;
// see the rule window of store.Store. So the three declined calls of a tool
// must all fall into one such duration.

// maxDeclines is how many declined calls of a tool end the questions about it.
const maxDeclines = 3

// kindDeclined is the kind of event that is counted.
const kindDeclined = "declined"

const declinedLately = "a person declined this call, or several of this tool, a short while ago"

// A topic distinguishes the question whether a call may happen from the request
// to authenticate for it. Declining one does not decline the other.
type topic string

const (
	aboutCall   topic = ""
	aboutStepUp topic = "step-up\x00"
)

// declinedKeys returns the keys under which a declined question is remembered:
// one for the call, one for its tool.
func declinedKeys(scope store.Scope, about topic, arguments string) [2]store.Key {
	return [2]store.Key{scope.Key(string(about) + "declined\x00" + arguments), scope.Key(string(about) + "declines")}
}

// wasDeclined reports whether a person declined this call, or maxDeclines calls
// of the tool, within the memory. If the store cannot be read, the person is
// asked.
func (r *round) wasDeclined(ctx context.Context, about topic) bool {
	if r.anonymous() {
		return false
	}
	for i, key := range declinedKeys(r.call.Scope, about, r.call.exactArguments()) {
		enough := [2]int64{1, maxDeclines}[i]
		count, err := r.desk.Ledger.Max(context.WithoutCancel(ctx), key)
		if err == nil && count >= enough {
			return true
		}
	}
	return false
}

// rememberDeclined remembers that this call was declined, unless its caller is
// anonymous.
func (r *round) rememberDeclined(ctx context.Context, about topic) {
	if r.anonymous() {
		return
	}
	err := r.desk.countDecline(context.WithoutCancel(ctx), r.call.Scope, about, r.call.exactArguments())
	if err != nil {
		r.call.Pipeline.Note(err)
	}
}

// rememberRuling remembers that a person declined a question outside the
// client. The question counts once for the tool, even if several people decline
// it at once. Its caller is never anonymous, because no person is asked for
// anonymous callers.
func (d *Desk) rememberRuling(ctx context.Context, q *storedQuestion) error {
	scope := d.scopeOf(q)
	keys := declinedKeys(scope, aboutCall, q.Arguments)
	_, err := d.Ledger.Add(ctx, keys[0], kindDeclined, d.DeclineMemory)
	first := false
	if err == nil {
		once := store.Nonce{Key: scope.Key("declined question\x00" + q.ID), TTL: d.outlasting(q.Expires)}
		first, err = d.Ledger.Spend(ctx, once, store.NewOwner())
	}
	if first {
		_, err = d.Ledger.Add(ctx, keys[1], kindDeclined, d.DeclineMemory)
	}
	if err != nil {
		return ledger.Unavailable("it cannot be recorded", err)
	}
	return nil
}

// countDecline counts a declined call, whose caller must not be anonymous. It
// continues after an error and returns the first one.
func (d *Desk) countDecline(ctx context.Context, scope store.Scope, about topic, arguments string) error {
	var first error
	for _, key := range declinedKeys(scope, about, arguments) {
		if _, err := d.Ledger.Add(ctx, key, kindDeclined, d.DeclineMemory); err != nil && first == nil {
			first = err
		}
	}
	return first
}
