package catalog_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/catalog"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type (
	nothing struct{}
	letter  struct {
		To   string `json:"to"   jsonschema:"minLength=1,description=The mailbox."`
		Body string `json:"body" jsonschema:"description=The text."`
	}
	receipt struct {
		ID string `json:"id"`
	}
)

func ran[In, Out any](context.Context, In) (out Out, err error) { return out, nil }

func reads(name string) *contract.Builder[nothing, receipt] {
	return contract.New(name, ran[nothing, receipt]).Description("Reads something. It has more words.").Version("1.0.0").
		Effect(risk.ReadOnly).Trust(trust.Trusted)
}

var errMailbox = contract.Retryable("invalid_mailbox", "The mailbox cannot receive mail.")

// mailTools are tools of all kinds of visibility.
func mailTools() []*contract.Tool {
	return []*contract.Tool{
		reads("help.show").NoPermissions("It is public.").MustBuild(),
		reads("contacts.list").Trust(trust.Sensitive).Permissions("contacts:read").MustBuild(),
		reads("inbox.read").Trust(trust.PromptInjectionProne).Permissions("mail:read").MustBuild(),
		contract.New("mail.send",
			ran[letter, receipt]).Title("Send a mail").Description("Sends a mail to people outside.").Version("1.2.0").
			Effect(risk.ExternalPublication).Trust(trust.Trusted).Permissions("mail:send").Failures(errMailbox).
			SideEffects(contract.SideEffect{Description: "One mail leaves.", Reach: contract.External, Undo: contract.Irreversible,
				OnRepeat: "A second one."}).MustBuild(),
		reads("keys.read").Risk(risk.Forbidden).Permissions("keys:read").MustBuild(),
	}
}

// people are the callers by bearer token.
var people = map[string]guard.Principal{
	"alice": {Subject: "alice", Permissions: []string{"mail:send", "mail:read", "contacts:read", "keys:read",
		catalog.AuditPermission}},
	"bob":       {Subject: "bob", Permissions: []string{"mail:read"}},
	"auditor":   {Subject: "auditor", Permissions: []string{catalog.AuditPermission, "contacts:read"}, Human: true},
	"keyholder": {Subject: "keyholder", Permissions: []string{"keys:read"}, Human: true},
}

func byToken() guard.Option {
	return guard.WithPrincipal(adapter.Bearer(func(_ context.Context, token string) (guard.Principal, error) {
		switch p, known := people[token]; {
		case token == "down":
			return guard.Principal{}, guard.ErrUnavailable
		case known:
			return p, nil
		}
		return guard.Principal{}, errors.New("unknown token")
	}))
}

// protected returns tools under a guard.
func protected(t testing.TB, tools []*contract.Tool, opts ...guard.Option) func() *guard.Toolset {
	t.Helper()
	g, err := guard.New(opts...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
	set, err := g.Protect(tools...)
	require.NoError(t, err)
	return func() *guard.Toolset { return set }
}

func page(t testing.TB, tools []*contract.Tool, opts catalog.PageOptions) http.Handler {
	t.Helper()
	h, err := catalog.Handler(protected(t, tools, byToken()), opts)
	require.NoError(t, err)
	return h
}

// get returns the answer to a caller. An empty token means no token.
func get(t testing.TB, h http.Handler, target, token string) (status int, header http.Header, body string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	data, err := io.ReadAll(w.Body)
	require.NoError(t, err)
	return w.Code, w.Header(), string(data)
}

// shown returns the page of a caller.
func shown(t testing.TB, h http.Handler, target, token string) string {
	t.Helper()
	status, _, body := get(t, h, target, token)
	require.Equal(t, http.StatusOK, status)
	return body
}

// listed returns the JSON form for a caller.
func listed(t testing.TB, h http.Handler, target, token string) catalog.PageJSON {
	t.Helper()
	var answer catalog.PageJSON
	require.NoError(t, json.Unmarshal([]byte(shown(t, h, target, token)), &answer))
	return answer
}

func names(answer catalog.PageJSON) []string {
	all := []string{}
	for _, tool := range answer.Tools {
		all = append(all, tool.Contract.Name)
	}
	return all
}
