package guard

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
)

const (
	// authenticationSkew is how far ahead of this server's clock an
	// authentication may be said to have been.
	authenticationSkew = time.Minute
	// stepUpPoll is how often a call that waits looks whether its person has
	// authenticated, on whichever replica.
	stepUpPoll = time.Second
)

// stepsUp reports whether a person may be sent to authenticate for a call.
func (g *Guard) stepsUp(e *entry) bool { return e.doc.StepUp != nil && g.stepUpPage != nil }

// stepUp holds the caller to a recent or strong authentication: the one that the
// principal function vouches for, or one that was made for exactly this call, on
// a page of the author's. Nothing else that a client sends is one.
func stepUp(c *call) *Result {
	if c.state != nil && !c.isOwnState() {
		return c.reject()
	}
	lacks := lacking(c.doc.StepUp, c.principal.AuthTime, c.principal.ACR)
	if lacks == nil || c.waives(clauseStepUp) {
		return nil
	}
	return c.demandStepUp(lacks)
}

// lacking returns what of a demand an authentication does not meet; nil: nothing.
func lacking(demand *contract.StepUp, at time.Time, acr string) *contract.StepUp {
	var lacks contract.StepUp
	if demand.MaxAgeSeconds > 0 {
		age := time.Since(at)
		if at.IsZero() || age > time.Duration(demand.MaxAgeSeconds)*time.Second || age < -authenticationSkew {
			lacks.MaxAgeSeconds = demand.MaxAgeSeconds
		}
	}
	if acr != demand.ACR {
		lacks.ACR = demand.ACR
	}
	if lacks == (contract.StepUp{}) {
		return nil
	}
	return &lacks
}

// demandStepUp looks whether the person has authenticated for this call since it
// was asked to, and asks where it has not. That the client accepted the address
// says no more than that it may be opened.
func (c *call) demandStepUp(lacks *contract.StepUp) *Result {
	s := c.state
	if s == nil || s.StepUp == "" || c.isStale() {
		return c.askStepUp(lacks, rand.Text())
	}
	if c.nonce.IsZero() {
		c.agreed() // one authentication is one execution, as one answer is
	}
	done, err := c.set.guard.steppedUp(c.ctx, c.scope().Key(stepUpRecord+s.StepUp))
	switch {
	case err != nil:
		c.cause = err
		return c.refuseLater(contract.CodeUnavailable, "it cannot be found out whether the caller has authenticated", unavailableDelay)
	case done != nil && lacking(c.doc.StepUp, done.At, done.ACR) == nil:
		return nil
	case done != nil: // it was made, and is too old by now
		return c.unlessDone(c.askStepUp(lacks, rand.Text()))
	case verdictOfURL(c.req.Answers[StepUpKey]) == verdictNo:
		return c.unlessDone(c.stepUpRequired(lacks))
	}
	return c.unlessDone(c.askStepUp(lacks, s.StepUp))
}

// askStepUp sends the person to the author's page, or refuses where the client
// cannot.
func (c *call) askStepUp(lacks *contract.StepUp, id string) *Result {
	g := c.set.guard
	if g.stepUpPage == nil || !c.req.RoundsURL && c.req.AskURL == nil {
		return c.stepUpRequired(lacks)
	}
	state := c.nextState()
	state.StepUp = id
	if s := c.state; s != nil && s.StepUp != "" && !c.isStale() {
		state.Expires = s.Expires // an agreement is not made longer
	}
	if !c.req.RoundsURL {
		state.Expires = time.Now().Add(g.questionTimeout).UnixMilli()
	}
	request := c.stepUpRequest(&state)
	address, err := contained(c.ctx, g, func(ctx context.Context) (string, error) { return g.stepUpPage(ctx, request) })
	if err == nil && !isAddress(address) {
		err = errors.New("the address of the step-up page is not absolute, or not http")
	}
	if err != nil {
		c.cause = err
		return c.refuseLater(contract.CodeUnavailable, "the caller cannot be sent to authenticate now", unavailableDelay)
	}
	q := &Question{Message: c.stepUpMessage(lacks, c.state != nil && c.state.StepUp == id), URL: address, ID: request.ID}
	if c.req.RoundsURL {
		return &Result{Question: q, State: g.sealState(state), Outcome: contract.Outcome{Status: contract.StatusAsked}}
	}
	return c.waitForStepUp(q, lacks, id)
}

// stepUpMessage has no address in it (MCP 2026-07-28, elicitation, URL mode).
func (c *call) stepUpMessage(lacks *contract.StepUp, again bool) string {
	text := fmt.Sprintf("To run %s you have to authenticate again: %s.", c.doc.Name, demands(lacks))
	if when := c.doc.StepUp.When; when != "" && !strings.Contains(when, "://") {
		text += " " + plainLine(when, maxQuestionTexts)
	}
	if again {
		text = "You have not authenticated yet. " + text
	}
	return text
}

// demands says in words what is missing.
func demands(lacks *contract.StepUp) string {
	var parts []string
	if lacks.MaxAgeSeconds > 0 {
		parts = append(parts, fmt.Sprintf("not longer ago than %s", time.Duration(lacks.MaxAgeSeconds)*time.Second))
	}
	if lacks.ACR != "" {
		parts = append(parts, "in the authentication class "+lacks.ACR)
	}
	return strings.Join(parts, ", ")
}

// waitForStepUp sends the person there while the call waits.
func (c *call) waitForStepUp(q *Question, lacks *contract.StepUp, id string) *Result {
	ctx, end := c.hold()
	if ctx == nil {
		return c.tooManyQuestions()
	}
	defer end()
	c.audit(audit.Asked, stageStepUp, &Result{Outcome: contract.Outcome{Status: contract.StatusAsked}})
	raw, err := containedIn(ctx, c.set.guard.questions.places, takeDown, func(ctx context.Context) ([]byte, error) { return c.req.AskURL(ctx, *q) })
	if err != nil {
		c.cause = err
		return c.stepUpRequired(lacks)
	}
	if verdictOfURL(raw) != verdictYes {
		return c.stepUpRequired(lacks)
	}
	poll := time.NewTicker(stepUpPoll)
	defer poll.Stop()
	for {
		done, err := c.set.guard.steppedUp(c.ctx, c.scope().Key(stepUpRecord+id))
		if err == nil && done != nil && lacking(c.doc.StepUp, done.At, done.ACR) == nil {
			return nil
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			c.cause = err
			return c.stepUpRequired(lacks)
		}
	}
}

// stepUpRequired names what is missing, in words and for programs.
func (c *call) stepUpRequired(lacks *contract.StepUp) *Result {
	r := c.refuse(contract.CodeStepUpRequired, "the caller must authenticate again: "+demands(lacks))
	r.Outcome.StepUp = lacks
	r.Outcome.Hint = "Tell the user to authenticate again, then repeat the call."
	return r
}
