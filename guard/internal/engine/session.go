package engine

import (
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/session"
	"github.com/toolcontract/toolcontract/risk"
)

// joinSession adds the call to its principal's session. A call that continues
// an earlier round was added in the first round.
func (c *call) joinSession() *answer.Ending {
	var adds risk.Chain
	if c.round == nil {
		adds = addsTo(c.tool, c.doc)
	}
	c.extras.session = c.engine.sessions.Enter(facts.NameOf(*c.principal), adds)
	return nil
}

// addsTo returns what a call under the clauses d adds to its session. Without a
// contract, only a declared read counts as harmless.
func addsTo(t *facts.ProtectedTool, d *contract.Document) risk.Chain {
	switch {
	case t.Plain == nil:
		return risk.Chain{}.After(d.Reversibility, d.Risk)
	case t.Plain.ReadOnly:
		return risk.Chain{}.After(risk.Unchanging, risk.Low)
	}
	return risk.Chain{}.After(risk.Irreversible, risk.Critical)
}

// isBound reports whether a person must be asked because of the session and not
// because of the contract. For a handler that asked for input, the first round
// has decided that.
func (c *call) isBound() bool {
	return c.inSession().Reaches && c.mayBeBound()
}

// mayBeBound reports whether the bound of the session can have a person asked
// about the call.
func (c *call) mayBeBound() bool {
	return c.inSession().Bounded && c.round == nil && c.tool.Plain == nil && asksAbout(c.doc)
}

// asksAbout reports whether a session bound can cause a question about a call
// under the clauses d.
func asksAbout(d *contract.Document) bool {
	return d.Effect != risk.ReadOnly && d.Confirmation != contract.ConfirmationAlways
}

// outside is a call that belongs to no session.
var outside session.Call

// inSession returns the call as its session knows it.
func (c *call) inSession() *session.Call {
	if c.extras == nil || c.extras.session == nil {
		return &outside
	}
	return c.extras.session
}
