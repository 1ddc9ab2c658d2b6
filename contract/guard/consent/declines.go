package consent

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/contract/store"
)

// A declined question is remembered for the time of guard.WithDeclineMemory:
// the same call is not asked about again, and a principal that declined several
// calls of a tool is not asked about that tool. Anonymous callers have no
// memory, because one of them could lock out others.
//
// Both places below use that one duration. countDecline counts every declined
// question in the store. rulingCounts decides how long an approver's ruling in
// a stored question declines the call, measured from the ruling. Change them
// together: otherwise one of them refuses a call that the other would ask
// about.
//
// A count ends one duration after its first decline, whatever follows; see the
// window of store.Store. So the three declined calls of a tool are those since
// the first of them.

// maxDeclines is how many declined calls of a tool end the questions about it.
const maxDeclines = 3

// kindDeclined is the kind of thing that is counted.
const kindDeclined = "declined"

const declinedLately = "a person declined this call, or several of this tool, a short while ago"

// A topic is what a person is asked: whether a call may happen, or to
// authenticate for it. Declining one does not decline the other.
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

// wasDeclined reports whether a person declined this call lately, or enough
// others of the tool. If that cannot be read, the question is asked.
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

// rulingCounts reports whether a ruling that declined a call still counts.
func (d *Desk) rulingCounts(r *Ruling) bool { return time.Since(r.At) < d.DeclineMemory }

// countDecline counts a declined call, whose caller must not be anonymous. It
// returns the first error, and goes on after it.
func (d *Desk) countDecline(ctx context.Context, scope store.Scope, about topic, arguments string) error {
	var first error
	for _, key := range declinedKeys(scope, about, arguments) {
		if _, err := d.Ledger.Add(ctx, key, kindDeclined, d.DeclineMemory); err != nil && first == nil {
			first = err
		}
	}
	return first
}
