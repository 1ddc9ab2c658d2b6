package guard

import (
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/risk"
)

// The times for people that apply if no option sets them.
const (
	// DefaultQuestionTimeout is how long a person may take to answer a question
	// that is asked within the call.
	DefaultQuestionTimeout = 2 * time.Minute
	// DefaultDeclineMemory is how long a declined question is remembered.
	DefaultDeclineMemory = 10 * time.Minute
	// DefaultQuestionTTL is how long a question can be answered if the client
	// carries the answer in another call, or if the approver asks.
	DefaultQuestionTTL = 10 * time.Minute
)

// A peopleConfig is how people are asked.
type peopleConfig struct {
	approver        Approver   // nil: a client that cannot ask is refused
	approverFrom    risk.Level // undeclared: the approver asks if the client cannot
	deciders        DeciderFunc
	stepUpPage      StepUpPage // nil: people are not sent to authenticate
	questionTimeout time.Duration
	questionTTL     time.Duration
	declineMemory   time.Duration
}

// WithQuestionTimeout bounds how long a person may take to answer a question
// that is asked within the call. No answer counts as declined. For older
// clients the same limit applies to waiting for step-up and for a decision on
// the approver's page; see [WithStepUp] and [WithApprover]. Default:
// [DefaultQuestionTimeout]. A duration that is not positive is an error.
func WithQuestionTimeout(d time.Duration) Option {
	return optionFunc(func(c *config) error {
		if d <= 0 {
			return errors.New("guard: WithQuestionTimeout: the duration is not positive")
		}
		c.people.questionTimeout = d
		return nil
	})
}

// WithQuestionTTL sets how long a question can be answered if the client
// carries the answer in another call, or if the approver asks. Default:
// [DefaultQuestionTTL]. A duration that is not positive is an error.
func WithQuestionTTL(d time.Duration) Option {
	return optionFunc(func(c *config) error {
		if d <= 0 {
			return errors.New("guard: WithQuestionTTL: the duration is not positive")
		}
		c.people.questionTTL = d
		return nil
	})
}

// WithDeclineMemory sets how long a declined question is remembered, for every
// way of asking. Until then the same call is refused without a question. After
// three declined calls of a tool, so is every call of the tool that needs a
// question. The memory does not depend on [WithQuestionTTL]. Nothing is
// remembered for anonymous callers. Default: [DefaultDeclineMemory]. A duration
// that is not positive is an error.
func WithDeclineMemory(d time.Duration) Option {
	return optionFunc(func(c *config) error {
		if d <= 0 {
			return errors.New("guard: WithDeclineMemory: the duration is not positive")
		}
		c.people.declineMemory = d
		return nil
	})
}

// WithApprover sets the approver that asks a person if the client cannot. A
// client that can open addresses sends its user to the approver's page, unless
// [WithDeciders] is set. The calls of all other clients answer
// confirmation_pending with a delay and the address. Once the person has
// approved it, the same call by the same principal runs once. Anonymous calls
// are refused, because a retry could not be tied to the same caller. Default: a
// call whose client cannot ask is refused. Nil is an error.
func WithApprover(a Approver) Option {
	return optionFunc(func(c *config) error {
		if a == nil {
			return errors.New("guard: WithApprover: the approver is nil; pass one, or leave the option out")
		}
		c.people.approver = a
		return nil
	})
}

// WithApproverFrom makes the approver ask about all calls of tools of this risk
// level and above, even if the client can ask. So a client that lies cannot
// give the answer. It needs [WithApprover]; without it, and with an undeclared
// level, [New] returns an error. Default: the approver asks only if the client
// cannot.
func WithApproverFrom(level risk.Level) Option {
	return optionFunc(func(c *config) error {
		if !level.IsValid() {
			return errors.New("guard: WithApproverFrom: the level is undeclared or none")
		}
		c.people.approverFrom = level
		return nil
	})
}

// WithDeciders sets which people may decide. Some rules always apply first:
// agents, anonymous principals, and people of another tenant than the call's
// may not decide. Default: every other person that the approver authenticates
// may decide, including the principal of the call; see [FourEyes]. With
// deciders, clients do not send their users to the approver's page. It needs
// [WithApprover]. Nil is an error.
func WithDeciders(may DeciderFunc) Option {
	return optionFunc(func(c *config) error {
		if may == nil {
			return errors.New("guard: WithDeciders: the function is nil; pass one, or leave the option out")
		}
		c.people.deciders = may
		return nil
	})
}

// WithStepUp sets the page on which a person authenticates again, if a contract
// demands an authentication that is more recent or stronger than the caller's.
// Clients that can open an address send the person there. Default: such a call
// answers step_up_required, and the client has to retry it with other
// credentials. Nil is an error.
//
// Only the authentication that [WithPrincipal] returns counts: AuthTime within
// maxAgeSeconds, by this server's clock, and exactly the ACR. Nothing in a
// request counts as an authentication.
//
// With [WithStepUp], a client that can open addresses (elicitation in URL mode)
// sends the person to a page of the server author. The address has an id that
// works once, for this call and this principal. If the client accepts, the
// address may be opened; nothing is authenticated yet. The page authenticates
// the person, shows the result of [People.OpenStepUp], and calls
// [People.CompleteStepUp]. The call then goes on, once. A client that accepts
// waits for that, 20 seconds at a time. A declined step-up is remembered, as a
// declined question is. Other clients get step_up_required, which names the
// missing part.
func WithStepUp(page StepUpPage) Option {
	return optionFunc(func(c *config) error {
		if page == nil {
			return errors.New("guard: WithStepUp: the page is nil; pass one, or leave the option out")
		}
		c.people.stepUpPage = page
		return nil
	})
}
