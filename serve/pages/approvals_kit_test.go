package pages_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/serve/pages"
	"github.com/toolcontract/toolcontract/trust"
)

var (
	alice = guard.Principal{Issuer: "test", Subject: "alice", Permissions: []string{"mail:send"}}
	dave  = guard.Principal{Issuer: "staff", Subject: "dave", Human: true}
	erin  = guard.Principal{Issuer: "staff", Subject: "erin", Human: true}
)

type letter struct {
	To      []string `json:"to"`
	Subject string   `json:"subject"`
	Body    string   `json:"body" contract:"review"`
}

// A guardedTool is a tool whose calls a person must confirm.
type guardedTool struct {
	t    *testing.T
	sent atomic.Int64
	set  *guard.Toolset
}

func newGuardedTool(t *testing.T, page guard.Approver, opts ...guard.Option) *guardedTool {
	t.Helper()
	d := &guardedTool{t: t}
	tool := contract.New("mail.send", func(context.Context, letter) (string, error) {
		d.sent.Add(1)
		return "sent", nil
	}).Description("Sends an email to one or more people outside the organisation.").Version("1.0.0").
		Effect(risk.ExternalPublication).
		Trust(trust.Trusted).Permissions("mail:send").SideEffects(contract.SideEffect{
		Description: "One email leaves the organisation for each recipient.", Reach: contract.External,
		Undo: contract.Irreversible, Affects: "The recipients.",
	}).MustBuild()
	quiet := &audit.Recorder{}
	g, err := guard.New(append([]guard.Option{
		guard.WithPrincipal(guard.PrincipalFunc(func(context.Context) (guard.Principal, error) { return alice, nil })),
		guard.WithAudit(quiet), guard.WithNamespace("desk"), guard.WithPeople(guard.PeopleOptions{Approver: page}),
	}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	d.set, err = g.Protect(tool)
	require.NoError(t, err)
	return d
}

const lunch = `{"to":["anna@example.com"],"subject":"Lunch","body":"Dear Anna,\n\nat noon?\n\nAlice"}`

func (d *guardedTool) call(arguments string) *exchange.Result {
	d.t.Helper()
	r, err := exchange.Of(d.set).Call(d.t.Context(), exchange.Request{Tool: "mail.send", Arguments: json.RawMessage(arguments)})
	require.NoError(d.t, err)
	return r
}

// ask makes a call and returns the address at which a person decides.
func (d *guardedTool) ask(arguments string) string {
	d.t.Helper()
	r := d.call(arguments)
	require.Equal(d.t, contract.CodeConfirmationPending, r.Outcome.Code, r.Text)
	return r.Outcome.URL
}

// A browser stores cookies and sends a Sec-Fetch-Site header with each POST.
type browser struct {
	t    *testing.T
	http *http.Client
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &browser{t, &http.Client{Jar: jar}}
}

// A reply is a response with its body already read.
type reply struct {
	status int
	header http.Header
	body   string
	url    string
}

func (b *browser) do(r *http.Request) reply {
	b.t.Helper()
	resp, err := b.http.Do(r)
	require.NoError(b.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(b.t, err)
	return reply{resp.StatusCode, resp.Header, string(body), resp.Request.URL.String()}
}

func (b *browser) get(address string, header ...string) reply {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, address, nil)
	require.NoError(b.t, err)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return b.do(r)
}

func (b *browser) post(address string, form url.Values, header ...string) reply {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, address, strings.NewReader(form.Encode()))
	require.NoError(b.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return b.do(r)
}

var tokenField = regexp.MustCompile(`name="token" value="([^"]+)"`)

// form returns the values that the form of a question sends.
func form(t *testing.T, page reply, decision string) url.Values {
	t.Helper()
	found := tokenField.FindStringSubmatch(page.body)
	require.NotNil(t, found, page.body)
	return url.Values{"token": {found[1]}, "decision": {decision}}
}

// loopback starts a page on this machine.
func loopback(t *testing.T, c pages.LoopbackConfig) *pages.Approvals {
	t.Helper()
	c.NoBrowser = c.NoBrowser || c.OpenBrowser == nil // the person at this machine is running the tests
	l, err := pages.ListenLoopback(t.Context(), guard.Principal{Issuer: "local", Subject: "alice"}, c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close(context.WithoutCancel(t.Context()))) })
	return l
}
