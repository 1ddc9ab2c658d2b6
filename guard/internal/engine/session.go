package engine

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/session"
	"github.com/toolcontract/toolcontract/risk"
)

// This file has what a call knows about the session of its principal.

// joinSession adds the call to the session of its principal. A call that
// continues an earlier round was added in the first one.
func (c *call) joinSession() *answer.Ending {
	var adds risk.Chain
	if c.round == nil {
		adds = addsTo(c.tool, c.doc)
	}
	c.extras.session = c.engine.sessions.Enter(facts.NameOf(*c.principal), adds)
	return nil
}

// addsTo returns what a call under the clauses d adds to its session. Nobody
// declared the risk of a tool without a contract.
func addsTo(t *facts.ProtectedTool, d *contract.Document) risk.Chain {
	switch {
	case t.Plain == nil:
		return risk.Chain{}.After(d.Reversibility, d.Risk)
	case t.Plain.ReadOnly:
		return risk.Chain{}.After(risk.Unchanging, risk.Low)
	}
	return risk.Chain{}.After(risk.Irreversible, risk.Critical)
}

// isBound reports whether a person must be asked because of what the session
// did before, and not because of the contract. If the handler asked for an input,
// the first round has decided.
func (c *call) isBound() bool {
	return c.inSession().Reaches && c.round == nil && c.tool.Plain == nil && asksAbout(c.doc)
}

// asksAbout reports whether the bound of a session can have a person asked about
// a call under the clauses d.
func asksAbout(d *contract.Document) bool {
	return d.Effect != risk.ReadOnly && d.Confirmation != contract.ConfirmationAlways
}

// outside is the call of no session.
var outside session.Call

// inSession returns the call for its session.
func (c *call) inSession() *session.Call {
	if c.extras == nil || c.extras.session == nil {
		return &outside
	}
	return c.extras.session
}
