package consent

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store"
)

// A storedQuestion is a question outside the client, as every replica knows it.
type storedQuestion struct {
	people.PendingQuestion

	ID        string      // unique to this question, even among those about the same call
	Identity  string      // the name of the tool in the call's keys; empty: Tool
	Arguments string      // identifies the call among the declined ones
	Event     audit.Event // the fields that all audit events of the call share
}

// A storedForm is a storedQuestion as it is written to the store.
type storedForm struct {
	Token           string
	Question        people.Question
	Tool            string
	Risk            risk.Level
	Principal       storedName
	CallID          string
	Issued, Expires time.Time
	Decision        *storedRuling
	ID              string
	Identity        string `json:",omitempty"`
	Arguments       string
	Event           audit.Event
}

// A storedName is a principal's name as it is written to the store. Its other
// members are always empty.
type storedName struct {
	people.PrincipalName

	Permissions []string
	Human       bool
	AuthTime    time.Time
	ACR         string
}

// A storedRuling is a [people.Ruling] as it is written to the store.
type storedRuling struct {
	Approved bool
	By       storedName
	At       time.Time
}

// The names that separate the kinds of sealed records for approvals.
const (
	nameToken    = "token"
	nameQuestion = "question"
	nameRuling   = "decision"
)

func sealName(what string, key store.Key, id string) string {
	return what + "\x00" + key.String() + "\x00" + id
}

var (
	errQuestionBusy = errors.New("guard: the question is being asked")
	errQuestionLost = errors.New("guard: the question or its decision is not in the store, or cannot be opened")
)

// newQuestion returns a question about the call, to be stored under key.
func (r *round) newQuestion(key store.Key, text *people.Question) *storedQuestion {
	now := time.Now()
	c := r.call
	q := &storedQuestion{
		ID: rand.Text(), Arguments: c.exactArguments(), Event: c.Pipeline.Event(audit.Asked, facts.StageConfirm),
		PendingQuestion: people.PendingQuestion{
			Question: *text, Tool: c.Doc.Name, Risk: c.Doc.Risk, Principal: facts.NameOf(*c.Principal), CallID: c.Journal.ID(),
			Issued: now, Expires: now.Add(r.service.QuestionTTL),
		},
	}
	if identity := c.Scope.Tool; identity != q.Tool {
		q.Identity = identity
	}
	q.Token = r.service.newToken(key, q.ID)
	return q
}

// newToken returns the token of a question: its key in the store, and its id.
func (svc *Service) newToken(key store.Key, id string) string {
	raw := append(append(key.Partition[:], key.ID[:]...), id...)
	return svc.tokens.SealText(raw, []byte(nameToken))
}

func (svc *Service) openToken(token string) (key store.Key, id string, ok bool) {
	raw, err := svc.tokens.OpenText(token, []byte(nameToken))
	size := len(key.Partition)
	if err != nil || len(raw) <= 2*size {
		return store.Key{}, "", false
	}
	copy(key.Partition[:], raw[:size])
	copy(key.ID[:], raw[size:2*size])
	return key, string(raw[2*size:]), true
}

func (svc *Service) sealQuestion(key store.Key, q *storedQuestion) []byte {
	return svc.questions.Seal(storedForm{
		Token: q.Token, Question: q.Question, Tool: q.Tool, Risk: q.Risk, Principal: storedName{PrincipalName: q.Principal},
		CallID: q.CallID,
		Issued: q.Issued, Expires: q.Expires, ID: q.ID, Identity: q.Identity, Arguments: q.Arguments, Event: q.Event,
	}, sealName(nameQuestion, key, ""))
}

// findQuestion returns the question under a key. It returns nil if nobody was
// asked, or if an answer would no longer count.
func (svc *Service) findQuestion(ctx context.Context, key store.Key) (*storedQuestion, error) {
	record, err := svc.Ledger.Get(ctx, key)
	switch {
	case err != nil:
		return nil, err
	case record.State == store.NoRecord:
		return nil, nil // there is no question, which is not an error
	case record.State == store.InProgress && record.LeaseLeft > 0:
		return nil, errQuestionBusy
	case record.State == store.InProgress:
		return nil, nil // the call that claimed the key did not ask
	}
	form, err := svc.questions.Open(record.Result, sealName(nameQuestion, key, ""))
	if err != nil {
		return nil, errQuestionLost
	}
	if !time.Now().Before(form.Expires) {
		return nil, nil // it has expired
	}
	return &storedQuestion{
		ID: form.ID, Identity: form.Identity, Arguments: form.Arguments, Event: form.Event,
		PendingQuestion: people.PendingQuestion{
			Token: form.Token, Question: form.Question, Tool: form.Tool, Risk: form.Risk, Principal: form.Principal.PrincipalName,
			CallID: form.CallID, Issued: form.Issued, Expires: form.Expires,
		},
	}, nil
}

// scopeOf returns the scope of the keys of the call that a question is about.
func (svc *Service) scopeOf(q *storedQuestion) store.Scope {
	return svc.Ledger.Scope(q.Principal.Issuer, q.Principal.Tenant, q.Principal.Subject, cmp.Or(q.Identity, q.Tool))
}

func (svc *Service) rulingKey(q *storedQuestion) store.Key {
	return svc.scopeOf(q).Key("decision\x00" + q.ID)
}

func (svc *Service) sealRuling(key store.Key, q *storedQuestion, r people.Ruling) []byte {
	form := storedRuling{Approved: r.Approved, By: storedName{PrincipalName: r.By}, At: r.At}
	return svc.rulings.Seal(form, sealName(nameRuling, key, q.ID))
}

// findRuling returns the ruling on a question, or nil if it is undecided.
func (svc *Service) findRuling(ctx context.Context, key store.Key, q *storedQuestion) (*people.Ruling, error) {
	record, err := svc.Ledger.Get(ctx, svc.rulingKey(q))
	if err != nil {
		return nil, err
	}
	if !record.State.IsFinished() {
		return nil, nil // the question is undecided, which is not an error
	}
	form, err := svc.rulings.Open(record.Result, sealName(nameRuling, key, q.ID))
	if err != nil {
		return nil, errQuestionLost
	}
	return &people.Ruling{Approved: form.Approved, By: form.By.PrincipalName, At: form.At}, nil
}
