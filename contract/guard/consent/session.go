package consent

import (
	"context"
	"encoding/json"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/refusal"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/store"
)

// The names of the stages in the audit log. The first two are in the pipeline.
// The other two are what a person does outside of a call.
const (
	StageConfirm = "confirm"
	StageStepUp  = "stepup"

	stageDecide         = "decide"
	stageCompleteStepUp = "completestepup"
)

// The clauses that the pipeline can leave to the audit log, by their names in
// the document.
const (
	clauseConfirmation = "confirmation"
	clauseStepUp       = "stepUp"
)

// An Asker asks a person through the caller's client, within the call. The
// answer is the raw result of an elicitation (MCP 2025-11-25,
// elicitation/create). It returns when ctx ends.
type Asker func(ctx context.Context, q Question) (json.RawMessage, error)

// A Client is what a caller's client can do, and the answers that it sent.
type Client struct {
	// Rounds means that the client takes a question as a result and carries the
	// answer in another call. RoundsURL means the same of an address to open.
	Rounds, RoundsURL bool
	// Ask and AskURL ask within the call. Nil: the client cannot.
	Ask, AskURL Asker
	// Session is where questions within a call are counted.
	Session string
	// Answers are raw results of elicitations, by input key.
	Answers map[string]json.RawMessage
}

// A Call is what is known of a call when a person may have to be asked.
type Call struct {
	// Contract is what holds for the call, Digest names the declared contract,
	// and Terms is what the contract resolved to.
	Contract *contract.Document
	Digest   string
	Terms    string
	// Tool shows the arguments.
	Tool      *bound.Tool
	Arguments *bound.Arguments
	Principal Principal
	// Scope is the scope of the call's keys, and Audience names the server.
	Scope    store.Scope
	Audience string
	Client   Client
	// ID is the call's in the audit log.
	ID string
	// Charged means that the call was counted against the rate limits.
	Charged bool
	// Audited has the clauses that are only audited.
	Audited  map[string]bool
	Pipeline Pipeline
}

// PrincipalDigest names the principal of a scope without disclosing it.
func PrincipalDigest(s store.Scope) string { return s.Key("principal").Partition.String() }

func (c *Call) principalDigest() string { return PrincipalDigest(c.Scope) }

// ArgumentsDigest names canonical arguments.
func ArgumentsDigest(canonical []byte) string { return store.Fingerprint(canonical).String() }

func (c *Call) exactArguments() string { return ArgumentsDigest(c.Arguments.Canonical) }

// A Pipeline is what this package needs of the pipeline that a call goes
// through.
type Pipeline interface {
	// Waive notes for the audit log that the call breaks a clause which is only
	// audited.
	Waive(clause string)
	// MustAsk reports whether a person must be asked. It calls the tool
	// author's function if the contract leaves the decision to that.
	MustAsk(ctx context.Context) bool
	// Preview runs the call dry and returns the members of the result. They are
	// nil if the tool has no preview or the caller may not see it. The refusal
	// means that it cannot be run dry now. The error means that the preview
	// failed.
	Preview(ctx context.Context) (members map[string]any, refused *refusal.Refusal, err error)
	// Recorded returns the outcome of an earlier equal call, or nil.
	Recorded(Grant) *store.ClaimResult
	// Event returns what all audit events of the call have in common.
	Event(kind audit.Kind, stage string) audit.Event
	// Asking writes the event that a person is being asked within the call.
	Asking(stage string, g Grant)
	// Note sets the cause that the audit log has of the call, unless there is
	// one.
	Note(err error)
}

// A Grant is a person's agreement to a call. The claim of the call spends its
// nonce, so that one agreement is one execution. The zero Grant is none: no
// person had to be asked, or one agreed while the call waited.
type Grant struct {
	// Nonce is spent with the claim.
	Nonce store.Nonce
	// CallID is the call that the question was about.
	CallID string

	approved *storedQuestion // set if the question was asked outside the client
}

// IsZero reports whether there is nothing to spend.
func (g Grant) IsZero() bool { return g.Nonce.IsZero() }

// A Session is what a call found out about consent so far. The zero Session is
// that of a call that answers no question.
type Session struct {
	// State is that of the question which the call answers. Nil: it answers
	// none.
	State *State
	// Grant is what the claim has to spend.
	Grant Grant

	continues  bool            // this call is the one that the question of State was about
	confirmed  bool            // a person accepted it, in this round or before
	progressed bool            // this round moved the confirmation forward
	spent      *storedQuestion // a question outside the client whose agreement another call spent
}

// Again returns the session of a call whose grant another call has spent: a
// person has to be asked about this call too.
func (s Session) Again() Session {
	return Session{spent: s.Grant.approved, progressed: s.progressed}
}

// An Answer ends a call before its handler. Exactly one of Refusal, Question
// and Recorded is set.
type Answer struct {
	// Refusal refuses the call.
	Refusal *refusal.Refusal
	// Question asks the client, which carries State in the next call.
	Question *Question
	State    string
	// Recorded is the outcome of an earlier equal call.
	Recorded *store.ClaimResult
	// CallID is the id under which the audit log has the call. Empty: its own.
	CallID string
	// Asked means that the call asked a question outside the client.
	Asked bool
}

// A round is one call on its way through this package.
type round struct {
	desk    *Desk
	call    *Call
	session Session
	asked   bool             // it asked a question outside the client
	lacks   *contract.StepUp // what the caller's authentication does not meet, once it was compared
}

func refuse(r *refusal.Refusal) *Answer { return &Answer{Refusal: r} }

func (r *round) anonymous() bool { return r.call.Principal.IsAnonymous() }
