package guard

import (
	"context"
	"errors"
	"slices"

	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/risk"
)

// PeopleOptions configure how people are asked; see [WithPeople]. A zero field
// means its default.
type PeopleOptions struct {
	// Approver asks a person if the client cannot. A client that can open
	// addresses sends its user to the approver's page, unless there are
	// Deciders. The calls of all other clients answer confirmation_pending with
	// a delay and the address. Once the person has approved it, the same call
	// by the same principal runs once. Anonymous calls are refused, because a
	// retry could not be tied to the same caller. Default: a call whose client
	// cannot ask is refused.
	Approver Approver
	// ApproverFrom makes the approver ask about every call of a tool at this
	// risk level or above, even if the client can ask, so that a lying client
	// cannot give the answer. It needs an Approver. Default: the approver asks
	// only if the client cannot.
	ApproverFrom risk.Level
	// Deciders narrow which people may see and decide a question: all of them
	// must allow it. Some rules always apply first: agents, anonymous
	// principals, and people of another tenant than the call's may not decide.
	// With deciders, clients do not send their users to the approver's page. An
	// empty list or a nil decider is an error, because everybody could then
	// decide; so are deciders without an Approver. Default: every other person
	// that the approver authenticates may decide, including the principal of
	// the call; see [FourEyes].
	Deciders []Decider
	// StepUpPage is the page on which a person authenticates again, if a
	// contract demands a more recent or stronger authentication than the
	// caller's. Default: such a call answers step_up_required, and the client
	// has to retry it with other credentials.
	//
	// Only the authentication that the source of [WithPrincipal] returns
	// counts: its AuthTime must be within maxAgeSeconds, by this server's
	// clock, and its ACR must be exactly the demanded one. Nothing in a request
	// counts as an authentication.
	//
	// With a page, a client that can open addresses (elicitation in URL mode)
	// sends the person there. The address has an id that works once, for this
	// call and this principal. If the client accepts, the address may be
	// opened; nothing is authenticated yet. The page authenticates the person,
	// shows the result of [People.OpenStepUp], and calls
	// [People.CompleteStepUp], or [People.DeclineStepUp] if the person did not
	// make the call. The call then goes on, once, or is refused. A client that
	// accepts waits for that, 20 seconds at a time. A declined step-up is
	// remembered, as a declined question is. Other clients get
	// step_up_required, which names what is missing.
	StepUpPage StepUpPage
}

// WithPeople sets the guard's [PeopleOptions] to the fields of p that are not
// zero. It is an error if all are.
func WithPeople(p PeopleOptions) Option {
	return optionFunc(func(c *config) error {
		switch {
		case p.Approver == nil && p.ApproverFrom == 0 && p.StepUpPage == nil && p.Deciders == nil:
			return errors.New("guard: WithPeople: no field is set, or what it was set to is nil; set one, or leave the option out")
		case p.ApproverFrom != 0 && !p.ApproverFrom.IsValid():
			return errors.New("guard: WithPeople: ApproverFrom is not a level; use one such as risk.High")
		case p.Deciders != nil && len(p.Deciders) == 0:
			return errors.New("guard: WithPeople: Deciders is empty; add one such as guard.FourEyes, or leave the field out")
		case slices.ContainsFunc(p.Deciders, func(d Decider) bool { return d == nil }):
			return errors.New("guard: WithPeople: one of Deciders is nil; replace it by one such as guard.FourEyes, or leave it out")
		}
		if p.Approver != nil {
			c.people.Approver = p.Approver
		}
		if p.ApproverFrom != 0 {
			c.people.ApproverFrom = p.ApproverFrom
		}
		if p.Deciders != nil {
			c.people.Deciders = slices.Clone(p.Deciders)
		}
		if p.StepUpPage != nil {
			c.people.StepUpPage = p.StepUpPage
		}
		return nil
	})
}

// decides returns a Decider that asks every one of the deciders, or nil if
// there are none.
func (p PeopleOptions) decides() Decider {
	if len(p.Deciders) == 0 {
		return nil
	}
	return func(ctx context.Context, by Principal, q people.PendingQuestion) error {
		for _, allows := range p.Deciders {
			if err := allows(ctx, by, q); err != nil {
				return err
			}
		}
		return nil
	}
}
