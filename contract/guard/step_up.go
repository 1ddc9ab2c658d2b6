package guard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/contain"
)

const (
	// authenticationSkew is how far ahead of this server's clock an
	// authentication may be said to have been.
	authenticationSkew = time.Minute
	// stepUpPoll is how often a call that waits looks whether its person has
	// authenticated, on whichever replica.
	stepUpPoll = time.Second
	// stepUpPatience bounds how long a client waits that comes back in another
	// call: many end a request of theirs after a minute.
	stepUpPatience = 20 * time.Second
)

// stepsUp reports whether a person may be sent to authenticate for a call.
func (g *Guard) stepsUp(e *entry) bool { return e.doc.StepUp != nil && g.people.stepUpPage != nil }

// stepUp holds the caller to a recent or strong authentication: the one that the
// principal function vouches for, or one that was made for exactly this call, on
// a page of the author's. Nothing else that a client sends is one.
func stepUp(c *call) *Result {
	lacks := lacking(c.doc.StepUp, c.principal.AuthTime, c.principal.ACR)
	if lacks != nil && !c.waives(clauseStepUp) {
		return c.demandStepUp(lacks)
	}
	if c.isStepUpRound() && c.nonce.IsZero() {
		c.agreed() // a state is one execution, also where it was not needed
	}
	return nil
}

// isStepUpRound reports whether this call comes back from a request to
// authenticate for it.
func (c *call) isStepUpRound() bool {
	s := c.state
	return s != nil && s.StepUp != "" && !c.isStale() && (c.approved == nil || c.approved.ID == s.Nonce)
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

// opensPages reports whether a person can be sent to authenticate.
func (c *call) opensPages() bool {
	return c.set.guard.people.stepUpPage != nil && (c.req.RoundsURL || c.req.AskURL != nil)
}

// cannotStepUp refuses, before anybody is asked about it, a call that would be
// refused after that.
func (c *call) cannotStepUp() *Result {
	if c.doc.StepUp == nil || c.opensPages() {
		return nil
	}
	lacks := lacking(c.doc.StepUp, c.principal.AuthTime, c.principal.ACR)
	if lacks == nil || c.waives(clauseStepUp) {
		return nil
	}
	return c.stepUpRequired(lacks)
}

// demandStepUp looks whether the person has authenticated for this call since it
// was asked to, and asks where it has not. That the client accepted the address
// says no more than that it may be opened: the call then waits a while, for a
// client that comes back at once would give its person no time.
func (c *call) demandStepUp(lacks *contract.StepUp) *Result {
	s := c.state
	if !c.isStepUpRound() {
		return c.askStepUp(lacks, "")
	}
	if c.nonce.IsZero() {
		c.agreed() // one authentication is one execution, as one answer is
	}
	said := verdictOfURL(c.req.Answers[StepUpKey])
	done, err := c.stepUpOf(s.StepUp)
	if done == nil && said == verdictYes {
		ctx, end := c.hold(stepUpPatience)
		if ctx == nil {
			return c.unlessDone(c.tooManyQuestions())
		}
		done, err = c.awaitStepUp(ctx, s.StepUp)
		end()
	}
	if done != nil && lacking(c.doc.StepUp, done.At, done.ACR) == nil {
		return nil
	}
	if refusal := c.notSteppedUp(err); refusal != nil {
		return c.unlessDone(refusal)
	}
	if r := c.unlessDone(nil); r != nil {
		return r
	}
	switch {
	case done != nil: // it was made, and is too old by now
		return c.askStepUp(lacks, "")
	case said == verdictNo:
		return c.declineStepUp(lacks)
	}
	c.progressed = said == verdictYes // a round that waited is no flood
	return c.askStepUp(lacks, s.StepUp)
}

// stepUpOf looks for the authentication that was made for an id; nil: there is
// none yet.
func (c *call) stepUpOf(id string) (*stepUpDone, error) {
	g := c.set.guard
	claims, ok := g.openStepUpID(id)
	if !ok { // its key is no longer used: as one that is too old, for it never can be made
		return &stepUpDone{}, nil
	}
	return g.steppedUp(c.ctx, claims.key(g, c.principal))
}

// awaitStepUp goes on looking until ctx ends.
func (c *call) awaitStepUp(ctx context.Context, id string) (*stepUpDone, error) {
	poll := time.NewTicker(stepUpPoll)
	defer poll.Stop()
	for {
		select {
		case <-poll.C:
		case <-ctx.Done():
			return c.stepUpOf(id)
		}
		if done, _ := c.stepUpOf(id); done != nil { // what fails is tried again
			return done, nil
		}
	}
}

// notSteppedUp answers where it is not known whether the person has
// authenticated; nil: it is, and they have not.
func (c *call) notSteppedUp(err error) *Result {
	select {
	case <-c.set.guard.gaveUp:
		return c.closing()
	default:
	}
	if err == nil {
		return nil
	}
	c.cause = err
	return c.refuseLater(contract.CodeUnavailable, "it cannot be found out whether the caller has authenticated", unavailableDelay)
}

// declineStepUp takes a no, and remembers it: people who are asked over and over
// end up agreeing.
func (c *call) declineStepUp(lacks *contract.StepUp) *Result {
	c.rememberNo(aboutStepUp)
	return c.stepUpRequired(lacks)
}

// askStepUp sends the person to the author's page, by the id of an earlier round
// or a new one, or refuses where the client cannot.
func (c *call) askStepUp(lacks *contract.StepUp, id string) *Result {
	g := c.set.guard
	if !c.opensPages() || c.saidNo(aboutStepUp) {
		return c.stepUpRequired(lacks)
	}
	state := c.nextState()
	if !c.req.RoundsURL {
		state.Expires = time.Now().Add(g.people.questionTimeout).UnixMilli()
	}
	again := id != ""
	if !again {
		var refusal *Result
		if id, refusal = c.newStepUp(&state); refusal != nil {
			return refusal
		}
	}
	state.StepUp = id
	request := StepUpRequest{
		ID: id, Demand: *c.doc.StepUp, Tool: c.doc.Name, Principal: c.principal.nameOnly(), CallID: state.CallID, Expires: time.UnixMilli(state.Expires),
	}
	address, err := contained(c.ctx, g, func(ctx context.Context) (string, error) { return g.people.stepUpPage(ctx, request) })
	if err == nil && !isAddress(address) {
		err = errors.New("the address of the step-up page is too long, not absolute, or not http")
	}
	if err != nil {
		c.cause = err
		return c.refuseLater(contract.CodeUnavailable, "the caller cannot be sent to authenticate now", unavailableDelay)
	}
	q := &Question{Message: c.stepUpMessage(lacks, again), URL: address, ID: id}
	if c.req.RoundsURL {
		return &Result{Question: q, State: g.sealState(state), Outcome: contract.Outcome{Status: contract.StatusAsked}}
	}
	return c.askStepUpWithin(q, lacks)
}

// stepUpMessage has no address in it (MCP 2026-07-28, elicitation, URL mode).
func (c *call) stepUpMessage(lacks *contract.StepUp, again bool) string {
	said := *lacks
	if strings.Contains(said.ACR, "://") {
		said.ACR = "that is stronger than yours"
	}
	text := fmt.Sprintf("To run %s you have to authenticate again: %s.", c.doc.Name, demands(&said))
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

// askStepUpWithin sends the person there while the call waits.
func (c *call) askStepUpWithin(q *Question, lacks *contract.StepUp) *Result {
	g := c.set.guard
	ctx, end := c.hold(g.people.questionTimeout)
	if ctx == nil {
		return c.tooManyQuestions()
	}
	defer end()
	c.audit(audit.Asked, stageStepUp, &Result{Outcome: contract.Outcome{Status: contract.StatusAsked}})
	raw, err := contain.Call(ctx, g.questions.slots, func(ctx context.Context) ([]byte, error) { return c.req.AskURL(ctx, *q) })
	switch {
	case errors.Is(err, contain.ErrNoSlot):
		return c.notSteppedUp(err)
	case err != nil:
		c.cause = err
		return cmp.Or(c.notSteppedUp(nil), c.stepUpRequired(lacks))
	}
	switch verdictOfURL(raw) {
	case verdictNo:
		return c.declineStepUp(lacks)
	case verdictMalformed:
		return c.stepUpRequired(lacks)
	case verdictYes:
	}
	done, err := c.stepUpOf(q.ID)
	if done == nil {
		done, err = c.awaitStepUp(ctx, q.ID)
	}
	if done != nil && lacking(c.doc.StepUp, done.At, done.ACR) == nil {
		return nil
	}
	return cmp.Or(c.notSteppedUp(err), c.stepUpRequired(lacks))
}

// stepUpRequired names what is missing, in words and for programs.
func (c *call) stepUpRequired(lacks *contract.StepUp) *Result {
	r := c.refuse(contract.CodeStepUpRequired, "the caller must authenticate again: "+demands(lacks))
	r.Outcome.StepUp = lacks
	r.Outcome.Hint = "Tell the user to authenticate again, then repeat the call."
	return r
}
