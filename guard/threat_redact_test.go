package guard_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A loginInput has a secret of each length that matters, and a sensitive value,
// which the person who confirms may see.
type loginInput struct {
	Host  string `json:"host"`
	Token string `json:"token" contract:"secret"`
	PIN   int    `json:"pin"   contract:"secret"`
	Email string `json:"email" contract:"sensitive"`
}

const (
	loginToken = `ghp_"a/b+ü`
	loginEmail = "anna@example.com"
	login      = `{"host":"h","token":"ghp_\"a/b+ü","pin":471,"email":"anna@example.com"}`
)

var errLogin = contract.Retryable("login_failed", "The server refused the login.")

// leaks returns the arguments in the forms in which errors of Go's packages
// have them.
func leaks(in loginInput) string {
	u := url.URL{Scheme: "http", Host: in.Host, User: url.UserPassword("anna", in.Token),
		RawQuery: url.Values{"key": {in.Token}}.Encode()}
	basic := base64.StdEncoding.EncodeToString([]byte("anna:" + in.Token))
	return fmt.Sprintf("Get %q: PIN %d, %s, %s, %q, %x, %v, Basic %s", u.String(), in.PIN, in.Email, in.Token, in.Token, in.Token,
		[]byte(in.Token), basic)
}

func assertNoLeak(t *testing.T, words, name string) {
	t.Helper()
	for _, form := range []string{
		"ghp_", `ghp_\"`, "ghp_%22", "6768705f", "103 104 112", base64.StdEncoding.EncodeToString([]byte("anna:" + loginToken))[8:],
		loginEmail, "471", `b+ü`,
	} {
		assert.NotContains(t, words, form, name)
	}
	assert.Contains(t, words, "[redacted]", name)
	assert.Contains(t, words, "Get", "other words are kept: "+name)
}

func loginTool(name string, h func(context.Context, loginInput) (empty, error)) *contract.Builder[loginInput, empty] {
	return contract.New(name, h).Description("Logs in.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).
		Permissions("mail:send").Failures(errLogin)
}

// Each text that the author's code produces is redacted once.
func TestThreat170_SecretArgumentsAreInNoTextThatLeavesTheServer(t *testing.T) {
	t.Parallel()
	done := func(context.Context, loginInput) (empty, error) { return empty{}, nil }
	failing := func(failed func(loginInput) error) func(context.Context, loginInput) (empty, error) {
		return func(_ context.Context, in loginInput) (empty, error) { return empty{}, failed(in) }
	}
	for name, b := range map[string]*contract.Builder[loginInput, empty]{
		"a text":    loginTool("log.in", failing(func(in loginInput) error { return errLogin.Errorf("%s", leaks(in)) })),
		"a hint":    loginTool("log.in", failing(func(in loginInput) error { return errLogin.Hint(leaks(in)) })),
		"a pointer": loginTool("log.in", failing(func(in loginInput) error { return errLogin.At("/Get/" + leaks(in)) })),
		"a cause": loginTool("log.in", failing(func(in loginInput) error {
			return errLogin.Errorf("dial: %w", errors.New(leaks(in)))
		})),
		"a delimited text": loginTool("log.in", failing(func(in loginInput) error { return errLogin.Errorf("%s", leaks(in)) })).
			Trust(trust.Untrusted),
		"OtherErrors": loginTool("log.in", failing(func(in loginInput) error { return errors.New(leaks(in)) })).
			OtherErrors(contract.ClassFatal),
		"a precheck": loginTool("log.in", done).Precheck(func(_ context.Context, in loginInput) error {
			return errLogin.Errorf("%s", leaks(in)).Hint(leaks(in))
		}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t, []*contract.Tool{b.MustBuild()})
			r := k.call(alice, "log.in", login)
			assert.True(t, r.IsError)
			raw, err := json.Marshal(r.Outcome)
			require.NoError(t, err)
			assertNoLeak(t, r.Text, "the text")
			for _, form := range []string{"ghp_", "471", loginEmail} {
				assert.NotContains(t, string(raw), form, "the outcome")
			}
			require.NoError(t, k.guard.Close(t.Context()))
			events, err := json.Marshal(k.log.Events())
			require.NoError(t, err)
			for _, form := range []string{"ghp_", " 471", loginEmail} {
				assert.NotContains(t, string(events), form, "the audit log")
			}
		})
	}
}

func TestThreat170_SecretArgumentsAreNeitherInProgressNorInTheLog(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	tool := loginTool("log.in", func(ctx context.Context, in loginInput) (empty, error) {
		guard.Progress(ctx, 1, 2, leaks(in))
		panic(leaks(in))
	}).MustBuild()
	k := newKit(t, []*contract.Tool{tool}, guard.WithLogger(slog.New(slog.NewTextHandler(&lines, nil))))
	var mu sync.Mutex
	var notes []string
	_, err := k.set.Call(as(t.Context(), alice), guard.Request{Tool: "log.in", Arguments: json.RawMessage(login),
		Progress: func(_, _ float64, note string) {
			mu.Lock()
			defer mu.Unlock()
			notes = append(notes, note)
		}})
	require.NoError(t, err)
	require.NoError(t, k.guard.Close(t.Context()))
	require.Len(t, notes, 1)
	assertNoLeak(t, notes[0], "progress")
	assertNoLeak(t, lines.String(), "the log")
}

// The person who confirms sees sensitive arguments but no secrets, whatever the
// tool author writes into the sentence and the preview.
func TestThreat170_SecretArgumentsAreNotInAQuestion(t *testing.T) {
	t.Parallel()
	type warned struct {
		Note string `json:"note"`
	}
	tool := loginTool("log.in", func(context.Context, loginInput) (empty, error) { return empty{}, nil }).ConfirmAlways().
		Question(func(in loginInput) string { return "Get " + in.Token + " for " + in.Email + "?" }).
		DryRun(dryrun.By(func(_ context.Context, in loginInput) (dryrun.Preview[warned], error) {
			return dryrun.Preview[warned]{Data: warned{Note: leaks(in)}}, nil
		})).MustBuild()
	k := newKit(t, []*contract.Tool{tool})
	question := k.asked(round{who: alice, tool: "log.in", arguments: login}).Question
	require.NotNil(t, question)
	raw, err := json.Marshal(question)
	require.NoError(t, err)
	for _, form := range []string{"ghp_", "471 ", "6768705f", "103 104 112"} {
		assert.NotContains(t, string(raw), form)
	}
	assert.Contains(t, question.Words, "Get [redacted] for "+loginEmail)
}
