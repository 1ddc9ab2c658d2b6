package consent

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/contract/guard/internal/refusal"
	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/risk"
)

// A StepUpRequest asks a person to authenticate again, for one call.
type StepUpRequest struct {
	// ID names the request for Guard.OpenStepUp and Guard.CompleteStepUp: some
	// 900 letters, digits, points, hyphens and underscores. It works once, and
	// only for the principal. It is not secret: knowing it is no
	// authentication.
	ID string
	// Demand is the contract's.
	Demand contract.StepUp
	// Tool is the tool's name.
	Tool string
	// Principal has to authenticate.
	Principal PrincipalName
	// CallID is the call's in the audit log.
	CallID string
	// Expires is when the ID no longer works.
	Expires time.Time
	// Question describes what the call would do and with which arguments, as it
	// would to a person who confirms it; its Label asks for nothing here. Show
	// all of it, because people authenticate for what they read. Only
	// Guard.OpenStepUp sets it. It is nil if the store has dropped it.
	Question *Question
}

// The names that distinguish what is sealed for step-ups.
const (
	nameStepUpID   = "id"
	nameStepUpDone = "done"
	nameStepUpText = "question"
)

// stepUpClaims is what the id of a request seals: when and for whom it works,
// the demand, and what all audit events of the call have in common.
type stepUpClaims struct {
	Expires    int64       `json:"exp"` // milliseconds of the Unix epoch; the id works before it
	Principal  string      `json:"sub"`
	MaxAge     int64       `json:"age,omitempty"`
	ACR        string      `json:"acr,omitempty"`
	Nonce      string      `json:"nonce"`
	CallID     string      `json:"call"`
	Tool       string      `json:"tool"`
	AuditEvent string      `json:"event"`
	Risk       risk.Level  `json:"risk"`
	Effect     risk.Effect `json:"effect"`
	Version    string      `json:"version"`
	Contract   string      `json:"contract"`
	Arguments  string      `json:"args"`
}

// newStepUp makes the id of a request for this call, and stores what the page
// shows. The refusal means that it cannot be made.
func (r *round) newStepUp(ctx context.Context, s *State) (id string, refused *refusal.Refusal) {
	question, refused := r.question(ctx)
	if refused != nil {
		return "", refused
	}
	d, demand, e := r.desk, r.call.Contract.StepUp, r.call.Pipeline.Event(audit.Asked, stageCompleteStepUp)
	claims := stepUpClaims{
		Expires: s.Expires, Principal: s.Principal, MaxAge: demand.MaxAgeSeconds, ACR: demand.ACR, Nonce: rand.Text(), CallID: s.CallID,
		Tool: e.Tool, AuditEvent: e.AuditEvent, Risk: e.Risk, Effect: e.Effect, Version: e.Version, Contract: e.ContractDigest, Arguments: e.ArgumentsDigest,
	}
	key := claims.questionKey(d, r.call.Principal.PrincipalName)
	sealed := d.shown.Seal(*question, sealName(nameStepUpText, key, ""))
	err := d.Ledger.Once(context.WithoutCancel(ctx), key, claims.Nonce, sealed, time.Until(time.UnixMilli(s.Expires)))
	if err != nil {
		return "", cannotSend(err)
	}
	return d.stepUpIDs.SealText(claims, nameStepUpID), nil
}

func (d *Desk) openStepUpID(id string) (*stepUpClaims, bool) {
	claims, err := d.stepUpIDs.OpenText(id, nameStepUpID)
	return &claims, err == nil
}

func (s *stepUpClaims) demand() *contract.StepUp {
	return &contract.StepUp{MaxAgeSeconds: s.MaxAge, ACR: s.ACR}
}

// event is an event of the call, by the person who authenticates.
func (s *stepUpClaims) event(by Principal) audit.Event {
	return audit.Event{
		Time: time.Now(), Kind: audit.Intent, CallID: s.CallID, Tool: s.Tool, AuditEvent: s.AuditEvent, Risk: s.Risk, Effect: s.Effect,
		Version: s.Version, ContractDigest: s.Contract, ArgumentsDigest: s.Arguments,
		Issuer: by.Issuer, Tenant: by.Tenant, Principal: by.Subject, Agent: !by.Human, Decision: audit.Allow, Stage: stageCompleteStepUp,
	}
}

// scope returns the scope of the keys of the call, if it is p's.
func (s *stepUpClaims) scope(d *Desk, p PrincipalName) store.Scope {
	return d.Ledger.Scope(p.Issuer, p.Tenant, p.Subject, s.Tool)
}

// key is where the authentication is recorded, and questionKey where what the
// page shows is recorded.
func (s *stepUpClaims) key(d *Desk, p PrincipalName) store.Key {
	return s.scope(d, p).Key("stepup\x00" + s.Nonce)
}

func (s *stepUpClaims) questionKey(d *Desk, p PrincipalName) store.Key {
	return s.scope(d, p).Key("stepup question\x00" + s.Nonce)
}

// stepUpQuestion returns what the page shows, or nil if it was not kept.
func (d *Desk) stepUpQuestion(ctx context.Context, key store.Key) (*Question, error) {
	record, err := d.Ledger.Get(ctx, key)
	if err != nil {
		return nil, ledger.Unavailable("the effects of the call cannot be read", err)
	}
	q, err := d.shown.Open(record.Result, sealName(nameStepUpText, key, ""))
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // it was not kept, and the page shows less
	}
	return &q, nil
}

// steppedUp returns the authentication that was made for a call, or nil.
func (d *Desk) steppedUp(ctx context.Context, key store.Key) (*Authenticated, error) {
	record, err := d.Ledger.Get(context.WithoutCancel(ctx), key)
	if err != nil || !record.State.IsFinished() {
		return nil, err
	}
	done, err := d.done.Open(record.Result, sealName(nameStepUpDone, key, ""))
	if err != nil {
		return &Authenticated{}, nil //nolint:nilerr // it was used, and what it was is lost: as too old
	}
	return &done, nil
}
