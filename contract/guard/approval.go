package guard

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/store"
)

const (
	// pendingDelay is what a caller is told to wait for a person.
	pendingDelay = 5 * time.Second
	// maxPending is how many questions of one principal may have been asked since
	// a person last decided one, or since the first of them would have expired.
	maxPending = 10
	// maxAddress bounds what an approver returns, in bytes.
	maxAddress = 2 << 10
)

const (
	kindQuestion = "question"
	kindSpent    = "spent"
)

// demandsApprover reports whether no answer of the client's counts.
func (c *call) demandsApprover() bool {
	g := c.set.guard
	return !g.people.approverFrom.IsZero() && c.doc.Risk.AtLeast(g.people.approverFrom)
}

// approve finds out what a person decided about this call outside the client;
// nil: yes. Where nobody was asked yet it asks.
func (c *call) approve() *Result {
	if c.principal.IsAnonymous() {
		return c.refuse(contract.CodeConfirmationRequired, "a person must confirm this call, and is not asked for a caller who is not known")
	}
	key, err := c.approvalKey()
	if err != nil {
		return c.undecided(err)
	}
	ctx, g := context.WithoutCancel(c.ctx), c.set.guard
	q, err := g.findQuestion(ctx, key)
	switch {
	case errors.Is(err, errQuestionBusy):
		return c.pending("")
	case err != nil:
		return c.undecided(err)
	case q == nil:
		return c.askOutside(ctx, key)
	}
	decision, err := g.findDecision(ctx, key, q)
	switch {
	case err != nil:
		return c.undecided(err)
	case decision == nil:
		return c.notify(ctx, q)
	case !decision.Approved:
		return c.declined("")
	}
	c.approvedAs(q)
	return nil
}

// approvalKey is what the question about this call is found by. A call whose
// answer was spent is another question: they are counted.
func (c *call) approvalKey() (store.Key, error) {
	l := c.set.guard.ledger
	base := c.approvalName()
	spent, err := ask(context.WithoutCancel(c.ctx), l, func(ctx context.Context) (int64, error) { return l.store.Max(ctx, c.scope().Key(base)) })
	return c.scope().Key(base + "\x00" + strconv.FormatInt(spent, 10)), err
}

func (c *call) approvalName() string {
	return "approval\x00" + c.audience() + "\x00" + c.entry.tool.Digest() + "\x00" + c.terms() + "\x00" + c.exactArguments()
}

// askOutside puts the question. Of several equal calls at once one does.
func (c *call) askOutside(ctx context.Context, key store.Key) *Result {
	if refusal := c.cannotStepUp(); refusal != nil {
		return refusal
	}
	if c.saidNo(aboutCall) {
		return c.declined(declinedLately)
	}
	text, refusal := c.question(ctx)
	if refusal != nil {
		return refusal
	}
	g, l := c.set.guard, c.set.guard.ledger
	owner := store.NewOwner()
	claim := store.Claim{
		Key: key, Owner: owner, Fingerprint: store.Fingerprint(c.args.Canonical),
		Lease: l.brief(), Retention: max(l.brief(), g.people.questionTTL),
	}
	answer, err := ask(ctx, l, func(ctx context.Context) (store.ClaimResult, error) { return l.store.Claim(ctx, claim) })
	if err != nil {
		return c.undecided(err)
	}
	if answer.Status != store.Claimed {
		return c.pending("") // another call asks
	}
	free, err := g.mayAsk(ctx, c.principal)
	if err != nil || !free {
		_ = l.tell(ctx, func(ctx context.Context) error { return l.store.Release(ctx, key, owner) }) // its lease ends soon
		if err != nil {
			return c.undecided(err)
		}
		return c.refuseLater(contract.CodeUnavailable, "too many questions about this caller's calls wait for a person", pendingDelay)
	}
	q := c.newQuestion(key, text)
	done := store.Completion{Key: key, Owner: owner, State: store.Completed, Result: g.sealQuestion(key, q), Retention: g.people.questionTTL}
	if err := l.tell(ctx, func(ctx context.Context) error { return l.store.Complete(ctx, done) }); err != nil {
		return c.undecided(err)
	}
	c.askedOutside = true
	return c.notify(ctx, q)
}

// mayAsk counts a question, and reports whether there are not too many.
func (g *Guard) mayAsk(ctx context.Context, p Principal) (bool, error) {
	l := g.ledger
	count, err := ask(ctx, l, func(ctx context.Context) (int64, error) {
		return l.store.Add(ctx, g.questionsOf(p), kindQuestion, g.people.questionTTL)
	})
	return count <= maxPending, err
}

func (g *Guard) questionsOf(p Principal) store.Key {
	return store.Scope{Namespace: g.ledger.namespace, Issuer: p.Issuer, Tenant: p.Tenant, Principal: p.Subject}.Key("approvals")
}

// notify tells the approver, and answers that a person is being asked.
func (c *call) notify(ctx context.Context, q *storedQuestion) *Result {
	g := c.set.guard
	address, err := contained(ctx, g, func(ctx context.Context) (string, error) { return g.people.approver.Pending(ctx, q.PendingQuestion) })
	if err != nil {
		c.cause = err
		return c.refuseLater(contract.CodeUnavailable, "the person who must confirm cannot be asked now", pendingDelay)
	}
	if address != "" && !isAddress(address) {
		c.cause = errors.New("the approver's address is not absolute, or not http")
		address = ""
	}
	return c.pending(address)
}

// isAddress reports whether a client may be sent there.
func isAddress(address string) bool {
	if len(address) > maxAddress {
		return false
	}
	for _, r := range address {
		if r <= ' ' || r > '~' {
			return false
		}
	}
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && u.User == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// pending answers that a person has been asked and has not decided.
func (c *call) pending(address string) *Result {
	lines := []string{tryAgain(pendingDelay)}
	if address != "" {
		lines = append([]string{"The person decides at " + address}, lines...)
	}
	r := c.failed(contract.CodeConfirmationPending, "", lines...)
	r.Outcome.RetryAfterMs = milliseconds(pendingDelay)
	r.Outcome.URL = address
	r.Outcome.Hint = "Tell the user where to decide, then repeat exactly this call."
	return r
}

// undecided answers where it cannot be found out what a person decided.
func (c *call) undecided(err error) *Result {
	c.cause = err
	return c.refuseLater(contract.CodeUnavailable, "what a person decided about this call cannot be found out", unavailableDelay)
}

// approvedAs takes a yes over: it is spent with the claim, as the answer to a
// form is, and once for both: a state may carry it on.
func (c *call) approvedAs(q *storedQuestion) {
	c.approved = q
	c.takeOver(q.ID, q.CallID, c.set.guard.outlasting(q.Expires))
}

// outlasting is for how long to remember what must not be forgotten before a
// question expires, also where the clocks of replicas differ.
func (g *Guard) outlasting(expires time.Time) time.Duration {
	return max(time.Until(expires), 0) + g.people.questionTTL
}

// askAgain asks about a call whose answer was spent by another, and claims it
// where a person has agreed to this one too.
func (c *call) askAgain() *Result {
	c.unreserve() // nobody waits for a person in a place to run
	q := c.approved
	c.nonce, c.approved, c.continues, c.confirmed = store.Nonce{}, nil, false, false
	if !isManaged(c.entry) {
		c.key, c.fingerprint = store.Key{}, store.Digest{}
	}
	var r *Result
	if q == nil {
		r = c.askAnew()
	} else if r = c.supersede(q); r == nil {
		r = c.askAnew()
	}
	if r != nil {
		return r
	}
	if r = reserve(c); r != nil {
		return r
	}
	return begin(c)
}

// askAnew asks what this call has to be asked, for its own sake.
func (c *call) askAnew() *Result {
	c.state = nil
	if asks(c.entry) {
		if r := confirm(c); r != nil {
			return r
		}
	}
	if c.entry.doc.StepUp != nil {
		return stepUp(c)
	}
	return nil
}

// supersede makes room for the next question about the same call, once for each
// that was spent.
func (c *call) supersede(q *storedQuestion) *Result {
	g, l := c.set.guard, c.set.guard.ledger
	ctx := context.WithoutCancel(c.ctx)
	once := store.Nonce{Key: c.scope().Key("superseded\x00" + q.ID), TTL: g.outlasting(q.Expires)}
	first, err := ask(ctx, l, func(ctx context.Context) (bool, error) { return l.store.Spend(ctx, once, store.NewOwner()) })
	if err != nil {
		return c.undecided(err)
	}
	if !first {
		return c.pending("") // another call asks
	}
	_, err = ask(ctx, l, func(ctx context.Context) (int64, error) {
		return l.store.Add(ctx, c.scope().Key(c.approvalName()), kindSpent, 2*g.people.questionTTL)
	})
	if err != nil {
		return c.undecided(err)
	}
	return nil
}

// askedEvent is what the log has of a call that a person was asked about.
func (c *call) askedEvent() audit.Event { return c.event(audit.Asked, stageConfirm) }
