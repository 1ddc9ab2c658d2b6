package program_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/catalog"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/serve/program"
	"github.com/toolcontract/toolcontract/trust"
)

// desk is a server with every page, and more tools than a page of the contracts
// has.
func desk() program.Server {
	s := invoices()
	s.Contracts = true
	s.Issuers = []string{"https://login.example.com"}
	s.Flags = func(set *flag.FlagSet) {
		set.BoolFunc("desk", "", func(string) error { return nil })
		set.BoolFunc("web", "", func(string) error { return nil })
	}
	if slices.Contains(os.Args, "-web") {
		s.Web = func(origin string, _ adapter.Config, opts []guard.Option) (http.Handler, *guard.Guard, error) {
			opts = append(opts, guard.WithPrincipal(guard.PrincipalFunc(
				func(context.Context) (guard.Principal, error) { return anna, nil })))
			g, err := guard.New(opts...)
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, origin+" "+r.URL.EscapedPath())
			}), g, err
		}
	}
	few := s.Tools
	s.Tools = func() ([]*contract.Tool, error) {
		tools, err := few()
		void, more := contract.New("invoices.void", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }).
			Description("Voids an invoice.").Version("1.0.0").Effect(risk.HighRiskWrite).Trust(trust.Trusted).
			Permissions("invoices:send").ConfirmNever("It is a test.").
			StepUp(contract.StepUp{When: "Every time.", MaxAge: time.Hour}).Build()
		tools, err = append(tools, void), errors.Join(err, more)
		for letter := 'a'; letter <= 'z'; letter++ {
			for second := 'a'; second <= 'h'; second++ {
				one, more := contract.New("invoices."+string([]rune{'x', letter, second}),
					func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }).
					Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).NoPermissions("It is a test.").Build()
				tools, err = append(tools, one), errors.Join(err, more)
			}
		}
		return tools, err
	}
	return s
}

// proxy serves a server below /desk of its own address, over https. It removes
// /desk, or passes it on. Anything else on its host belongs to others.
func proxy(t *testing.T, backend string, strips bool) *httptest.Server {
	t.Helper()
	to, err := url.Parse("http://" + backend)
	require.NoError(t, err)
	var next http.Handler = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}}
	mux := http.NewServeMux()
	mux.Handle("/.well-known/oauth-protected-resource/desk/", next)
	if strips {
		mux.Handle("/desk/", http.StripPrefix("/desk", next))
	} else {
		mux.Handle("/desk/", next)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s belongs to another server of the host", r.Method, r.URL)
		http.NotFound(w, r)
	})
	p := httptest.NewTLSServer(mux)
	t.Cleanup(p.Close)
	return p
}

// A desktop is a browser that checks every address that it is given.
type desktop struct {
	t      *testing.T
	client *http.Client
	host   string // of the proxy, with https
	opened map[string]bool
}

func newDesktop(t *testing.T, p *httptest.Server) *desktop {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &desktop{t: t, host: p.URL, opened: map[string]bool{}, client: &http.Client{
		Jar: jar, Transport: p.Client().Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// is checks that an address of a page is below /desk, with the page to return
// to.
func (d *desktop) is(page, what, address string) *url.URL {
	d.t.Helper()
	from, err := url.Parse(page)
	require.NoError(d.t, err)
	to, err := from.Parse(address)
	require.NoError(d.t, err)
	assert.True(d.t, strings.HasPrefix(to.String(), d.host+"/desk/"), "%s of %s: %s", what, page, address)
	if back := to.Query().Get("return_to"); back != "" {
		assert.True(d.t, strings.HasPrefix(back, "/desk/"), "return_to of %s: %s", page, address)
	}
	return to
}

var (
	addresses   = regexp.MustCompile(`(?:href|src|action|formaction)="([^"#][^"]*)"`)
	links       = regexp.MustCompile(`(?:href|src)="([^"#][^"]*)"`)
	goesOn      = regexp.MustCompile(`content="0; url=([^"]+)"`)
	returnField = regexp.MustCompile(`name="return_to" value="([^"]*)"`)
)

// send sends a request, checks the addresses of the answer, and follows a
// redirect. It returns the page and its address.
func (d *desktop) send(method, address string, form url.Values) (status int, page, at string) {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), method, address, strings.NewReader(form.Encode()))
	require.NoError(d.t, err)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", d.host)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	resp, err := d.client.Do(r)
	require.NoError(d.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(d.t, err)
	for _, c := range resp.Cookies() {
		assert.Equal(d.t, "/desk/", c.Path, "the cookie of %s", address)
		assert.Equal(d.t, "__Secure-sign-in", c.Name)
		assert.True(d.t, c.Secure && c.HttpOnly)
	}
	if to := resp.Header.Get("Location"); to != "" {
		return d.send(http.MethodGet, d.is(address, "Location", to).String(), nil)
	}
	page = string(body)
	for _, found := range addresses.FindAllStringSubmatch(page, -1) {
		d.is(address, "link", html.UnescapeString(found[1]))
	}
	for _, found := range goesOn.FindAllStringSubmatch(page, -1) {
		d.is(address, "refresh", html.UnescapeString(found[1]))
	}
	for _, found := range returnField.FindAllStringSubmatch(page, -1) {
		assert.True(d.t, strings.HasPrefix(html.UnescapeString(found[1]), "/desk/"), found[1])
	}
	return resp.StatusCode, html.UnescapeString(page), address
}

// crawl opens an address and everything that its page links to.
func (d *desktop) crawl(address string) {
	d.t.Helper()
	if d.opened[address] {
		return
	}
	d.opened[address] = true
	status, page, at := d.send(http.MethodGet, address, nil)
	assert.Contains(d.t, []int{http.StatusOK, http.StatusUnauthorized}, status, address)
	for _, found := range links.FindAllStringSubmatch(page, -1) {
		d.crawl(d.is(at, "link", found[1]).String())
	}
}

// signIn presses the link of a page to the sign-in, and signs in there. It
// returns the page that follows.
func (d *desktop) signIn(page, at string) (int, string, string) {
	d.t.Helper()
	form := d.is(at, "sign-in", find(d.t, signInLink, page)).String()
	status, _, _ := d.send(http.MethodGet, form, nil)
	require.Equal(d.t, http.StatusOK, status)
	return d.send(http.MethodPost, form, url.Values{"token": {"123456"}})
}

var (
	hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)
	formAction  = regexp.MustCompile(`<form method="post" action="([^"]+)"`)
)

// agree sends the form of a page.
func (d *desktop) agree(page, at string) (int, string) {
	d.t.Helper()
	form := url.Values{"decision": {"yes"}}
	for _, found := range hiddenField.FindAllStringSubmatch(page, -1) {
		form.Set(found[1], found[2])
	}
	status, page, _ := d.send(http.MethodPost, d.is(at, "form", find(d.t, formAction, page)).String(), form)
	return status, page
}

// An opener sends its user to the addresses of a server.
type opener func(address string)

func (o opener) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	o(r.Params.URL)
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept}}, nil
}

// startDesk starts the server behind a proxy.
func startDesk(t *testing.T, strips bool, more ...string) (*process, *httptest.Server) {
	t.Helper()
	backend := freeAddress(t)
	front := proxy(t, backend, strips)
	args := append([]string{"-desk", "-approval", "-http", backend, "-origin", front.URL + "/desk/",
		"-proxy-header", "X-Forwarded-For"}, more...)
	if strips {
		args = append(args, "-proxy-strips")
	}
	p := start(t, args...)
	assert.Equal(t, front.URL+"/desk", p.origin)
	p.over = front.Client()
	return p, front
}

func bothProxies(t *testing.T, test func(t *testing.T, p *process, front *httptest.Server), more ...string) {
	t.Helper()
	for name, strips := range map[string]bool{"a proxy that passes the path on": false, "a proxy that removes the path": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, front := startDesk(t, strips, more...)
			test(t, p, front)
			p.end()
		})
	}
}

func TestMain_ApprovesAndStepsUpBelowAPath(t *testing.T) {
	t.Parallel()
	bothProxies(t, func(t *testing.T, p *process, front *httptest.Server) {
		d := newDesktop(t, front)
		pending := p.send("agent")
		require.Equal(t, contract.CodeConfirmationPending, pending.Code)
		d.is(p.origin, "question", pending.URL)

		status, page, at := d.send(http.MethodGet, pending.URL, nil)
		require.Equal(t, http.StatusUnauthorized, status)
		status, page, at = d.signIn(page, at)
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, pending.URL, at, "the sign-in leads back to the question")
		d.crawl(p.origin + "/approvals")
		d.crawl(p.origin + "/approvals/")
		assert.True(t, d.opened[pending.URL], "the list links to the question")
		status, page = d.agree(page, at)
		require.Equal(t, http.StatusOK, status)
		assert.Contains(t, page, "It may run")
		assert.Equal(t, contract.StatusOK, p.send("agent").Status)

		other := newDesktop(t, front)
		var opened string
		result, err := p.call("agent", "invoices_void", client.WithElicitationHandler(opener(func(address string) {
			opened = address
			other.is(p.origin, "step-up", address)
			status, page, at := other.send(http.MethodGet, address, nil)
			require.Equal(t, http.StatusUnauthorized, status)
			status, page, at = other.signIn(page, at)
			require.Equal(t, http.StatusOK, status)
			require.Contains(t, page, "invoices.void", "the sign-in leads back to the call")
			other.crawl(address)
			status, page = other.agree(page, at)
			require.Equal(t, http.StatusOK, status, page)
		})), client.WithClientCapabilities(mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{URL: &struct{}{}}}))
		require.NoError(t, err)
		assert.False(t, result.IsError)
		assert.NotEmpty(t, opened)

		for _, where := range []string{"/step-up", "/step-up?id=x", "/approvals/question/x"} {
			other.send(http.MethodGet, p.origin+where, nil)
		}
		status, page, at = d.send(http.MethodGet, p.origin+"/approvals/sign-in", nil)
		require.Equal(t, http.StatusOK, status)
		out := url.Values{"form_token": {find(t, regexp.MustCompile(`name="form_token" value="([^"]+)"`), page)}}
		_, _, at = d.send(http.MethodPost, d.is(at, "form", find(t, formAction, page)).String(), out)
		assert.Equal(t, p.origin+"/approvals/sign-in", at)
		status, _, _ = d.send(http.MethodGet, p.origin+"/approvals", nil)
		assert.Equal(t, http.StatusUnauthorized, status, "the cookie is gone")
	})
}

func TestMain_ShowsTheContractsBelowAPath(t *testing.T) {
	t.Parallel()
	bothProxies(t, func(t *testing.T, p *process, front *httptest.Server) {
		d := newDesktop(t, front)
		page := p.origin + catalog.PagePath
		d.crawl(page)
		assert.True(t, d.opened[page+".json"] && d.opened[page+"/page.css"] && d.opened[page+"/style.css"], "%v", d.opened)
		assert.True(t, d.opened[page+"?page=2"], "%v", d.opened)
		_, shown, at := d.send(http.MethodGet, page+"?risk=low", nil)
		status, shown, at := d.signIn(shown, at)
		require.Equal(t, http.StatusOK, status)
		assert.Equal(t, page+"?risk=low", at, "the sign-in leads back to the selection")
		assert.Contains(t, shown, "Signed in as")
		for _, to := range []string{
			"/elsewhere", "/desk/../elsewhere", "/desk/%2e%2e/elsewhere", "/deskside", "//evil.example", "/desk/..%2f",
		} {
			_, _, at := d.send(http.MethodPost, p.origin+"/approvals/sign-in?"+url.Values{"return_to": {to}}.Encode(),
				url.Values{"token": {"123456"}})
			assert.Equal(t, p.origin+"/approvals", at, to)
		}
	})
}

func TestMain_ServesOAuthMetadataAtTheRootOfTheHost(t *testing.T) {
	t.Parallel()
	bothProxies(t, func(t *testing.T, p *process, front *httptest.Server) {
		metadata := front.URL + "/.well-known/oauth-protected-resource/desk/mcp"
		resp, err := p.over.Post(p.origin+"/mcp", "application/json", strings.NewReader("{}"))
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, http.StatusUnauthorized, resp.StatusCode)
		assert.Contains(t, resp.Header.Get("WWW-Authenticate"), `resource_metadata="`+metadata+`"`)
		_, text := visit(t, p.over, http.MethodGet, metadata, nil)
		assert.Contains(t, text, `"resource":"`+p.origin+`/mcp"`)
	})
}

func TestMain_PassesThePathWithoutThatOfTheOriginToWeb(t *testing.T) {
	t.Parallel()
	bothProxies(t, func(t *testing.T, p *process, front *httptest.Server) {
		for address, want := range map[string]string{
			p.origin + "/": "/", p.origin + "/admin/x": "/admin/x", p.origin + "/a%2Fb": "/a%2Fb",
			front.URL + "/.well-known/oauth-protected-resource/desk/mcp": "/.well-known/oauth-protected-resource/desk/mcp",
		} {
			_, seen := visit(t, p.over, http.MethodGet, address, nil)
			assert.Equal(t, p.origin+" "+want, seen, address)
		}
	}, "-web")
}

func TestMain_ReportsAWrongOriginInTheWordsOfACommand(t *testing.T) {
	t.Parallel()
	for _, wrong := range []string{
		"mail.example.com", "https://me:secret@mail.example.com", "https://mail.example.com/desk?secret=1",
		"https://mail.example.com/desk?", "https://mail.example.com/desk#secret", "https://mail.example.com/a/../b",
		"https://mail.example.com/desk//", "https://mail.example.com/%64esk", "https://mail.example.com/.well-known",
		"http://mail.example.com/desk",
	} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, 2, invoices().Main([]string{"-http", "127.0.0.1:0", "-origin", wrong}, &stdout, &stderr), wrong)
		assert.Contains(t, stderr.String(), "invoices: -origin")
		assert.NotContains(t, stderr.String(), "secret")
		assert.NotContains(t, stderr.String(), "Config")
	}
	for _, args := range [][]string{{"-proxy-strips"}, {"-proxy-strips", "-origin", "https://mail.example.com/"}} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, 2, invoices().Main(append(args, "-http", "127.0.0.1:0"), &stdout, &stderr), args)
		assert.Contains(t, stderr.String(), "invoices: -proxy-strips")
	}
}
