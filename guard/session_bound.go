package guard

import (
	"errors"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/risk"
)

// WithSessionBound sums up the calls of each session as a [risk.Chain], and
// asks a person about every call that changes something once the session,
// including that call, reaches bound. It does so even if the contract asks
// nobody or leaves the question to a wrapped server. Each non-zero field of
// bound is a bound of its own:
//
//	guard.WithSessionBound(risk.Chain{Irreversible: 4, Level: risk.Critical})
//
// asks starting with the fourth call that cannot be undone, or the first one at
// critical risk. The zero bound causes no questions. With any bound, even zero,
// each question says what the session did before, such as "So far in this
// session: 9 calls, 4 that cannot be undone, highest risk critical."
//
// A session is everything one principal does under this guard, whichever tools
// and servers it calls and however often it connects, until it makes no call
// for 30 minutes. All anonymous callers share one session. A call counts once,
// when its handler starts, with the class and the risk for its arguments.
// Refused calls, dry runs, replays and operation lookups don't count. A call to
// a tool without a contract counts as irreversible and critical, unless its
// author says that it only reads; nobody is asked about it.
//
// Such a question works like those of [contract.Builder.ConfirmAlways]: one
// approval allows one call, a declined question is remembered, and a call whose
// caller can't be asked gets confirmation_required. A tool that may ask because
// of the bound is listed with confirmation "when". [WithAuditOnly] for a tool's
// confirmation also waives the bound.
//
// Sessions live in memory: each replica knows only its own calls, and a restart
// forgets them. The guard remembers 10,000 principals; for another one it
// forgets the session that has been idle longest, first one without changes.
// Concurrent calls can't both slip under the bound. Approvals and declined
// questions are in the store and also count below the bound, so every change
// reads the store once, or up to four times if people decide on a page.
// Default: calls are not summed up. A negative number, or a class or level that
// doesn't exist, is an error.
func WithSessionBound(bound risk.Chain) Option {
	return optionFunc(func(c *config) error {
		if !bound.IsValid() {
			return errors.New("guard: WithSessionBound: the bound has a negative number, or a class or level that does not exist; " +
				"use constants such as risk.Irreversible, and leave out fields that need no bound")
		}
		c.session = &bound
		return nil
	})
}

// newTool returns the facts about a tool. isBound means that a session bound
// can cause questions about its calls.
func (g *Guard) newTool(t *contract.Tool, isBound bool) *facts.ProtectedTool {
	return facts.NewTool(t, g.auditOnly[t.Name()], g.people.StepUpPage != nil, isBound)
}
