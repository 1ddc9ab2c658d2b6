package sdks_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
)

// HTTP middleware around an endpoint comes before the guard, which sees the
// request as the middleware passes it on. What the middleware refuses reaches
// nobody.
func TestHTTPMiddleware_ComesBeforeTheGuard(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, s sdk, e era) {
		var steps []string
		who := guard.PrincipalFunc(func(ctx context.Context) (guard.Principal, error) {
			c, _ := adapter.CallerFrom(ctx)
			steps = append(steps, "guard of "+c.Header.Get("X-User"))
			return guard.Principal{Subject: c.Header.Get("X-User")}, nil
		})
		g, err := guard.New(guard.WithPrincipal(who), guard.WithAudit(&audit.Recorder{}))
		require.NoError(t, err)
		t.Cleanup(func() { _ = g.Close(context.WithoutCancel(t.Context())) })
		read := contract.New("notes.read", func(context.Context, empty) (string, error) {
			steps = append(steps, "handler")
			return "read", nil
		}).Description("Reads.").Version("1.0.0").Effect(risk.ReadOnly).MustBuild()
		endpoint, err := s.NewHandler("kit", "1.0.0", g, asWritten(read))
		require.NoError(t, err)

		inner := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			steps = append(steps, "inner for "+r.Header.Get("X-User"))
			endpoint.ServeHTTP(w, r)
		})
		k := &kit{t: t, sdk: s, guard: g, sessions: map[string]string{}}
		k.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Set("X-User", r.Header.Get("Authorization")) // never what a client sent
			if r.Header.Get("X-User") == "" {
				http.Error(w, "sign in", http.StatusUnauthorized)
				return
			}
			steps = append(steps, "outer")
			inner.ServeHTTP(w, r)
		}))
		body := sdktest.Message(t, e, 7, "tools/call", `{"name":"notes.read","arguments":{}}`)
		refused := k.send(e, "", "tools/call", "notes.read", body, "X-User", "mallory")
		assert.Equal(t, http.StatusUnauthorized, refused.Status)
		assert.Empty(t, steps)
		if e == legacy {
			k.session("alice")
			steps = nil
		}
		raw := k.post(e, "alice", "tools/call", "notes.read", body, "X-User", "mallory")
		assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, raw).Status)
		assert.Equal(t, []string{"outer", "inner for Bearer alice", "guard of Bearer alice", "handler"}, steps)
	})
}
