package sdktest

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
)

const (
	approvalPage = "https://notes.example/approvals/question/"
	stepUpPage   = "https://notes.example/step-up?id="

	// personLooks is how long a person looks at a page while the call waits.
	personLooks = 200 * time.Millisecond
)

// A Late person agrees to everything, but only after the caller's token was
// revoked. Late is also the approver and verifies the tokens. The zero value is
// ready to use.
type Late struct {
	people  guard.People
	revoked atomic.Bool
}

// Option makes the guard ask this person.
func (l *Late) Option() guard.Option {
	return guard.WithPeople(guard.PeopleOptions{Approver: l, StepUpPage: func(_ context.Context, r people.StepUpRequest) (string,
		error) {
		return stepUpPage + r.ID, nil
	}})
}

// Verify is [Verify] until the token is revoked.
func (l *Late) Verify(ctx context.Context, token string) (guard.Principal, error) {
	if l.revoked.Load() {
		return guard.Principal{}, errors.New("the token was revoked")
	}
	return Verify(ctx, token)
}

// Attach implements guard.Approver.
func (l *Late) Attach(p guard.People) error {
	l.people = p
	return nil
}

// Pending implements guard.Approver.
func (l *Late) Pending(_ context.Context, q people.PendingQuestion) (string, error) {
	return approvalPage + q.Token, nil
}

// Agree answers an elicitation. Without a URL, it answers a form; otherwise it
// opens the page at the URL and decides there a little later.
func (l *Late) Agree(ctx context.Context, url, id string) {
	if url == "" {
		l.revoked.Store(true)
		return
	}
	ctx = context.WithoutCancel(ctx)
	time.AfterFunc(personLooks, func() {
		l.revoked.Store(true)
		if strings.HasPrefix(url, approvalPage) {
			_ = l.people.Decide(ctx, id, true, guard.Principal{Issuer: "staff", Subject: "dave", Human: true})
			return
		}
		_ = l.people.CompleteStepUp(ctx, id, guard.Principal{Issuer: "test", Subject: "alice", AuthTime: time.Now(), ACR: "mfa"})
	})
}
