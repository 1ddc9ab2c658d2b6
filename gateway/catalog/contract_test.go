package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/gateway/catalog"
	"github.com/toolcontract/toolcontract/internal/testing/enumtest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// built returns the contract of the tool a, as a gateway serves it.
func built(t *testing.T, listed, override string, h adapter.Handler) *contract.Tool {
	t.Helper()
	var opts []option
	if override != "" {
		opts = append(opts, withOverrides(overrides(t, `{"a":`+override+`}`)))
	}
	e := entry(t, refresh(t, newCatalog(t, mail(listing(listed)), opts...)), "a")
	built, err := e.Contract(h, wrapConfig).From(contract.Base{NoPermissions: "A test."}).Build()
	require.NoError(t, err)
	return built
}

// countingHandler returns a handler that counts its calls, and their number.
func countingHandler() (adapter.Handler, *int) {
	calls := new(int)
	return func(_ context.Context, call adapter.HandlerCall) (*adapter.HandlerResult, error) {
		*calls++
		return &adapter.HandlerResult{Content: []contract.Content{contract.TextContent{Text: string(call.Arguments)}}}, nil
	}, calls
}

const withID = `{"name":"a","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}}`

func TestContract_HasTheEffectiveFacts(t *testing.T) {
	t.Parallel()
	d := built(t, declared("a", `"risk":"high","effect":"high-risk-write","contentTrust":"sensitive","confirmation":"always",`+
		`"version":"1.2.3"`),
		`{"reason":"Ours.","effect":"external-publication","permissions":["mail:send"],"idempotency":"managed","rateLimit":{"calls":2,`+
			`"perSeconds":60},"timeoutMs":500,"auditEvent":"mail.sent","title":"Send","description":"Sends a mail."}`, refuse).Document()
	assert.Equal(t, risk.Critical, d.Risk)
	assert.Equal(t, risk.ExternalPublication, d.Effect)
	assert.Equal(t, trust.Sensitive, d.ContentTrust)
	assert.Equal(t, contract.ConfirmationAlways, d.Confirmation)
	assert.Equal(t, "1.2.3", d.Version)
	assert.Equal(t, []string{"mail:send"}, d.Permissions)
	assert.Equal(t, &contract.RateLimit{Calls: 2, Per: time.Minute}, d.RateLimit)
	assert.Equal(t, 500*time.Millisecond, d.Timeout)
	assert.Equal(t, "mail.sent", d.AuditEvent)
	assert.Equal(t, "Sends a mail.", d.Description)
	assert.Equal(t, "Send", d.Title)
	assert.NotNil(t, d.Idempotency)
}

func TestContract_AVetoedToolIsForbidden(t *testing.T) {
	t.Parallel()
	assert.Equal(t, risk.Forbidden, built(t, tool("a", `"description":"Wipes."`), `{"reason":"Never.","veto":true}`,
		refuse).Document().Risk)
}

func TestContract_TheGuardAsksForAServerThatKnowsNoContracts(t *testing.T) {
	t.Parallel()
	handler, calls := countingHandler()
	wipe := built(t, withID+`,"description":"Wipes."}`, "", handler)
	c := contracttest.NewClient(t, []*contract.Tool{wipe}).As(contract.Principal{Subject: "anna"})
	r, err := c.Answering(contracttest.Decline).Try("a", map[string]any{"id": "1"})
	require.NoError(t, err)
	assert.Equal(t, contract.CodeConfirmationDeclined, r.Outcome.Code)
	assert.Zero(t, *calls)
	c.Answering(contracttest.Approve).Call("a", map[string]any{"id": "2"})
	assert.Equal(t, 1, *calls)
	events := c.Close()
	assert.NotEmpty(t, events)
}

func TestContract_TheGuardMakesAToolIdempotent(t *testing.T) {
	t.Parallel()
	handler, calls := countingHandler()
	note := built(t, withID+`,"description":"Notes.","annotations":{"risk_level":"low-risk-write","content_trust_risk":"trusted"}}`,
		`{"reason":"Ours.","idempotency":"managed","keyFields":["id"]}`, handler)
	c := contracttest.NewClient(t, []*contract.Tool{note}).As(contract.Principal{Subject: "anna"})
	c.Call("a", map[string]any{"id": "1"})
	c.Call("a", map[string]any{"id": "1"})
	c.Call("a", map[string]any{"id": "2"})
	assert.Equal(t, 2, *calls)
}

func TestContract_ACallThatHasNotReachedTheServerCanBeRepeated(t *testing.T) {
	t.Parallel()
	away := client.New(client.Command{Path: "/does/not/exist"})
	note := built(t, withID+`,"description":"Notes.","annotations":{"risk_level":"low-risk-write"}}`,
		`{"reason":"Ours.","idempotency":"managed"}`, catalog.HandlerOf(away, "a"))
	c := contracttest.NewClient(t, []*contract.Tool{note}).As(contract.Principal{Subject: "anna"})
	for range 2 {
		r, err := c.Try("a", map[string]any{"id": "1"})
		require.NoError(t, err)
		assert.Equal(t, catalog.ErrUnavailable.Code(), r.Outcome.Code)
		assert.Equal(t, contract.ClassRetryable, r.Outcome.Class)
	}
}

func TestContract_ASecretArgumentIsNotShownToPeople(t *testing.T) {
	t.Parallel()
	with := func(keyword string) string {
		return `{"name":"a","description":"Signs in.","inputSchema":{"type":"object","properties":{"password":{"type":"string","` +
			keyword + `":true}}}}`
	}
	e := entry(t, refresh(t, newCatalog(t, mail(listing(with("x-secret"))))), "a")
	_, err := e.Contract(refuse, wrapConfig).NoPermissions("A test.").Build()
	require.NotEmpty(t, contract.DeclarationErrors(err))
	assert.Equal(t, "schema.protection", contract.DeclarationErrors(err)[0].Rule)
	assert.NotContains(t, string(built(t, with("x-sensitive"), "", refuse).Document().InputSchema), "x-sensitive")
}

func TestContract_FailuresOfTheServerHaveTheirClass(t *testing.T) {
	t.Parallel()
	listed := declared("a",
		`"effect":"read-only","failureModes":[{"code":"no_mailbox","class":"retryable","description":"No mailbox.","by":"tool"},
		{"code":"tool_fatal","class":"fatal","description":"Other.","by":"tool"},{"code":"timeout","class":"fatal","description":"Time.","by":"guard"}]`)
	listed = strings.Replace(listed, `{"name"`, `{"description":"Reads.","name"`, 1)
	for code, want := range map[string]struct {
		code  string
		class contract.Class
	}{
		"no_mailbox": {"no_mailbox", contract.ClassRetryable},
		"undeclared": {contract.CodeToolFatal, contract.ClassFatal},
		"timeout":    {contract.CodeToolFatal, contract.ClassFatal},
		"":           {contract.CodeToolFatal, contract.ClassFatal},
	} {
		h := func(context.Context, adapter.HandlerCall) (*adapter.HandlerResult, error) {
			return &adapter.HandlerResult{
				IsError: true, Content: []contract.Content{contract.TextContent{Text: "Not there."}},
				Meta: map[string]any{contract.MetaKeyOutcome: map[string]any{"status": "error", "code": code}},
			}, nil
		}
		r, err := contracttest.NewClient(t, []*contract.Tool{built(t, listed, "", h)}).Try("a", map[string]any{})
		require.NoError(t, err)
		assert.Equal(t, want.code, r.Outcome.Code, code)
		assert.Equal(t, want.class, r.Outcome.Class, code)
		assert.Contains(t, r.Text, "Not there.")
	}
}

func TestTools_OneServerCannotStopTheOthers(t *testing.T) {
	t.Parallel()
	// The name of the property hides something, which Build refuses.
	hostile := listing(`{"name":"bad","description":"Bad.","inputSchema":{"type":"object",`+
		`"properties":{"a\u202e":{"type":"string"}}}}`, tool("fine", `"description":"Fine."`))
	c := refresh(t, newCatalog(t, beside(hostile)))
	built, err := served(c, contract.Base{
		NoPermissions: "A test.",
		Description:   "A tool.",
	})
	assert.NotEmpty(t, contract.DeclarationErrors(err))
	var names []string
	for _, tool := range built {
		names = append(names, tool.Name())
	}
	assert.Equal(t, []string{"fine", "send"}, names)
}

func TestEntry_IsWrittenAsJSON(t *testing.T) {
	t.Parallel()
	e := entry(t, refresh(t, newCatalog(t, mail(listing(declared("a", `"risk":"low","effect":"read-only"`))))), "a")
	raw, err := json.Marshal(e)
	require.NoError(t, err)
	var read struct {
		Name, Status string
		Facts        []struct{ Fact, Effective, Origin string }
	}
	require.NoError(t, json.Unmarshal(raw, &read))
	assert.Equal(t, "served", read.Status)
	assert.Equal(t, "contract", read.Facts[0].Origin)
	assert.Equal(t, catalog.Fact{}, e.Fact("unknown"))
}

// TestContract_EveryDeclarationCanBeServed also has declarations that
// contradict themselves, which servers can list.
func TestContract_EveryDeclarationCanBeServed(t *testing.T) {
	t.Parallel()
	var tools []string
	for _, level := range append(enumtest.All[risk.Level](), 0) {
		for _, effect := range append(enumtest.All[risk.Effect](), 0) {
			for _, confirmation := range append(enumtest.All[contract.Confirmation](), 0) {
				summary := contract.Summary{Format: 1, Risk: level, Effect: effect, Confirmation: confirmation, ContentTrust: trust.Sensitive}
				raw, err := json.Marshal(summary)
				require.NoError(t, err)
				tools = append(tools, tool(fmt.Sprintf("t%d", len(tools)), `"description":"A tool.",`+
					`"_meta":{"io.github.toolcontract/contract":`+string(raw)+`}`))
			}
		}
	}
	cycle := refresh(t, newCatalog(t, mail(listing(tools...))))
	built, err := served(cycle, contract.Base{NoPermissions: "A test."})
	require.NoError(t, err)
	assert.Len(t, tools, 7*7*5)
	restricted := 0
	for _, e := range cycle.Entries {
		if e.Effective.Risk == risk.Restricted {
			restricted++
			assert.Equal(t, []string{"tool.restricted"}, rules(e.Problems))
		}
	}
	require.Len(t, built, len(tools)-restricted)
	for _, s := range built {
		d := s.Document()
		e := entry(t, cycle, d.Name)
		assert.Equal(t, e.Effective.Risk, d.Risk, d.Name)
		assert.Equal(t, e.Effective.Effect, d.Effect, d.Name)
		assert.Equal(t, e.Effective.Confirmation, d.Confirmation, d.Name)
		assert.Equal(t, e.Effective.Autonomous, d.Autonomous, d.Name)
		assert.Equal(t, e.Effective.Reversibility, d.Reversibility, d.Name)
	}
}

func TestContract_AReadHasNoSideEffectsWhateverItsClass(t *testing.T) {
	t.Parallel()
	d := built(t, tool("a", `"description":"A tool.","_meta":{"io.github.toolcontract/contract":{"format":1,"effect":"read-only",`+
		`"reversibility":"irreversible"}}`), `{"reason":"Ours.","permissions":["a:b"]}`, refuse).Document()
	assert.Empty(t, d.SideEffects)
}

// A server may publish a summary, whose side effects are only descriptions, or
// a class that is stricter than they are. The gateway publishes the same class.
func TestContract_HasTheClassThatTheServerPublishes(t *testing.T) {
	t.Parallel()
	for _, class := range []risk.Reversibility{risk.Reversible, risk.ReversibleOutside, risk.Irreversible} {
		for _, sideEffects := range []string{
			``, `,"sideEffects":[{"description":"A row."}]`, `,"sideEffects":[{"description":"A row.","reach":"internal","undo":"reversible"}]`,
		} {
			d := built(t, tool("a", `"description":"A tool.","_meta":{"io.github.toolcontract/contract":{"format":1,`+
				`"effect":"low-risk-write","reversibility":"`+class.String()+`"`+sideEffects+`}}`),
				`{"reason":"Ours.","permissions":["a:b"]}`, refuse).Document()
			assert.Equal(t, class, d.Reversibility, sideEffects)
			for _, s := range d.SideEffects {
				assert.NotEmpty(t, s.Description)
			}
		}
	}
}
