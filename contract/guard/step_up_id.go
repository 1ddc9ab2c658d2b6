package guard

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/risk"
)

// What is sealed for step-ups is told apart by what it is bound to.
const (
	boundStepUpID   = "id"
	boundStepUpDone = "done"
	boundStepUpText = "question"
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

// newStepUp makes the id of a request to authenticate for this call, and keeps
// what the page shows. The refusal says that it cannot be made.
func (c *call) newStepUp(s *questionState) (id string, refusal *Result) {
	question, refusal := c.question(c.ctx)
	if refusal != nil {
		return "", refusal
	}
	g, e := c.set.guard, c.event(audit.Asked, stageCompleteStepUp)
	claims := &stepUpClaims{
		Expires: s.Expires, Principal: s.Principal, MaxAge: c.doc.StepUp.MaxAgeSeconds, ACR: c.doc.StepUp.ACR, Nonce: rand.Text(), CallID: s.CallID,
		Tool: e.Tool, AuditEvent: e.AuditEvent, Risk: e.Risk, Effect: e.Effect, Version: e.Version, Contract: e.ContractDigest, Arguments: e.ArgumentsDigest,
	}
	key, text := claims.questionKey(g, c.principal), g.sealStepUp(boundStepUpText, claims.questionKey(g, c.principal), question)
	if err := g.recordOnce(context.WithoutCancel(c.ctx), key, claims.Nonce, text, time.Until(time.UnixMilli(s.Expires))); err != nil {
		c.cause = err
		return "", c.refuseLater(contract.CodeUnavailable, "the caller cannot be sent to authenticate now", unavailableDelay)
	}
	raw, err := json.Marshal(claims)
	if err != nil { // strings and numbers can always be written
		c.cause = err
		return "", c.refuse(contract.CodeInternalError, "")
	}
	return g.ledger.stepUps.SealText(raw, []byte(boundStepUpID)), nil
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
func (s *stepUpClaims) scope(g *Guard, p Principal) store.Scope {
	return store.Scope{Namespace: g.ledger.namespace, Issuer: p.Issuer, Tenant: p.Tenant, Principal: p.Subject, Tool: s.Tool}
}

// key is where it is on record that the step-up was completed.
func (s *stepUpClaims) key(g *Guard, p Principal) store.Key {
	return s.scope(g, p).Key("stepup\x00" + s.Nonce)
}

// stepUpDone is the authentication that was made for a call.
type stepUpDone struct {
	At  time.Time
	ACR string
}

// questionKey is where what the page shows is kept.
func (s *stepUpClaims) questionKey(g *Guard, p Principal) store.Key {
	return s.scope(g, p).Key("stepup question\x00" + s.Nonce)
}

func (g *Guard) sealStepUp(what string, key store.Key, value any) []byte {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil // texts, and a time of today, can always be written
	}
	return g.ledger.stepUps.Seal(raw, bind(what, key, ""))
}

// stepUpQuestion returns what the page shows; nil: it was not kept.
func (g *Guard) stepUpQuestion(ctx context.Context, key store.Key) (*Question, error) {
	l := g.ledger
	record, err := ask(ctx, l, func(ctx context.Context) (store.Record, error) { return l.store.Get(ctx, key) })
	if err != nil {
		return nil, unavailable("what the call would do cannot be read", err)
	}
	q := &Question{}
	raw, err := l.stepUps.Open(record.Result, bind(boundStepUpText, key, ""))
	if err != nil || json.Unmarshal(raw, q) != nil {
		return nil, nil //nolint:nilerr,nilnil // it was not kept, and the page says less
	}
	return q, nil
}

// steppedUp returns the authentication that was made for a call; nil: none.
func (g *Guard) steppedUp(ctx context.Context, key store.Key) (*stepUpDone, error) {
	l := g.ledger
	record, err := ask(context.WithoutCancel(ctx), l, func(ctx context.Context) (store.Record, error) { return l.store.Get(ctx, key) })
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
