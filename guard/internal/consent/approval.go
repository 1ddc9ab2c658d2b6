package consent

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/store"
)

// maxPending bounds the questions about one principal's calls, counted since a
// person last decided one or since the first of them would have expired.
const maxPending = 10

// The kinds of events that are counted for approvals.
const (
	kindQuestion = "question"
	kindSpent    = "spent"
)

// An outsideQuestion is the question about a call outside the client, if there
// is one, and its key in the store.
type outsideQuestion struct {
	key      store.Key
	question *storedQuestion
	address  string // where a person decides, if the approver was notified; empty: unknown
}

// lookOutside looks up the question about this call and its status.
func (r *round) lookOutside(ctx context.Context) (outsideQuestion, outsideStatus, *answer.Refusal) {
	ctx = context.WithoutCancel(ctx)
	svc := r.service
	key, err := r.approvalKey(ctx)
	if err != nil {
		return outsideQuestion{}, notLookedUp, cannotFindOut(err)
	}
	q := outsideQuestion{key: key}
	q.question, err = svc.findQuestion(ctx, key)
	switch {
	case errors.Is(err, errQuestionBusy):
		return q, askInProgress, nil
	case err != nil:
		return q, notLookedUp, cannotFindOut(err)
	case q.question == nil:
		return q, notAsked, nil
	case q.question.ID == r.superseded:
		return q, askInProgress, nil // the store has not counted it
	}
	ruling, err := svc.findRuling(ctx, key, q.question)
	switch {
	case err != nil:
		return q, notLookedUp, cannotFindOut(err)
	case ruling == nil:
		return q, undecided, nil
	case ruling.Approved:
		return q, approved, nil
	case time.Since(ruling.At) < svc.DeclineMemory:
		return q, rejected, nil
	}
	return q, lapsedRejection, nil
}

// approvalName identifies the call among those that an approver is asked about.
func (r *round) approvalName() string {
	c := r.call
	return "approval\x00" + c.Audience + "\x00" + c.Tool.Digest() + "\x00" + c.Terms + "\x00" + c.exactArguments()
}

// approvalKey returns the key of the question about this call. The key contains
// the number of questions that are over, so that the next question has another
// key.
func (r *round) approvalKey(ctx context.Context) (store.Key, error) {
	name := r.approvalName()
	spent, err := r.service.Ledger.Max(ctx, r.call.Scope.Key(name))
	return r.call.Scope.Key(name + "\x00" + strconv.FormatInt(spent.Highest, 10)), err
}

// askOutside asks the question, stores it under a key, and notifies the
// approver. If identical calls run at once, only one of them asks. The client
// can send its user to the page if sends is set.
func (r *round) askOutside(ctx context.Context, key store.Key, sends bool) (outsideQuestion, *answer.Refusal) {
	ctx = context.WithoutCancel(ctx)
	none := outsideQuestion{}
	text, refused := r.confirmQuestion(ctx)
	if refused != nil {
		return none, refused
	}
	svc, l := r.service, r.service.Ledger
	owner := store.NewOwner()
	claimed, err := l.Claim(ctx, store.Claim{
		Key: key, Owner: owner, Fingerprint: l.Fingerprint(key, r.call.Args.Canonical),
		Lease: l.ShortLease(), Retention: max(l.ShortLease(), svc.QuestionTTL),
	})
	switch {
	case err != nil:
		return none, cannotFindOut(err)
	case claimed.Status != store.Claimed:
		return none, refusePending("") // another call asks
	}
	free, err := svc.mayAsk(ctx, facts.NameOf(*r.call.Principal))
	if err != nil || !free {
		_ = l.Release(ctx, store.Release{Key: key, Owner: owner}) // its lease ends soon
		if err != nil {
			return none, cannotFindOut(err)
		}
		return none, answer.Later(contract.CodeUnavailable, "too many questions about this caller's calls wait for a person",
			answer.Person)
	}
	q := r.newQuestion(key, text)
	err = l.Complete(ctx, store.Completion{Key: key, Owner: owner, State: store.Completed, Result: svc.sealQuestion(key, q),
		Retention: svc.QuestionTTL})
	if err != nil {
		return none, cannotFindOut(err)
	}
	r.askedOutside = true
	address, refused := r.notify(ctx, q, sends)
	return outsideQuestion{key, q, address}, refused
}

// mayAsk counts a question, and reports whether the principal is within
// [maxPending].
func (svc *Service) mayAsk(ctx context.Context, p people.PrincipalName) (bool, error) {
	count, err := svc.Ledger.Add(ctx, svc.questionsOf(p), kindQuestion, svc.QuestionTTL)
	return count <= maxPending, err
}

func (svc *Service) questionsOf(p people.PrincipalName) store.Key {
	return svc.Ledger.Scope(p.Issuer, p.Tenant, p.Subject, "").Key("approvals")
}

// notify passes the question to the approver and returns the address at which a
// person decides. The client sends its user there if sends is set.
func (r *round) notify(ctx context.Context, q *storedQuestion, sends bool) (address string, refused *answer.Refusal) {
	waiting := q.PendingQuestion
	waiting.ClientSends = sends
	address, err := r.service.Pending(ctx, waiting)
	if err != nil {
		return "", answer.Later(contract.CodeUnavailable, "the person who must confirm cannot be asked now",
			answer.Person).Because(err)
	}
	if address != "" && !isAddress(address) {
		return "", refusePending("").Because(errors.New("the approver's address is not absolute, or not http"))
	}
	return address, nil
}

// notifyAgain passes the question of an earlier call to the approver, and
// returns the answer confirmation_pending.
func (r *round) notifyAgain(ctx context.Context, q *storedQuestion) *answer.Refusal {
	address, refused := r.notify(ctx, q, false)
	if refused != nil {
		return refused
	}
	return refusePending(address)
}

// refusePending refuses a call with confirmation_pending: a person was asked
// and has not decided.
func refusePending(address string) *answer.Refusal {
	answer := answer.Later(contract.CodeConfirmationPending, "", answer.Person)
	if address != "" {
		answer.Lines = []string{"The person decides at " + address}
		answer.URL = address
	}
	answer.Hint = "Show the user where to decide, then repeat exactly this call."
	return answer
}

// cannotFindOut refuses a call whose decision is unknown because the store
// cannot be read.
func cannotFindOut(err error) *answer.Refusal {
	return answer.Unavailable("the decision of a person about this call cannot be read").Because(err)
}

// grantOf returns the grant of an approved question. Claiming the call spends
// it, like the answer to a form.
func (svc *Service) grantOf(scope store.Scope, q *storedQuestion) Grant {
	return Grant{Nonce: questionNonce(scope, q.ID, svc.ttlBeyond(q.Expires)), CallID: q.CallID, approved: q}
}

func questionNonce(scope store.Scope, id string, ttl time.Duration) store.Nonce {
	return store.Nonce{Key: scope.Key("question\x00" + id), TTL: ttl}
}

// supersede changes the key for the next question about the same call, once for
// each question that is over. One call at a time counts the question, and only
// if it is still found, so that an identical call can finish what an
// interrupted one began.
func (r *round) supersede(ctx context.Context, q *storedQuestion) *answer.Refusal {
	ctx = context.WithoutCancel(ctx)
	l := r.service.Ledger
	claim := store.Claim{
		Key: r.call.Scope.Key("supersede\x00" + q.ID), Owner: store.NewOwner(), Fingerprint: store.Fingerprint([]byte(q.ID)),
		Lease: l.Lease(), Retention: l.Lease(),
	}
	claimed, err := l.Claim(ctx, claim)
	switch {
	case err != nil:
		return cannotFindOut(err)
	case claimed.Status != store.Claimed:
		return refusePending("") // another call makes room
	}
	err = r.countSuperseded(ctx, q)
	_ = l.Release(ctx, store.Release{Key: claim.Key, Owner: claim.Owner}) // its lease ends soon
	if err != nil {
		return cannotFindOut(err)
	}
	r.superseded = q.ID
	return nil
}

// countSuperseded counts a question that is over, unless it was counted before.
func (r *round) countSuperseded(ctx context.Context, q *storedQuestion) error {
	key, err := r.approvalKey(ctx)
	if err != nil {
		return err
	}
	latest, err := r.service.findQuestion(ctx, key)
	switch {
	case errors.Is(err, errQuestionBusy):
		return nil // the next one is being asked
	case err != nil:
		return err
	case latest == nil || latest.ID != q.ID:
		return nil
	}
	_, err = r.service.Ledger.Add(ctx, r.call.Scope.Key(r.approvalName()), kindSpent, 2*r.service.QuestionTTL)
	return err
}
