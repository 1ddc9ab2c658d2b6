package mail

import (
	"errors"
	"fmt"
	"sync"

	"github.com/toolcontract/toolcontract/contract"
)

// A Post is the mail system: what was drafted and what was sent. The zero value
// is empty and ready. It is safe for concurrent use.
type Post struct {
	mu     sync.Mutex
	drafts []Message
	sent   []Message
}

// Tools returns the contracts over p. The error names every mistake in them.
func (p *Post) Tools() ([]*contract.Tool, error) {
	var tools []*contract.Tool
	var errs []error
	for _, build := range []func() (*contract.Tool, error){
		contactsSearch,
		p.emailsCreateDraft,
		p.emailsSendExternal,
		secretsReadPrivateKey,
	} {
		tool, err := build()
		tools, errs = append(tools, tool), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return tools, nil
}

// Drafts returns how many drafts there are.
func (p *Post) Drafts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.drafts)
}

// Sent returns how many emails were sent.
func (p *Post) Sent() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.sent)
}

// keepDraft stores m and returns its id.
func (p *Post) keepDraft(m Message) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drafts = append(p.drafts, m)
	return fmt.Sprintf("draft_%d", len(p.drafts))
}

// send hands m to the relay and returns the email's id.
func (p *Post) send(m Message) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, m)
	return fmt.Sprintf("email_%d", len(p.sent))
}
