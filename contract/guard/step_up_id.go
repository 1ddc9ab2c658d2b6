package guard

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

// What is sealed for step-ups is told apart by what it is bound to.
const (
	boundStepUpID   = "id"
	boundStepUpDone = "done"
)

// stepUpClaims is what the id of a step-up seals: when and for whom it works,
// what is demanded, and what the audit log has in common for the call.
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

// newStepUpID makes the id of a request to authenticate for this call.
func (c *call) newStepUpID(s *questionState) string {
	e := c.event(audit.Asked, stageCompleteStepUp)
	raw, err := json.Marshal(stepUpClaims{
		Expires: s.Expires, Principal: s.Principal, MaxAge: c.doc.StepUp.MaxAgeSeconds, ACR: c.doc.StepUp.ACR, Nonce: rand.Text(), CallID: s.CallID,
		Tool: e.Tool, AuditEvent: e.AuditEvent, Risk: e.Risk, Effect: e.Effect, Version: e.Version, Contract: e.ContractDigest, Arguments: e.ArgumentsDigest,
	})
	if err != nil {
		return "" // strings and numbers can always be written
	}
	return c.set.guard.ledger.stepUps.SealText(raw, []byte(boundStepUpID))
}

func (g *Guard) openStepUpID(id string) (*stepUpClaims, bool) {
	raw, err := g.ledger.stepUps.OpenText(id, []byte(boundStepUpID))
	claims := &stepUpClaims{}
	if err != nil || json.Unmarshal(raw, claims) != nil {
		return nil, false
	}
	return claims, true
}

func (s *stepUpClaims) demand() *contract.StepUp {
	return &contract.StepUp{MaxAgeSeconds: s.MaxAge, ACR: s.ACR}
}

// event is the call's, with who authenticates.
func (s *stepUpClaims) event(by Principal) audit.Event {
	return audit.Event{
		Time: time.Now(), Kind: audit.Intent, CallID: s.CallID, Tool: s.Tool, AuditEvent: s.AuditEvent, Risk: s.Risk, Effect: s.Effect,
		Version: s.Version, ContractDigest: s.Contract, ArgumentsDigest: s.Arguments,
		Issuer: by.Issuer, Tenant: by.Tenant, Principal: by.Subject, Agent: !by.isPerson(), Decision: audit.Allow, Stage: stageCompleteStepUp,
	}
}

// scope is where the keys of the call mean something, if it is p's.
func (s *stepUpClaims) scope(g *Guard, p Principal) idempotency.Scope {
	return idempotency.Scope{Namespace: g.ledger.namespace, Issuer: p.Issuer, Tenant: p.Tenant, Principal: p.Subject, Tool: s.Tool}
}

// key is where it is on record that the step-up was completed.
func (s *stepUpClaims) key(g *Guard, p Principal) idempotency.Key {
	return s.scope(g, p).Key("stepup\x00" + s.Nonce)
}

// stepUpDone is the authentication that was made for a call.
type stepUpDone struct {
	At  time.Time
	ACR string
}

func (g *Guard) sealStepUp(key idempotency.Key, d stepUpDone) []byte {
	raw, err := json.Marshal(d)
	if err != nil {
		return nil // a time of today can always be written
	}
	return g.ledger.stepUps.Seal(raw, bind(boundStepUpDone, key, ""))
}

// steppedUp returns the authentication that was made for a call; nil: none.
func (g *Guard) steppedUp(ctx context.Context, key idempotency.Key) (*stepUpDone, error) {
	l := g.ledger
	record, err := ask(context.WithoutCancel(ctx), l, func(ctx context.Context) (idempotency.Record, error) { return l.store.Get(ctx, key) })
	if err != nil || !record.State.IsFinished() {
		return nil, err
	}
	done := &stepUpDone{}
	raw, err := l.stepUps.Open(record.Result, bind(boundStepUpDone, key, ""))
	if err != nil || json.Unmarshal(raw, done) != nil {
		return &stepUpDone{}, nil //nolint:nilerr // it was used, and what it was is lost: as one that is too old
	}
	return done, nil
}
