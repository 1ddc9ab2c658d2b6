package mail

import (
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/contract"
)

// A Post is the mail system: drafts, sent emails, download links and roles. The
// zero Post is empty and ready to use. It is safe for concurrent use.
type Post struct {
	// StepUp requires a recent authentication to send a campaign. Set it before
	// calling Tools.
	StepUp bool

	clock func() time.Time // nil means time.Now

	mu     sync.Mutex
	drafts []Message
	sent   []Message
	links  []LinkOutput
	roles  map[string]string // by user id

	campaigns int // sent
}

// Tools returns the tools of the mail system. The error names every mistake in
// their contracts.
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
		tools = append(tools, tool)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return tools, nil
}

// Drafts returns the number of drafts.
func (p *Post) Drafts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.drafts)
}

// Sent returns the number of emails that were sent.
func (p *Post) Sent() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.sent)
}

// Links returns the number of download links that were created, including
// expired ones.
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

// newID returns a random id. Ids are unique across servers, because servers
// that share a store replay each other's results. Links cannot be guessed.
func newID(kind string) string { return kind + "_" + strings.ToLower(rand.Text()) }

// addDraft stores a draft and returns its id.
func (p *Post) addDraft(m Message) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drafts = append(p.drafts, m)
	return newID("draft")
}

func (p *Post) addLink(l LinkOutput) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.links = append(p.links, l)
}

// send hands m to the relay and returns the id of the email.
func (p *Post) send(m Message) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = append(p.sent, m)
	return newID("email")
}
