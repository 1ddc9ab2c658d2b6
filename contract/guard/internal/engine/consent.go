package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/guard/internal/consent"
	"github.com/toolcontract/toolcontract/contract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/contract/internal/exchange"
	"github.com/toolcontract/toolcontract/contract/store"
)

// openState opens the state that a call carries: that of a question to a
// person, or that of a handler which asked for an input. A state that this
// server did not seal for this tool ends the call. Tools that never ask ignore
// states.
func openState(in arrival) (*consent.State, *handlerRound, *answer.Answer) {
	if in.req.State == "" {
		return nil, nil, nil
	}
	if round := openRound(in); round != nil {
		return nil, round, nil
	}
	state, err := in.engine.desk.OpenState(in.req.State, in.tool.Doc.Name, in.audience())
	if err != nil {
		return nil, nil, &answer.Answer{Err: exchange.ErrRejectedState}
	}
	return state, nil, nil
}

// confirm asks a person to approve the call, if the contract demands it. An
// approval counts for all rounds of a handler. If no person was needed for the
// first round and one is needed now, the handler must begin again.
func confirm(a agreed, s consent.Session) (consent.Session, *answer.Answer) {
	if a.round != nil {
		var call consent.Pipeline = asking{a}
		if a.approved || !call.MustAsk(a.ctx) || a.waives(facts.ClauseConfirmation) {
			return s, nil
		}
		return s, &answer.Answer{Err: exchange.ErrRejectedState}
	}
	s, answered := a.engine.desk.Confirm(a.ctx, a.forConsent(), s)
	return s, answered
}

// stepUp requires a recent or strong authentication.
func stepUp(a agreed, s consent.Session) (consent.Session, *answer.Answer) {
	if a.round != nil {
		return s, nil
	}
	s, answered := a.engine.desk.StepUp(a.ctx, a.forConsent(), s)
	return s, answered
}

// forConsent returns the call in the form that package consent takes.
func (a *agreed) forConsent() consent.Call {
	req := a.req
	return consent.Call{
		Contract: a.doc, Digest: a.tool.Digest, Terms: a.terms(), Tool: a.tool.Half, Arguments: a.args,
		Principal: consentPrincipal(*a.principal), Scope: a.scope(), Audience: a.audience(),
		Client: consent.Client{
			Rounds: req.Rounds, RoundsURL: req.RoundsURL, Ask: req.Ask, AskURL: req.AskURL, Session: req.Session, Answers: req.Answers,
		},
		ID: a.log.ID(), Charged: a.charged, Audited: a.tool.AuditOnly, Pipeline: asking{*a},
	}
}

// terms returns the resolved clauses, which are not in the contract's digest.
// It is empty if the tool has no resolution.
func (u *understood) terms() string {
	if !u.tool.Resolves {
		return ""
	}
	d := u.doc
	return fmt.Sprintf("%s %s %s %s", d.Risk, d.Effect, d.Confirmation, strings.Join(d.Permissions, ","))
}

// consentPrincipal returns the principal as package consent needs it.
func consentPrincipal(p contract.Principal) consent.Principal {
	return consent.Principal{PrincipalName: facts.NameOf(p), Human: facts.IsPerson(p), AuthTime: p.AuthTime, ACR: p.ACR}
}

// asking implements consent.Pipeline for a call, with the approvals that it has
// so far.
type asking struct{ call agreed }

var _ consent.Pipeline = asking{}

func (a asking) Waive(clause string) { a.call.waives(clause) }

func (a asking) MustAsk(ctx context.Context) bool {
	c := a.call
	if c.doc.Confirmation != contract.ConfirmationWhen {
		return c.doc.Confirmation != contract.ConfirmationNever
	}
	return c.engine.mustAsk(ctx, c.tool.Half, c.args.Canonical)
}

func (a asking) Words(ctx context.Context) string {
	t := a.call.tool.Half
	if !t.Facts().Has.Question {
		return ""
	}
	words, err := a.call.engine.written(ctx, t.Question, a.call.args.Canonical)
	if err != nil {
		return "" // the question has everything else
	}
	return words
}

func (a asking) Word(ctx context.Context) (string, error) {
	return a.call.engine.written(ctx, a.call.tool.Half.ConfirmWord, a.call.args.Canonical)
}

func (a asking) Preview(ctx context.Context) (map[string]any, *answer.Refusal, error) {
	return previewMembers(ctx, a.call.understood)
}

func (a asking) Recorded(g consent.Grant) *store.ClaimResult {
	a.call.grant = g
	return a.call.recorded()
}

func (a asking) Event(kind audit.Kind, stage string) audit.Event { return a.call.event(kind, stage) }

func (a asking) Asking(stage string, g consent.Grant) {
	a.call.grant = g
	a.call.auditAsked(stage, false)
}

func (a asking) Note(err error) { a.call.log.Note(err) }
