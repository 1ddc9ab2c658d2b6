package program_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"flag"
	"html"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/serve/oauth"
	"github.com/toolcontract/toolcontract/serve/pages"
	"github.com/toolcontract/toolcontract/serve/program"
	"github.com/toolcontract/toolcontract/trust"
)

// serveEnv is the environment variable that makes this test binary the server.
const serveEnv = "TOOLCONTRACT_PROGRAM_SERVES"

func TestMain(m *testing.M) {
	if os.Getenv(serveEnv) != "" {
		s := invoices()
		s.Flags = func(set *flag.FlagSet) {
			set.BoolFunc("challenge", "", func(string) error { return nil })
			set.BoolFunc("tokens", "", func(string) error { return nil })
			set.BoolFunc("prints", "", func(string) error { return nil })
		}
		if slices.Contains(os.Args, "-desk") {
			s = desk()
		}
		if slices.Contains(os.Args, "-challenge") {
			s.Issuers = []string{"https://login.example.com"}
		}
		if slices.Contains(os.Args, "-tokens") {
			s.Callers, s.Tokens = nil, tokens()
		}
		if slices.Contains(os.Args, "-prints") {
			s.Tools = printingTools
		}
		os.Exit(s.Main(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

var anna = guard.Principal{Issuer: "login", Subject: "anna", Permissions: []string{"invoices:send"}}

// invoices is a server with one tool, which a person must approve.
func invoices() program.Server {
	return program.Server{
		Name: "invoices", Version: "1.0.0", Approval: true, StepUp: true, Public: true,
		Tools: func() ([]*contract.Tool, error) {
			send, err := contract.New("invoices.send", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }).
				Description("Sends an invoice.").Version("1.0.0").Effect(risk.HighRiskWrite).Trust(trust.Trusted).Permissions(
				"invoices:send").
				ConfirmAlways().Build()
			hold, more := contract.New("invoices.hold", func(context.Context, struct{}) (struct{}, error) {
				_, _ = io.WriteString(os.Stderr, "holding\n")
				select {}
			}).Description("Never ends.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted).Build()
			return []*contract.Tool{send, hold}, errors.Join(err, more)
		},
		Callers: func(_ context.Context, token string) (guard.Principal, error) {
			if token != "agent" {
				return guard.Principal{}, errors.New("unknown")
			}
			return anna, nil
		},
		SignIn: pages.SignIn{Verify: func(_ context.Context, code string) (guard.Principal, error) {
			person := anna
			person.Human = code == "123456"
			return person, nil
		}},
	}
}

// A process is a server over HTTP.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	stderr *bufio.Reader
	origin string
	over   *http.Client
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t, over: http.DefaultClient, cmd: exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0],
		append([]string{"-http", "127.0.0.1:0"}, args...)...)}
	p.cmd.Env = append(os.Environ(), serveEnv+"=1")
	p.cmd.SysProcAttr = ownGroup()
	stderr, err := p.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	p.stderr = bufio.NewReader(stderr)
	line, err := p.stderr.ReadString('\n')
	require.NoError(t, err)
	origin, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	require.True(t, found, line)
	p.origin = strings.TrimSuffix(origin, "/mcp")
	return p
}

// end asks the process to terminate and returns the rest of its stderr.
func (p *process) end() string {
	p.t.Helper()
	terminate(p.t, p.cmd.Process)
	rest, err := io.ReadAll(p.stderr)
	require.NoError(p.t, err)
	require.NoError(p.t, p.cmd.Wait())
	return string(rest)
}

// send calls the tool that a person must approve, and returns the outcome.
func (p *process) send(token string) contract.Outcome {
	p.t.Helper()
	result, err := p.call(token, "invoices_send")
	require.NoError(p.t, err)
	data, err := json.Marshal(result.Meta.AdditionalFields[contract.MetaKeyOutcome])
	require.NoError(p.t, err)
	var outcome contract.Outcome
	require.NoError(p.t, json.Unmarshal(data, &outcome))
	return outcome
}

func (p *process) call(token, tool string, opts ...client.ClientOption) (*mcp.CallToolResult, error) {
	p.t.Helper()
	over, err := transport.NewStreamableHTTP(p.origin+"/mcp", transport.WithHTTPBasicClient(p.over),
		transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + token}))
	require.NoError(p.t, err)
	c := client.NewClient(over, opts...)
	require.NoError(p.t, c.Start(p.t.Context()))
	defer c.Close()
	_, err = c.Initialize(p.t.Context(),
		mcp.InitializeRequest{Params: mcp.InitializeParams{ClientInfo: mcp.Implementation{Name: "test", Version: "1"}}})
	require.NoError(p.t, err)
	return c.CallTool(p.t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool}})
}

// visit sends a request of a browser.
func visit(t *testing.T, c *http.Client, method, address string, form url.Values) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := c.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, html.UnescapeString(string(body))
}

var (
	signInLink = regexp.MustCompile(`href="([^"]*/sign-in\?[^"]*)"`)
	formToken  = regexp.MustCompile(`name="token" value="([^"]+)"`)
)

// find returns the first group of a pattern.
func find(t *testing.T, pattern *regexp.Regexp, page string) string {
	t.Helper()
	found := pattern.FindStringSubmatch(page)
	require.NotNil(t, found, page)
	return found[1]
}

func TestMain_ServesToolsAndPagesAndEndsInOrder(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "audit.jsonl")
	p := start(t, "-approval", "-audit", log)
	assert.Equal(t, contract.CodeUnauthenticated, p.send("stranger").Code)
	pending := p.send("agent")
	require.Equal(t, contract.CodeConfirmationPending, pending.Code)

	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	browser := &http.Client{Jar: jar}
	status, page := visit(t, browser, http.MethodGet, pending.URL, nil)
	assert.Equal(t, http.StatusUnauthorized, status)
	signIn := p.origin + find(t, signInLink, page)
	status, _ = visit(t, browser, http.MethodPost, signIn, url.Values{"token": {"guess"}})
	assert.Equal(t, http.StatusUnauthorized, status)
	status, page = visit(t, browser, http.MethodPost, signIn, url.Values{"token": {"123456"}})
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, page, "invoices.send", "the sign-in leads back to the question")
	status, _ = visit(t, browser, http.MethodPost, pending.URL, url.Values{"token": {find(t, formToken, page)}, "decision": {"yes"}})
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, contract.StatusOK, p.send("agent").Status)

	status, _ = visit(t, http.DefaultClient, http.MethodGet, p.origin+"/step-up?id=x", nil)
	assert.Equal(t, http.StatusUnauthorized, status)
	status, _ = visit(t, browser, http.MethodGet, p.origin+"/step-up?id=x", nil)
	assert.Equal(t, http.StatusNotFound, status, "the pages share the session")
	status, _ = visit(t, browser, http.MethodGet, p.origin+"/readyz", nil)
	assert.Equal(t, http.StatusOK, status)

	_, head, found := strings.Cut(p.end(), "head of the audit log: ")
	require.True(t, found)
	var stdout, stderr bytes.Buffer
	assert.Equal(t, 0, invoices().Main([]string{"-verify-audit", log, "-head", strings.TrimSpace(head)}, &stdout, &stderr),
		stderr.String())
}

func TestMain_SecondSignalEndsTheProcessAtOnce(t *testing.T) {
	t.Parallel()
	p := start(t)
	var called sync.WaitGroup
	called.Go(func() {
		_, err := p.call("agent", "invoices_hold")
		assert.Error(t, err, "the process is gone")
	})
	line, err := p.stderr.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "holding\n", line)
	terminate(t, p.cmd.Process)
	for err == nil { // until it no longer accepts
		var c net.Conn
		if c, err = net.Dial("tcp", strings.TrimPrefix(p.origin, "http://")); err == nil {
			require.NoError(t, c.Close())
		}
	}
	terminate(t, p.cmd.Process)
	_, err = io.Copy(io.Discard, p.stderr)
	require.NoError(t, err)
	require.Error(t, p.cmd.Wait())
	assert.Equal(t, -1, p.cmd.ProcessState.ExitCode(), "a signal ended it, not the drain time")
	called.Wait()
}

func TestMain_AcceptsRequestsWhileABalancerStopsToSendThem(t *testing.T) {
	t.Parallel()
	p := start(t, "-drain-delay", "1h")
	ready := func() int {
		status, _ := visit(t, p.over, http.MethodGet, p.origin+"/readyz", nil)
		return status
	}
	require.Equal(t, http.StatusOK, ready())
	terminate(t, p.cmd.Process)
	for ready() == http.StatusOK { // until the signal has arrived
		time.Sleep(time.Millisecond)
	}
	assert.Equal(t, http.StatusServiceUnavailable, ready(), "the server accepts connections")
	terminate(t, p.cmd.Process)
	_, err := io.Copy(io.Discard, p.stderr)
	require.NoError(t, err)
	require.Error(t, p.cmd.Wait())
}

func TestMain_ChallengesRequestsIfThereAreIssuers(t *testing.T) {
	t.Parallel()
	p := start(t, "-challenge")
	_, metadata := visit(t, http.DefaultClient, http.MethodGet, p.origin+"/.well-known/oauth-protected-resource/mcp", nil)
	assert.JSONEq(t, `{"resource":"`+p.origin+
		`/mcp","resource_name":"invoices","authorization_servers":["https://login.example.com"],
		"scopes_supported":["invoices:send"],"bearer_methods_supported":["header"]}`, metadata)
	status, _ := visit(t, http.DefaultClient, http.MethodPost, p.origin+"/mcp", nil)
	assert.Equal(t, http.StatusUnauthorized, status)
	assert.Equal(t, contract.CodeConfirmationRequired, p.send("agent").Code)
	p.end()
}

// loginKey is the key of the issuer, the same in each process of the test.
var loginKey = ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))

func tokens() *oauth.VerifierConfig {
	return &oauth.VerifierConfig{
		Issuer: "https://login.example.com", Algorithms: []string{"EdDSA"},
		Keys: func(context.Context, string, string) (crypto.PublicKey, error) { return loginKey.Public(), nil },
	}
}

// accessToken returns an access token for a resource.
func accessToken(t *testing.T, resource string) string {
	t.Helper()
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, jwt.MapClaims{
		"iss": "https://login.example.com", "aud": resource, "sub": "anna", "client_id": "host", "jti": "1", "scope": "invoices:send",
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(),
	})
	token.Header["typ"], token.Header["kid"] = "at+jwt", "1"
	signed, err := token.SignedString(loginKey)
	require.NoError(t, err)
	return signed
}

func TestMain_AcceptsAccessTokensForItsOwnAddress(t *testing.T) {
	t.Parallel()
	p := start(t, "-tokens")
	assert.Equal(t, contract.CodeConfirmationRequired, p.send(accessToken(t, p.origin+"/mcp")).Code)
	_, metadata := visit(t, http.DefaultClient, http.MethodGet, p.origin+"/.well-known/oauth-protected-resource/mcp", nil)
	assert.Contains(t, metadata, `"authorization_servers":["https://login.example.com"]`)
	for _, other := range []string{p.origin, "https://mail.example.com/mcp"} {
		assert.Equal(t, http.StatusUnauthorized, p.post(accessToken(t, other)), other)
	}
	p.end()
}

// post sends an empty request and returns the status.
func (p *process) post(token string) int {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.origin+"/mcp", http.NoBody)
	require.NoError(p.t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(r)
	require.NoError(p.t, err)
	require.NoError(p.t, resp.Body.Close())
	return resp.StatusCode
}

func TestMain_ServesAPublicOriginBehindAProxy(t *testing.T) {
	t.Parallel()
	address := regexp.MustCompile(`^https://mail\.example\.com$`)
	p := start(t, "-origin", "https://mail.example.com")
	assert.Regexp(t, address, p.origin)
	p.end()
}

func TestThreat150_MainBoundsTheGuessesOfEachClientOfTheProxy(t *testing.T) {
	t.Parallel()
	for header, shared := range map[string]bool{"X-Forwarded-For": false, "X-Real-IP": true} {
		address := freeAddress(t)
		p := start(t, "-http", address, "-approval", "-origin", "https://mail.example.com", "-proxy-header", header)
		guess := func(client string) int {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/approvals/sign-in",
				strings.NewReader(url.Values{"token": {"guess"}}.Encode()))
			require.NoError(t, err)
			r.Host = "mail.example.com"
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("X-Forwarded-For", client)
			resp, err := http.DefaultTransport.RoundTrip(r)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			return resp.StatusCode
		}
		// A client has 20 guesses at once, and one more each second, so that a slow
		// machine has a few more.
		isBounded := func(client string, guesses int) bool {
			for range guesses {
				if guess(client) == http.StatusTooManyRequests {
					return true
				}
			}
			return false
		}
		assert.True(t, isBounded("192.0.2.1", 100))
		assert.Equal(t, shared, isBounded("192.0.2.2", 10), header)
		p.end()
	}
}

// freeAddress returns an address for a server with an origin, which does not
// print the port that it has selected. Systems assign ephemeral ports only above
// 32,000, so no connection of another test takes it before the server does.
func freeAddress(t *testing.T) string {
	t.Helper()
	for {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(12_000+rand.IntN(8_000)))
		if l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address); err == nil {
			require.NoError(t, l.Close())
			return address
		}
	}
}

func TestMain_WarnsIfTheProxyHidesTheAddressesOfVisitors(t *testing.T) {
	t.Parallel()
	p := start(t, "-approval", "-origin", "https://mail.example.com")
	line, err := p.stderr.ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, line, "-proxy-header")
	p.end()
}

func TestMain_NamesTheRemedyOfAnAddressInTheWordsOfACommand(t *testing.T) {
	t.Parallel()
	for _, public := range []bool{true, false} {
		s := invoices()
		s.Public = public
		var stdout, stderr bytes.Buffer
		assert.Equal(t, 2, s.Main([]string{"-http", "0.0.0.0:0"}, &stdout, &stderr))
		assert.Equal(t, public, strings.Contains(stderr.String(), "-origin"), stderr.String())
		assert.Contains(t, stderr.String(), "127.0.0.1")
		assert.NotContains(t, stderr.String(), "WithOrigin")
	}
}

func TestMain_PrintsAMistakeLastWithoutItsValue(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ arg, want string }{
		{"-unknown", "flag provided but not defined: -unknown"},
		{"-names=secret", "invalid value for flag -names: contract: unknown naming: allowed are underscore, dotted"},
		{"-approval=secret", "invalid boolean value for flag -approval: parse error"},
		{"-audit", "flag needs an argument: -audit"},
	} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, 2, invoices().Main([]string{test.arg}, &stdout, &stderr))
		assert.Empty(t, stdout.String())
		assert.Equal(t, "usage: invoices [flags]\ninvoices: "+test.want+"; run invoices -h\n", stderr.String())
	}
	var stdout, stderr bytes.Buffer
	assert.Equal(t, 0, invoices().Main([]string{"-h"}, &stdout, &stderr))
	assert.Empty(t, stderr.String())
	assert.Contains(t, stdout.String(), "usage: invoices [flags]\n")
	assert.Contains(t, stdout.String(), "-approval")
}

func TestMain_RefusesWhatCannotBeServed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*program.Server)
		args   []string
	}{
		{"no tools", func(s *program.Server) { s.Tools = nil }, []string{"-http", "127.0.0.1:0"}},
		{"no callers over HTTP", func(s *program.Server) { s.Callers = nil }, []string{"-http", "127.0.0.1:0"}},
		{"callers twice", func(s *program.Server) { s.Tokens = tokens() }, []string{"-http", "127.0.0.1:0"}},
		{"pages without a sign-in", func(s *program.Server) { s.SignIn.Verify = nil }, []string{"-http", "127.0.0.1:0", "-approval"}},
		{"an address of others", nil, []string{"-http", "0.0.0.0:0"}},
		{"an origin in clear text", nil, []string{"-http", "127.0.0.1:0", "-origin", "http://mail.example.com"}},
		{"an origin over stdio", nil, []string{"-origin", "https://mail.example.com"}},
		{"the header of a proxy without its origin", nil, []string{"-http", "127.0.0.1:0", "-proxy-header", "X-Real-IP"}},
		{"a delay that is negative", nil, []string{"-http", "127.0.0.1:0", "-drain-delay", "-1s"}},
		{"a delay over stdio", nil, []string{"-drain-delay", "1s"}},
		{"a page over stdio", nil, []string{"-allowed-origin", "https://a.example"}},
		{"a page without an origin", nil, []string{"-http", "127.0.0.1:0", "-allowed-origin", "a.example"}},
		{"an origin that the author did not allow", func(s *program.Server) { s.Public = false }, []string{"-http", "127.0.0.1:0",
			"-origin", "https://mail.example.com"}},
		{"a permission that no tool needs", nil, []string{"-permissions", "invoices:send,invoices:sent"}},
		{"a backend that cannot be opened", func(s *program.Server) {
			s.OpenBackend = func() (program.Backend, error) { return program.Backend{}, errors.New("gone") }
		}, []string{"-http", "127.0.0.1:0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := invoices()
			if tt.change != nil {
				tt.change(&s)
			}
			var stdout, stderr bytes.Buffer
			audited := append([]string{"-audit", filepath.Join(t.TempDir(), "audit.jsonl")}, tt.args...)
			assert.Equal(t, 2, s.Main(audited, &stdout, &stderr))
			assert.NotEmpty(t, stderr.String())
			assert.NotContains(t, stderr.String(), "head of the audit log", "nothing was served")
			assert.Empty(t, stdout.String())
		})
	}
}

// A sink of the backend would take the events of the log.
func TestThreat151_LogThatWouldStayEmptyIsAnErrorAtTheStart(t *testing.T) {
	t.Parallel()
	other := &audit.Recorder{}
	for _, transport := range [][]string{nil, {"-http", "127.0.0.1:0"}} {
		s := invoices()
		s.OpenBackend = func() (program.Backend, error) {
			return program.Backend{Options: []guard.Option{guard.WithAudit(other)}}, nil
		}
		var stdout, stderr bytes.Buffer
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		assert.Equal(t, 2, s.Main(append(transport, "-audit", path), &stdout, &stderr))
		assert.Contains(t, stderr.String(), "-audit")
		assert.Contains(t, stderr.String(), "WithAudit")
		assert.NotContains(t, stderr.String(), "listening")
		assert.Empty(t, stdout.String())
	}
}

func TestMain_ListsThePermissionsIfOneIsUnknown(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	assert.Equal(t, 2, invoices().Main([]string{"-permissions", "invoices:sent"}, &stdout, &stderr))
	assert.Contains(t, stderr.String(), "the permissions are invoices:send\n")
}
