package guard

import (
	"context"
	"crypto/rand"
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
	if c.state == nil || c.isStale() {
		return c.ask(0)
	}
	raw, answered := c.req.Answers[ConfirmKey]
	if !answered {
		return c.ask(c.state.Malformed)
	}
	switch verdictOf(raw) {
	case verdictYes:
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
	if c.wasDeclined() {
		return c.declined("a person declined this call, or several of this tool, a short while ago")
	}
	if !c.req.Rounds && c.req.Ask == nil {
		return c.refuse(contract.CodeConfirmationRequired, "a person must confirm this call, and this client cannot ask one")
	}
	q, unshown := c.question()
	if unshown != "" {
		return c.violated(contract.Violation{Rule: "review", Message: fmt.Sprintf("the argument %s is too long to be shown whole to the person who must confirm", quoted(unshown))})
	}
	if c.req.Rounds {
		return c.askInRounds(q, malformed)
	}
	return c.askWithin(q)
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
	if !g.questions.enter(c.req.Session) {
		return c.refuseLater(contract.CodeUnavailable, "other questions of this client wait for their answers", unavailableDelay)
	}
	defer g.questions.leave(c.req.Session)
	c.audit(audit.Asked, stageConfirm, &Result{Outcome: contract.Outcome{Status: contract.StatusAsked}})
	ctx, cancel := context.WithTimeout(c.ctx, g.questionTimeout)
	defer cancel()
	for range maxMalformed + 1 {
		raw, err := containedIn(ctx, g.authors, takeDown, func(ctx context.Context) ([]byte, error) { return c.req.Ask(ctx, *q) })
		if err != nil {
			c.cause = err
			return c.declined("no person answered the question")
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
// spent with the claim; where the tool has no keys of its own it is the key, so
// that the same answer sent again gets the one outcome.
func (c *call) agreed() {
	nonce := c.scope().Key("question\x00" + c.state.Nonce)
	left := max(time.Until(time.UnixMilli(c.state.Expires)), time.Millisecond)
	c.nonce = idempotency.Nonce{Key: nonce, TTL: left}
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
		return l.nonces.Spend(ctx, c.nonce, idempotency.NewOwner())
	})
	if err != nil {
		c.cause = err
		return c.refuseLater(contract.CodeUnavailable, "the answer cannot be recorded", unavailableDelay)
	}
	if !ended {
		return c.declined("")
	}
	c.id = c.state.CallID
	return c.decline()
}
