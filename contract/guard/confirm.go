package guard

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/idempotency"
)

// maxMalformed is how many answers that are none are asked about again.
const maxMalformed = 2

func asks(e *entry) bool {
	return e.doc.Confirmation != contract.ConfirmationNever
}

// confirm has a person agree to the call, with exactly these arguments. An
// answer counts only together with the state that its question gave out, or
// within the call that asked.
func confirm(c *call) *Result {
	if c.state != nil && !c.isOwnState() {
		return c.reject()
	}
	if !c.mustAsk() {
		return nil
	}
	if c.demandsApprover() {
		return c.approve()
	}
	if c.state == nil {
		return c.ask(0)
	}
	raw, answered := c.req.Answers[ConfirmKey]
	said := verdictOf(raw)
	switch {
	case answered && said == verdictNo:
		return c.endQuestion() // a no counts at any time
	case c.isStale():
		return c.ask(0)
	case !answered:
		return c.ask(c.state.Malformed)
	}
	switch said {
	case verdictYes:
		if c.wasDeclined() {
			return c.declined(declinedLately)
		}
		c.agreed()
		return nil
	case verdictMalformed:
		if c.state.Malformed < maxMalformed {
			return c.ask(c.state.Malformed + 1)
		}
	case verdictNo:
	}
	return c.endQuestion()
}

// mustAsk asks the author's function where the contract leaves it to that. It
// fails towards asking.
func (c *call) mustAsk() bool {
	if c.entry.doc.Confirmation != contract.ConfirmationWhen {
		return true
	}
	must, err := contained(c.ctx, c.set.guard, func(context.Context) (bool, error) {
		return c.entry.bound.MustAsk(c.args.Canonical), nil
	})
	return err != nil || must
}

// ask puts the question, in the way in which this caller's client takes it; nil
// where a person agreed within this call. What a person has said no to lately
// is not asked.
func (c *call) ask(malformed int) *Result {
	cannot := !c.req.Rounds && c.req.Ask == nil
	if cannot && c.set.guard.approver != nil {
		return c.approve()
	}
	if c.wasDeclined() {
		return c.declined(declinedLately)
	}
	if cannot {
		return c.refuse(contract.CodeConfirmationRequired, "a person must confirm this call, and this client cannot ask one")
	}
	q, refusal := c.question(c.ctx)
	if refusal != nil {
		return refusal
	}
	if c.req.Rounds {
		return c.askInRounds(q, malformed)
	}
	return c.askWithin(q)
}

// cannotShow answers where an argument that must be shown whole is too long.
func (c *call) cannotShow(argument string) *Result {
	return c.violated(contract.Violation{Rule: "review", Message: fmt.Sprintf("the argument %s is too long to be shown whole to the person who must confirm", quoted(argument))})
}

// askInRounds answers with the question. The client brings the answer back in
// another call, with the state.
func (c *call) askInRounds(q *Question, malformed int) *Result {
	now := time.Now()
	state := c.set.guard.sealState(questionState{
		Issued: now.UnixMilli(), Expires: now.Add(c.set.guard.questionTTL).UnixMilli(),
		Audience: c.audience(), Tool: c.entry.doc.Name, Contract: c.entry.tool.Digest(),
		Arguments: c.exactArguments(), Principal: c.principalDigest(), CallID: c.id, Nonce: rand.Text(), Malformed: malformed,
	})
	return &Result{Question: q, State: state, Outcome: contract.Outcome{Status: contract.StatusAsked}}
}

// askWithin asks through the client while the call waits.
func (c *call) askWithin(q *Question) *Result {
	g := c.set.guard
	waiting := []string{"session " + c.req.Session, "principal " + c.principalDigest()}
	if !g.questions.enter(waiting) {
		return c.refuseLater(contract.CodeUnavailable, "other questions of this client wait for their answers", unavailableDelay)
	}
	defer g.questions.leave(waiting)
	c.audit(audit.Asked, stageConfirm, &Result{Outcome: contract.Outcome{Status: contract.StatusAsked}})
	ctx, cancel := context.WithTimeout(c.ctx, g.questionTimeout)
	defer cancel()
	go func() {
		select {
		case <-g.gaveUp:
			cancel()
		case <-ctx.Done():
		}
	}()
	for range maxMalformed + 1 {
		raw, err := containedIn(ctx, g.questions.places, takeDown, func(ctx context.Context) ([]byte, error) { return c.req.Ask(ctx, *q) })
		if err != nil {
			c.cause = err
			return c.notAnswered(err)
		}
		switch verdictOf(raw) {
		case verdictYes:
			return nil
		case verdictNo:
			return c.decline()
		case verdictMalformed:
		}
	}
	return c.decline()
}

// agreed takes the answer to a question of an earlier call over. Its nonce is
// remembered for longer than any replica honours the state whose clock is not
// wrong by more than a question's life. It is spent with the claim; where the tool has no keys of its own it is the key, so
// that the same answer sent again gets the one outcome.
func (c *call) agreed() {
	left := max(time.Until(time.UnixMilli(c.state.Expires)), 0)
	c.takeOver("question\x00"+c.state.Nonce, c.state.CallID, left+c.set.guard.questionTTL)
}

// takeOver makes this the call that a question was about.
func (c *call) takeOver(name, callID string, ttl time.Duration) {
	nonce := c.scope().Key(name)
	c.nonce, c.questionID = idempotency.Nonce{Key: nonce, TTL: ttl}, callID
	if c.key.IsZero() {
		c.key, c.fingerprint = nonce, idempotency.Fingerprint(c.args.Canonical)
	}
}

// endQuestion takes a no to the question of an earlier call. It ends that
// question: a yes that is sent after it does not count.
func (c *call) endQuestion() *Result {
	c.agreed()
	l := c.set.guard.ledger
	ended, err := ask(c.ctx, l, func(ctx context.Context) (bool, error) {
		return l.nonces.Spend(ctx, c.nonce, decliner(c.state.Nonce))
	})
	if err != nil {
		c.cause = err
		return c.refuseLater(contract.CodeUnavailable, "the answer cannot be recorded", unavailableDelay)
	}
	if !ended { // a yes came first, and has or will have its outcome
		return c.unlessDone(c.declined("the question was answered before"))
	}
	c.id = c.state.CallID
	return c.decline()
}

// notAnswered answers where no person has answered.
func (c *call) notAnswered(err error) *Result {
	select {
	case <-c.set.guard.gaveUp:
		return c.closing()
	default:
	}
	if errors.Is(err, errNoPlace) {
		return c.refuseLater(contract.CodeUnavailable, "too many questions wait for their answers", unavailableDelay)
	}
	return c.declined("no person answered the question")
}

// decliner is who spends a question's nonce for a no: the same one again where
// the first reply was lost.
func decliner(nonce string) idempotency.Owner {
	digest := idempotency.Fingerprint([]byte("declined\x00" + nonce))
	return idempotency.Owner(digest[:len(idempotency.Owner{})])
}
