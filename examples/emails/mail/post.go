package mail

import (
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract"
)

// A Post is the mail system: what was drafted and sent, and the links to its
// files. The zero value is empty and ready. It is safe for concurrent use.
type Post struct {
	// StepUp has whoever sends a campaign authenticate anew. Set it before Tools.
	StepUp bool

	clock func() time.Time // nil: time.Now

	mu     sync.Mutex
	drafts []Message
	sent   []Message
	links  []LinkOutput
	roles  map[string]string // by user

	campaigns int
}

// Tools returns the contracts over p. The error names every mistake in them.
func (p *Post) Tools() ([]*contract.Tool, error) {
	var tools []*contract.Tool
	var errs []error
	for _, build := range []func() (*contract.Tool, error){
		contactsSearch,
		p.emailsCreateDraft,
		p.emailsSendExternal,
		p.emailsBulkSend,
		p.filesCreateDownloadLink,
		p.accountsChangePermissions,
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

// Links returns how many download links were made, ended ones too.
func (p *Post) Links() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links)
}

func (p *Post) now() time.Time {
	if p.clock == nil {
		return time.Now()
	}
	return p.clock()
}

// newID names something new. Servers that share a store answer for each other,
// so two of them never give one name; and nobody guesses a link's.
func newID(kind string) string { return kind + "_" + strings.ToLower(rand.Text()) }

// keepDraft stores m and returns its id.
func (p *Post) keepDraft(m Message) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drafts = append(p.drafts, m)
	return newID("draft")
}

func (p *Post) keepLink(l LinkOutput) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.links = append(p.links, l)
}

// send hands m to the relay and returns the email's id.
func (p *Post) send(m Message) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, m)
	return newID("email")
}
