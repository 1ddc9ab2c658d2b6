package guard

import (
	"errors"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/risk"
)

// WithSessionBound sums up the calls of each session as a [risk.Chain], and
// asks a person about every call that changes something once the session, with
// that call, reaches bound. It does so even if the contract asks nobody, or
// leaves the question to the wrapped server. Each field of bound that is not
// zero is a bound of its own:
//
//	guard.WithSessionBound(risk.Chain{Irreversible: 4, Level: risk.Critical})
//
// asks from the fourth call on that cannot be undone, and from the first one at
// critical risk on. With the zero bound nobody is asked because of it. With any
// bound, every question says what the session did before, such as "So far in
// this session: 9 calls, 4 that cannot be undone, highest risk critical."
//
// A session is what one principal does under this guard, whichever tools and
// servers it calls and however often it connects, until it has made no call for
// 30 minutes. All anonymous callers share one. A call counts once, when its
// handler begins, with the class and the risk for its arguments. Refused calls,
// dry runs, replays and lookups of operations don't count. A tool without a
// contract counts as irreversible and critical, unless its author says that it
// only reads. Nobody is asked about its calls.
//
// Such a question is like that of [contract.Builder.ConfirmAlways]: one approval
// allows one call, a declined question is remembered, and a call whose caller
// can't be asked gets confirmation_required. A tool that may ask because of the
// bound is listed with confirmation "when". [WithAuditOnly] for the confirmation
// of a tool also waives the bound.
//
// Sessions are in the memory of this process: each replica knows its own calls,
// and a restart forgets them. The guard remembers the last 10,000 principals.
// Calls at the same time can't both stay below the bound. Default: calls are not
// summed up. A negative number, a class or a level that doesn't exist is an
// error.
func WithSessionBound(bound risk.Chain) Option {
	return optionFunc(func(c *config) error {
		if bound.Calls < 0 || bound.Irreversible < 0 || bound.Reversibility != 0 && !bound.Reversibility.IsValid() ||
			bound.Level != 0 && !bound.Level.IsValid() {
			return errors.New("guard: WithSessionBound: the bound has a negative number, or a class or a level that does not exist; " +
				"use constants such as risk.Irreversible, and leave out the fields that need no bound")
		}
		c.session = &bound
		return nil
	})
}

// newTool returns the facts about a tool. isBound means that the bound of a
// session may have a person asked about its calls.
func (g *Guard) newTool(t *contract.Tool, isBound bool) *facts.ProtectedTool {
	return facts.NewTool(t, g.auditOnly[t.Name()], g.people.StepUpPage != nil, isBound)
}
