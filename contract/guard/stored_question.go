package guard

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract/audit"
	"github.com/toolcontract/toolcontract/contract/store"
)

// A storedQuestion is a question outside the client, as it is sealed in the
// store, so that any replica shows it and takes its answer.
type storedQuestion struct {
	PendingQuestion

	// ID is this question's alone; a later one about the same call has another.
	ID string
	// Arguments name the call among those that were declined.
	Arguments string
	// Event is what the audit log has in common for the call.
	Event audit.Event
}

// What is sealed for approvals is told apart by what it is bound to.
const (
	boundToken    = "token"
	boundQuestion = "question"
	boundDecision = "decision"
)

// briefly is for how many of the store's timeouts something is held that takes
// two of its operations.
const briefly = 2

func (l *ledger) brief() time.Duration { return briefly * l.timeout }

var (
	errQuestionBusy = errors.New("guard: the question is being asked")
	errQuestionLost = errors.New("guard: the store did not keep the question, or what was decided, or it cannot be opened")
)

func (c *call) newQuestion(key store.Key, text *Question) *storedQuestion {
	now := time.Now()
	q := &storedQuestion{ID: rand.Text(), Arguments: c.exactArguments(), Event: c.askedEvent(), PendingQuestion: PendingQuestion{
		Question: *text, Tool: c.entry.doc.Name, Risk: c.doc.Risk, Principal: c.principal.nameOnly(), CallID: c.id,
		Issued: now, Expires: now.Add(c.set.guard.people.questionTTL),
	}}
	q.Token = c.set.guard.questionToken(key, q.ID)
	return q
}

// questionToken names one question: where it is stored, and that it is this one.
func (g *Guard) questionToken(key store.Key, id string) string {
	raw := append(append(key.Partition[:], key.ID[:]...), id...)
	return g.ledger.approvals.SealText(raw, []byte(boundToken))
}

func (g *Guard) openToken(token string) (key store.Key, id string, ok bool) {
	raw, err := g.ledger.approvals.OpenText(token, []byte(boundToken))
	size := len(key.Partition)
	if err != nil || len(raw) <= 2*size {
		return store.Key{}, "", false
	}
	copy(key.Partition[:], raw[:size])
	copy(key.ID[:], raw[size:2*size])
	return key, string(raw[2*size:]), true
}

func (g *Guard) sealQuestion(key store.Key, q *storedQuestion) []byte {
	raw, err := json.Marshal(q)
	if err != nil {
		return nil // texts and numbers can always be written
	}
	return g.ledger.approvals.Seal(raw, bind(boundQuestion, key, ""))
}

func bind(what string, key store.Key, id string) []byte {
	return []byte(what + "\x00" + key.String() + "\x00" + id)
}

// findQuestion returns nil where nobody was asked, or an answer would no longer
// count.
func (g *Guard) findQuestion(ctx context.Context, key store.Key) (*storedQuestion, error) {
	l := g.ledger
	record, err := ask(ctx, l, func(ctx context.Context) (store.Record, error) { return l.store.Get(ctx, key) })
	switch {
	case err != nil:
		return nil, err
	case record.State.IsZero():
		return nil, nil // there is none, which is no error
	case record.State == store.InProgress && record.LeaseLeft > 0:
		return nil, errQuestionBusy
	case record.State == store.InProgress:
		return nil, nil // who wanted to ask did not come to it
	}
	q := &storedQuestion{}
	raw, err := l.approvals.Open(record.Result, bind(boundQuestion, key, ""))
	if err != nil || json.Unmarshal(raw, q) != nil {
		return nil, errQuestionLost
	}
	if !time.Now().Before(q.Expires) {
		return nil, nil // it has expired
	}
	return q, nil
}

// scope is where the keys of the call mean something that the question is about.
func (q *storedQuestion) scope(namespace string) store.Scope {
	p := q.Principal
	return store.Scope{Namespace: namespace, Issuer: p.Issuer, Tenant: p.Tenant, Principal: p.Subject, Tool: q.Tool}
}

func (g *Guard) decisionKey(q *storedQuestion) store.Key {
	return q.scope(g.ledger.namespace).Key("decision\x00" + q.ID)
}

func (g *Guard) sealDecision(key store.Key, q *storedQuestion, d Decision) []byte {
	raw, err := json.Marshal(d)
	if err != nil {
		return nil // a time of today can always be written
	}
	return g.ledger.approvals.Seal(raw, bind(boundDecision, key, q.ID))
}

// findDecision returns nil where nothing is decided yet.
func (g *Guard) findDecision(ctx context.Context, key store.Key, q *storedQuestion) (*Decision, error) {
	l := g.ledger
	record, err := ask(ctx, l, func(ctx context.Context) (store.Record, error) { return l.store.Get(ctx, g.decisionKey(q)) })
	if err != nil {
		return nil, err
	}
	if !record.State.IsFinished() {
		return nil, nil // nothing is decided, which is no error
	}
	d := &Decision{}
	raw, err := l.approvals.Open(record.Result, bind(boundDecision, key, q.ID))
	if err != nil || json.Unmarshal(raw, d) != nil {
		return nil, errQuestionLost
	}
	return d, nil
}
