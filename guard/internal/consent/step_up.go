package consent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/text"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/contain"
)

const (
	// authenticationSkew is the tolerance for authentication times ahead of
	// this server's clock.
	authenticationSkew = time.Minute
	// stepUpPoll is the interval at which a waiting call looks for the
	// authentication, because any replica may record it.
	stepUpPoll = time.Second
	// stepUpPatience bounds how long a call waits if its client sends the
	// answer in another call, because many clients give up on a request after a
	// minute.
	stepUpPatience = 20 * time.Second
)

// An Authenticated describes an authentication.
type Authenticated struct {
	// At is when it was made, and ACR its authentication context class.
	At  time.Time
	ACR string
	// Disowned means that the person did not authenticate, because the call is
	// not theirs.
	Disowned bool `json:",omitempty"`
}

// unmetPart returns the part of a demand that an authentication does not meet,
// or nil.
func unmetPart(demand *contract.StepUp, a Authenticated) *contract.StepUp {
	var lacks contract.StepUp
	if demand.MaxAge > 0 {
		age := time.Since(a.At)
		if a.At.IsZero() || age > demand.MaxAge || age < -authenticationSkew {
			lacks.MaxAge = demand.MaxAge
		}
	}
	if a.ACR != demand.ACR {
		lacks.ACR = demand.ACR
	}
	if lacks == (contract.StepUp{}) {
		return nil
	}
	return &lacks
}

// StepUp requires a recent or strong authentication. It accepts the one that
// the principal source returns, or one for exactly this call on the server
// author's page. Nothing else that a client sends counts. If the returned
// ending is nil, the call goes on with the returned session.
func (svc *Service) StepUp(ctx context.Context, c Subject, s Session) (Session, *answer.Ending) {
	r := &round{service: svc, call: &c, session: s}
	ended := r.stepUp(ctx)
	return r.session, ended
}

// stepUp takes the steps of [authentication].
func (r *round) stepUp(ctx context.Context) *answer.Ending {
	r.recallKept()
	k := r.authentication()
	result := searchResult{}
	dlg := dialog{}
	defer func() { dlg.close() }()
	for {
		switch k.next() {
		case search:
			result = r.search(ctx, r.stepUpID(k))
			k.finding = result.finding
			k.closing = r.service.isClosing()
		case await:
			waiting, end := dlg.ctx, func() {}
			if waiting == nil {
				waiting, end = r.wait(ctx, stepUpPatience)
			}
			if waiting == nil {
				return answer.Refuse(tooManyQuestions().OrReplay())
			}
			result = r.await(ctx, waiting, r.stepUpID(k))
			end()
			k.finding = result.finding
			k.waited = true
			k.closing = r.service.isClosing()
		case requestInCall:
			var refused *answer.Refusal
			if k.inCall, refused = r.requestInCall(ctx, k, &dlg); refused != nil {
				return answer.Refuse(refused)
			}
			k.finding = notSearched
			k.waited = false
		case readRecord:
			if recorded := r.call.Pipeline.Recorded(r.session.Grant); recorded != nil {
				return &answer.Ending{Recorded: recorded}
			}
			k.recorded = doesNotHold
		case recall:
			was, _ := r.wasDeclined(ctx, aboutStepUp, holds)
			k.declined = truthOf(was)
		case takeRound:
			r.agree()
			k.granted = true

		case proceed:
			return nil
		case waive:
			r.call.Journal.Waives(facts.ClauseStepUp)
			return nil

		case requestInRounds:
			q, state, refused := r.request(ctx, k)
			if refused != nil {
				return answer.Refuse(refused)
			}
			return askedWith(q, r.service.states.SealText(state, ""))
		case refuseUnreadable:
			refused := r.refuseUndetermined(result.err)
			if k.inCall == noReply {
				refused = refused.OrReplay()
			}
			return answer.Refuse(refused)
		case refuseDeclinedAuth:
			if k.inCall == declined {
				r.auditDecision(facts.StageStepUp, false)
			} else {
				r.auditDecisionInRound(ctx, facts.StageStepUp, false)
			}
			return r.declineStepUp(ctx)
		case refuseDisowned:
			r.session.kept = keptAnswers{}
			return answer.Refuse(&answer.Refusal{
				Code: contract.CodeStepUpRequired, Message: "the person who had to authenticate reported that this call was not theirs",
				StepUp: r.lacks, Hint: "Do not repeat the call. Ask the user what to do instead.",
			})
		default:
			return answer.Refuse(r.stepUpRequired())
		}
	}
}

// authentication returns the facts that are known before any look-up.
func (r *round) authentication() authentication {
	client := r.call.Client
	r.lacks = r.ownLack()
	k := authentication{
		lacking: r.lacks != nil,
		audited: r.call.Tool.AuditOnly[facts.ClauseStepUp],
		round:   r.session.State.asksToAuthenticate(r.call, r.session.Grant.approved, time.Now()),
		granted: !r.session.Grant.IsZero(),
		kept:    r.session.kept.stepUp != "",
		client:  cannotAsk,
		reply:   replyUnder(client.Answers, people.StepUpKey, readOpened),
	}
	switch {
	case r.service.Page == nil:
	case client.RoundsURL:
		k.client = asksInRounds
	case client.AskURL != nil:
		k.client = asksInCall
	}
	return k
}

// ownLack returns the part of the demand that the caller's own authentication
// does not meet, or nil.
func (r *round) ownLack() *contract.StepUp {
	p := r.call.Principal
	return unmetPart(r.call.Doc.StepUp, Authenticated{At: p.AuthTime, ACR: p.ACR})
}

// isHopeless reports whether step-up would refuse the call. If so, nobody is
// asked whether it may run.
func (r *round) isHopeless() bool {
	opensPages := r.service.Page != nil && (r.call.Client.RoundsURL || r.call.Client.AskURL != nil)
	if r.call.Doc.StepUp == nil || opensPages {
		return false
	}
	if r.lacks = r.ownLack(); r.lacks == nil {
		return false
	}
	if r.call.Tool.AuditOnly[facts.ClauseStepUp] {
		r.call.Journal.Waives(facts.ClauseStepUp)
		return false
	}
	return true
}

// stepUpID returns the id of the request to authenticate whose outcome to look
// for.
func (r *round) stepUpID(k authentication) string {
	if k.round && k.inCall == noReply {
		return r.session.State.StepUp
	}
	return r.session.kept.stepUp
}

// A searchResult is the result of a search. err is set if the store cannot be
// read.
type searchResult struct {
	finding finding
	err     error
}

// search looks for the authentication made for an id.
func (r *round) search(ctx context.Context, id string) searchResult {
	svc := r.service
	claims, ok := svc.openStepUpID(id)
	if !ok { // no key opens the id any more, so it can never be completed: treated as too old
		return searchResult{finding: tooOld}
	}
	auth, err := svc.findAuthentication(ctx, claims.key(svc, *r.call.Principal))
	switch {
	case auth == nil && err != nil:
		return searchResult{unreadable, err}
	case auth == nil:
		return searchResult{finding: notMade}
	case auth.Disowned:
		return searchResult{finding: disowned}
	case unmetPart(r.call.Doc.StepUp, *auth) == nil:
		return searchResult{finding: sufficient}
	}
	return searchResult{finding: tooOld}
}

// await searches until the authentication has been made or waiting ends.
func (r *round) await(ctx, waiting context.Context, id string) searchResult {
	poll := time.NewTicker(stepUpPoll)
	defer poll.Stop()
	for {
		select {
		case <-poll.C:
		case <-waiting.Done():
			return r.search(ctx, id)
		}
		if result := r.search(ctx, id); result.finding != notMade && result.finding != unreadable {
			return result
		}
	}
}

// refuseUndetermined refuses a call if it cannot be found out whether the
// person has authenticated.
func (r *round) refuseUndetermined(err error) *answer.Refusal {
	if r.service.isClosing() {
		return answer.Closing()
	}
	return answer.Unavailable("the authentication of the caller cannot be checked now").Because(err)
}

// declineStepUp refuses the call and remembers that the person declined,
// because people who are asked again and again tend to give in.
func (r *round) declineStepUp(ctx context.Context) *answer.Ending {
	r.session.kept = keptAnswers{}
	r.rememberDeclined(ctx, aboutStepUp)
	return answer.Refuse(r.stepUpRequired())
}

// request returns the question that sends the person to the page, with the id
// of an earlier round or a new one, and the state of its round.
func (r *round) request(ctx context.Context, k authentication) (*people.Question, QuestionState, *answer.Refusal) {
	again := k.round && k.finding == notMade
	if again {
		r.session.progressed = k.reply == accepted // a round that waited cannot be part of a flood
	}
	state := r.nextState()
	if k.client == asksInCall {
		state.Expires = time.Now().Add(r.service.QuestionTimeout).UnixMilli()
	}
	state.StepUp = ""
	if again {
		state.StepUp = r.session.State.StepUp
	} else {
		id, refused := r.newStepUp(ctx, &state)
		if refused != nil {
			return nil, state, refused
		}
		state.StepUp = id
	}
	demand := r.call.Doc.StepUp
	address, err := r.service.Page(ctx, people.StepUpRequest{
		ID: state.StepUp, Demand: *demand, Tool: r.call.Doc.Name, Principal: facts.NameOf(*r.call.Principal), CallID: state.CallID,
		Expires: time.UnixMilli(state.Expires),
	})
	if err == nil && !isAddress(address) {
		err = errors.New("the address of the step-up page is too long, not absolute, or not http")
	}
	if err != nil {
		return nil, state, cannotSend(err)
	}
	return &people.Question{Key: people.StepUpKey, Message: r.stepUpMessage(again), URL: address, ID: state.StepUp}, state, nil
}

func cannotSend(err error) *answer.Refusal {
	return answer.Unavailable("the caller cannot be sent to authenticate now").Because(err)
}

// stepUpMessage has no address in it (MCP 2026-07-28, elicitation, URL mode).
func (r *round) stepUpMessage(again bool) string {
	lacks := *r.lacks
	if strings.Contains(lacks.ACR, "://") {
		lacks.ACR = "that is stronger than yours"
	}
	message := fmt.Sprintf("To run %s you must authenticate again: %s.", r.call.Doc.Name, demands(&lacks))
	if when := r.call.Doc.StepUp.When; when != "" && !strings.Contains(when, "://") {
		message += " " + text.Line(when, maxText)
	}
	message = text.Unlink(message)
	if again {
		message = "You have not authenticated yet. " + message
	}
	return message
}

// demands describes a demand in words.
func demands(lacks *contract.StepUp) string {
	var parts []string
	if lacks.MaxAge > 0 {
		parts = append(parts, fmt.Sprintf("within the last %s", lacks.MaxAge))
	}
	if lacks.ACR != "" {
		parts = append(parts, "in the authentication class "+lacks.ACR)
	}
	return strings.Join(parts, ", ")
}

// requestInCall sends the person to the page while the call waits, and returns
// the client's answer whether the address may be opened.
func (r *round) requestInCall(ctx context.Context, k authentication, d *dialog) (reply, *answer.Refusal) {
	q, _, refused := r.request(ctx, k)
	if refused != nil {
		return noReply, refused
	}
	if *d, refused = r.begin(ctx, q, facts.StageStepUp); refused != nil {
		return noReply, refused
	}
	raw, err := d.put(&r.service.waiting, r.call.Client.AskURL)
	switch {
	case errors.Is(err, contain.ErrNoSlot):
		return noReply, r.refuseUndetermined(err)
	case err != nil && r.service.isClosing():
		return noReply, answer.Closing().Because(err)
	case err != nil:
		return noReply, r.stepUpRequired().Because(err)
	}
	got := readOpened(raw)
	if got == accepted {
		r.noteAnswer(func(w *keptAnswers) { w.stepUp = q.ID })
	}
	return got, nil
}

// stepUpRequired refuses a call, and names the missing part of the demand in
// words and for programs.
func (r *round) stepUpRequired() *answer.Refusal {
	hint := "Ask the user to authenticate again, then repeat the call."
	if r.call.Principal.Issuer == contract.LocalIssuer && r.service.Page == nil {
		hint = "Do not repeat the call: over stdio a user cannot authenticate again. The tool can be used over HTTP."
	}
	return &answer.Refusal{
		Code: contract.CodeStepUpRequired, Message: "the caller must authenticate again: " + demands(r.lacks),
		StepUp: r.lacks, Hint: hint,
	}
}
