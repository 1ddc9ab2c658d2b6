package consent

import (
	"cmp"
	"context"

	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/store"
)

// This file remembers declined questions. The store counts each one for the
// time of guard.Times.DeclineMemory, however the person was asked. Until then
// nobody is asked about the same call again. After several declined calls of
// one tool by one principal, nobody is asked about any call of that tool by
// that principal. Nothing is remembered for anonymous callers, because one of
// them could lock out the others.
//
// A ruling that declined a call counts for the same time. A full store forgets
// counts but never records, so a caller cannot get the question asked again by
// filling the store. After that time the question is over, even if it has not
// expired, and a new one is asked.
//
// A count ends that long after its first declined call, whatever follows; see
// the rule window of store.Store. So the three declined calls of a tool must
// all fall within that time.

// maxDeclines is the number of declined calls of a tool after which nobody is
// asked about it.
const maxDeclines = 3

const kindDeclined = "declined"

const declinedLately = "a person declined this call, or several of this tool, a short while ago"

// A topic distinguishes the question whether a call may run from the request to
// authenticate for it, and from the questions of its handler. Declining one does
// not decline the others.
type topic string

const (
	aboutCall   topic = ""
	aboutStepUp topic = "step-up\x00"
	aboutInput  topic = "input\x00"
)

// RefuseInput refuses the question of a handler if a person recently declined
// one of the same call, or of several calls of the tool.
func (svc *Service) RefuseInput(ctx context.Context, c Subject) *answer.Refusal {
	if was, _ := (&round{service: svc, call: &c}).wasDeclined(ctx, aboutInput, holds); was {
		return refuseDeclined(declinedLately)
	}
	return nil
}

// InputDeclined remembers that a person declined a question of the handler.
func (svc *Service) InputDeclined(ctx context.Context, c Subject) {
	r := &round{service: svc, call: &c}
	r.rememberDeclined(ctx, aboutInput)
}

// declinedKeys returns the keys under which a declined question is remembered:
// one for the call, one for its tool.
func declinedKeys(scope store.Scope, of topic, arguments string) [2]store.Key {
	return [2]store.Key{scope.Key(string(of) + "declined\x00" + arguments), scope.Key(string(of) + "declines")}
}

// wasDeclined reports whether a person declined this call within the memory, or,
// if a person is demanded now, maxDeclines calls of the tool. The error is that of
// a store that cannot be read. A person is then asked.
func (r *round) wasDeclined(ctx context.Context, of topic, demanded truth) (bool, error) {
	var unread error
	for i, key := range declinedKeys(r.call.Scope, of, r.call.exactArguments()) {
		if r.anonymous() || i > 0 && demanded != holds {
			break
		}
		count, err := r.service.Ledger.Max(context.WithoutCancel(ctx), key)
		if err == nil && count.Highest >= [2]int64{1, maxDeclines}[i] {
			return true, nil
		}
		unread = cmp.Or(unread, err)
	}
	return false, unread
}

// rememberDeclined remembers that the call was declined, unless its caller is
// anonymous.
func (r *round) rememberDeclined(ctx context.Context, of topic) {
	if r.anonymous() {
		return
	}
	for _, key := range declinedKeys(r.call.Scope, of, r.call.exactArguments()) {
		if err := r.service.countDeclined(context.WithoutCancel(ctx), key); err != nil {
			r.call.Journal.Note(err)
		}
	}
}

// countDeclined counts a declined question under one of its keys.
func (svc *Service) countDeclined(ctx context.Context, key store.Key) error {
	_, err := svc.Ledger.Add(ctx, key, kindDeclined, svc.DeclineMemory)
	return err
}
