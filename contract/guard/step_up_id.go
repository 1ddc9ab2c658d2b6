package guard

import (
	"context"
	"encoding/json"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
)

// What is sealed for step-ups is told apart by what it is bound to.
const (
	boundStepUpID   = "id"
	boundStepUpDone = "done"
)

// stepUpRecord begins the name of the record that a step-up was completed.
const stepUpRecord = "stepup\x00"

// stepUpClaims is what the id of a step-up seals.
type stepUpClaims struct {
	Expires   int64           `json:"exp"` // milliseconds of the Unix epoch; the id works before it
	Tool      string          `json:"tool"`
	Principal string          `json:"sub"`
	Demand    contract.StepUp `json:"demand"`
	CallID    string          `json:"call"`
	Nonce     string          `json:"nonce"`
}

// stepUpRequest is what the author's page is told.
func (c *call) stepUpRequest(s *questionState) StepUpRequest {
	claims := &stepUpClaims{
		Expires: s.Expires, Tool: c.entry.doc.Name, Principal: s.Principal, Demand: *c.doc.StepUp, CallID: s.CallID, Nonce: s.StepUp,
	}
	raw, err := json.Marshal(claims)
	if err != nil {
		return StepUpRequest{} // strings and numbers can always be written
	}
	return claims.request(c.set.guard.ledger.stepUps.SealText(raw, []byte(boundStepUpID)), c.principal)
}

func (g *Guard) openStepUpID(id string) (*stepUpClaims, bool) {
	raw, err := g.ledger.stepUps.OpenText(id, []byte(boundStepUpID))
	claims := &stepUpClaims{}
	if err != nil || json.Unmarshal(raw, claims) != nil {
		return nil, false
	}
	return claims, true
}

func (s *stepUpClaims) request(id string, p Principal) StepUpRequest {
	return StepUpRequest{ID: id, Demand: s.Demand, Tool: s.Tool, Principal: p.nameOnly(), CallID: s.CallID, Expires: time.UnixMilli(s.Expires)}
}

// scope is where the keys of the call mean something, if it is p's.
func (s *stepUpClaims) scope(g *Guard, p Principal) idempotency.Scope {
	return idempotency.Scope{Namespace: g.ledger.namespace, Issuer: p.Issuer, Tenant: p.Tenant, Principal: p.Subject, Tool: s.Tool}
}

// key is where it is on record that the step-up was completed.
func (s *stepUpClaims) key(g *Guard, p Principal) idempotency.Key {
	return s.scope(g, p).Key(stepUpRecord + s.Nonce)
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
