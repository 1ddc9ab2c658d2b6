package consent

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
)

// The names that separate the kinds of sealed records for step-ups.
const (
	nameStepUpID   = "id"
	nameStepUpDone = "done"
	nameStepUpText = "question"
)

// stepUpClaims is the sealed content of a request's id: its expiry, its
// principal, the demand, and the fields that all audit events of the call
// share.
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
	Exact      string      `json:"exact,omitempty"` // the digest of the arguments under which a decline is remembered
}

// newStepUp makes the id of a request for this call, and stores the question
// for the page. A refusal means that the request cannot be made.
func (r *round) newStepUp(ctx context.Context, s *QuestionState) (id string, refused *answer.Refusal) {
	question, refused := r.question(ctx)
	if refused != nil {
		return "", refused
	}
	svc, demand := r.service, r.call.Doc.StepUp
	e := r.call.Pipeline.Event(audit.Asked, facts.StageCompleteStepUp)
	claims := stepUpClaims{
		Expires: s.Expires, Principal: s.Principal, MaxAge: int64(demand.MaxAge / time.Second), ACR: demand.ACR, Nonce: rand.Text(),
		CallID: s.CallID,
		Tool:   e.Tool, AuditEvent: e.AuditEvent, Risk: e.Risk, Effect: e.Effect, Version: e.Version, Contract: e.ContractDigest,
		Arguments: e.ArgumentsDigest, Exact: r.call.exactArguments(),
	}
	key := claims.questionKey(svc, *r.call.Principal)
	sealed := svc.stepUpTexts.Seal(*question, sealName(nameStepUpText, key, ""))
	err := svc.Ledger.Once(context.WithoutCancel(ctx), key, claims.Nonce, sealed, time.Until(time.UnixMilli(s.Expires)))
	if err != nil {
		return "", cannotSend(err)
	}
	return svc.stepUpIDs.SealText(claims, nameStepUpID), nil
}

func (svc *Service) openStepUpID(id string) (*stepUpClaims, bool) {
	claims, err := svc.stepUpIDs.OpenText(id, nameStepUpID)
	return &claims, err == nil
}

func (s *stepUpClaims) demand() *contract.StepUp {
	return &contract.StepUp{MaxAge: time.Duration(s.MaxAge) * time.Second, ACR: s.ACR}
}

// event returns an event of the call, with the person who authenticates as its
// principal.
func (s *stepUpClaims) event(by contract.Principal) audit.Event {
	return audit.Event{
		Time: time.Now(), Kind: audit.Decided, CallID: s.CallID, Tool: s.Tool, AuditEvent: s.AuditEvent, Risk: s.Risk, Effect: s.Effect,
		Version: s.Version, ContractDigest: s.Contract, ArgumentsDigest: s.Arguments,
		Issuer: by.Issuer, Tenant: by.Tenant, Principal: by.Subject, Agent: !facts.IsPerson(by), Decision: audit.Allow,
		Stage: facts.StageCompleteStepUp,
	}
}

// scope returns the scope of the call's keys if p makes the call.
func (s *stepUpClaims) scope(svc *Service, p contract.Principal) store.Scope {
	return svc.Ledger.Scope(p.Issuer, p.Tenant, p.Subject, s.Tool)
}

// key returns the key under which the authentication is recorded. The key of
// the question for the page is questionKey.
func (s *stepUpClaims) key(svc *Service, p contract.Principal) store.Key {
	return s.scope(svc, p).Key("stepup\x00" + s.Nonce)
}

func (s *stepUpClaims) questionKey(svc *Service, p contract.Principal) store.Key {
	return s.scope(svc, p).Key("stepup question\x00" + s.Nonce)
}

// stepUpQuestion returns the question for the page, or nil if the store has not
// kept it.
func (svc *Service) stepUpQuestion(ctx context.Context, key store.Key) (*people.Question, error) {
	record, err := svc.Ledger.Get(ctx, key)
	if err != nil {
		return nil, ledger.Unavailable("the effects of the call cannot be read", err)
	}
	q, err := svc.stepUpTexts.Open(record.Result, sealName(nameStepUpText, key, ""))
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // the question was not kept, so the page shows less
	}
	return &q, nil
}

// findAuthentication returns the answer to the request of a call, or nil.
func (svc *Service) findAuthentication(ctx context.Context, key store.Key) (*Authenticated, error) {
	record, err := svc.Ledger.Get(context.WithoutCancel(ctx), key)
	if err != nil || !record.State.IsFinished() {
		return nil, err
	}
	auth, err := svc.authentications.Open(record.Result, sealName(nameStepUpDone, key, ""))
	if err != nil {
		return &Authenticated{}, nil //nolint:nilerr // the id was used, but the authentication is lost: treated as too old
	}
	return &auth, nil
}
