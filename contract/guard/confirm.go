package guard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/store"
)

// maxMalformed is how many answers that are none are asked about again.
const maxMalformed = 2

// asks reports whether a person may be asked whether a call may happen.
func asks(e *entry) bool {
	return e.doc.Confirmation != contract.ConfirmationNever
}

// confirm has a person agree to the call, with exactly these arguments. An
// answer counts only together with the state that its question gave out, or
// within the call that asked.
func confirm(c *call) *Result {
	raw, answered := c.req.Answers[ConfirmKey]
	said := verdictOf(raw)
	if c.state != nil && answered && said == verdictNo {
		return c.endQuestion() // a no counts at any time
	}
	if !c.mustAsk() {
		return nil
	}
	if c.demandsApprover() {
		if c.waives(clauseConfirmation) {
			return nil
		}
		return c.approve()
	}
	switch s := c.state; {
	case s == nil, c.isStale():
		return c.ask(0)
	case s.Confirmed:
		said = verdictYes // in an earlier round
	case !answered, s.StepUp != "": // or that answers another question
		return c.ask(s.Malformed)
	}
	switch said {
	case verdictYes:
		if c.saidNo(aboutCall) {
			return c.declined(declinedLately)
		}
		c.agreed()
		c.progressed, c.confirmed = !c.state.Confirmed, true
		return nil
	case verdictMalformed:
		if c.state.Malformed < maxMalformed {
			c.progressed = true
			return c.ask(c.state.Malformed + 1)
		}
	case verdictNo:
	}
	return c.endQuestion()
}

// mustAsk asks the author's function where the contract leaves it to that. It
// fails towards asking.
func (c *call) mustAsk() bool {
	if c.doc.Confirmation != contract.ConfirmationWhen {
		return c.doc.Confirmation != contract.ConfirmationNever
	}
	return c.set.guard.mustAsk(c.ctx, c.entry.bound, c.args.Canonical)
}

func (g *Guard) mustAsk(ctx context.Context, t *bound.Tool, canonical []byte) bool {
	must, err := contained(ctx, g, func(context.Context) (bool, error) { return t.MustAsk(canonical), nil })
	return err != nil || must
}

// ask puts the question, in the way in which this caller's client takes it; nil
// where a person agreed within this call, or is not asked because that is only
// watched. What a person has said no to lately is not asked.
func (c *call) ask(malformed int) *Result {
	if c.waives(clauseConfirmation) {
		return nil
	}
	if refusal := c.cannotStepUp(); refusal != nil {
		return refusal
	}
	cannot := !c.req.Rounds && c.req.Ask == nil
	if cannot && c.set.guard.people.approver != nil {
		return c.approve()
	}
	if c.saidNo(aboutCall) {
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
	state := c.nextState()
	state.Malformed = malformed
	return &Result{Question: q, State: c.set.guard.sealState(state), Outcome: contract.Outcome{Status: contract.StatusAsked}}
}

// askWithin asks through the client while the call waits.
func (c *call) askWithin(q *Question) *Result {
	g := c.set.guard
	ctx, end := c.hold(g.people.questionTimeout)
	if ctx == nil {
		return c.tooManyQuestions()
	}
	defer end()
	c.audit(audit.Asked, stageConfirm, &Result{Outcome: contract.Outcome{Status: contract.StatusAsked}})
	for range maxMalformed + 1 {
		raw, err := contain.Call(ctx, g.questions.slots, func(ctx context.Context) ([]byte, error) { return c.req.Ask(ctx, *q) })
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

// hold makes the call wait for a person, at most so long; nil where too many
// others of the client's do.
func (c *call) hold(most time.Duration) (ctx context.Context, end func()) {
	g, of := c.set.guard, c.principalDigest()
	waiting := []string{"session " + cmp.Or(c.req.Session, of), "principal " + of}
	if !g.questions.enter(waiting) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(c.ctx, min(most, g.people.questionTimeout))
	go func() {
		select {
		case <-g.gaveUp:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel()
		g.questions.leave(waiting)
	}
}

func (c *call) tooManyQuestions() *Result {
	return c.refuseLater(contract.CodeUnavailable, "other questions of this client wait for their answers", unavailableDelay)
}

// agreed takes the answer to a question of an earlier call over. Its nonce is
// remembered for longer than any replica honours the state whose clock is not
// wrong by more than a question's life. It is spent with the claim; where the tool has no keys of its own it is the key, so
// that the same answer sent again gets the one outcome.
func (c *call) agreed() {
	c.continues = true
	left := max(time.Until(time.UnixMilli(c.state.Expires)), 0)
	c.takeOver(c.state.Nonce, c.state.CallID, left+c.set.guard.people.questionTTL)
}

// takeOver makes this the call that a question was about.
func (c *call) takeOver(question, callID string, ttl time.Duration) {
	nonce := c.scope().Key("question\x00" + question)
	c.nonce, c.questionID = store.Nonce{Key: nonce, TTL: ttl}, callID
	if c.key.IsZero() {
		c.key, c.fingerprint = nonce, store.Fingerprint(c.args.Canonical)
	}
}

// endQuestion takes a no to the question of an earlier call. It ends that
// question: a yes that is sent after it does not count.
func (c *call) endQuestion() *Result {
	c.agreed()
	l := c.set.guard.ledger
	ended, err := ask(c.ctx, l, func(ctx context.Context) (bool, error) {
		return l.store.Spend(ctx, c.nonce, decliner(c.state.Nonce))
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
	if errors.Is(err, contain.ErrNoSlot) {
		return c.refuseLater(contract.CodeUnavailable, "too many questions wait for their answers", unavailableDelay)
	}
	return c.declined("no person answered the question")
}

// decliner is who spends a question's nonce for a no: the same one again where
// the first reply was lost.
func decliner(nonce string) store.Owner {
	digest := store.Fingerprint([]byte("declined\x00" + nonce))
	return store.Owner(digest[:len(store.Owner{})])
}
