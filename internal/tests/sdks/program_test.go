package sdks_test

import (
	"bytes"
	"context"
	"io"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/serve/program"
)

// envProgram turns the test binary into the program [library] of an SDK.
const envProgram = "SDKS_PROGRAM"

// library returns a program around an SDK server with its own resource, prompt,
// completions and tool.
func library(s sdk, n *tools) program.Server {
	return program.Server{
		Name: "library", Version: "1.0.0", Callers: sdktest.Verify, SDK: s.Program(s.Library("library", "1.0.0")),
		Tools: func() ([]*contract.Tool, error) {
			return []*contract.Tool{n.Add().MustBuild(), n.Note(nil).MustBuild()}, nil
		},
	}
}

// withPlain adds a tool without a contract.
func withPlain(s server) server {
	s.AddTool(plain("old"), func(context.Context, request) (*result, error) { return &result{text: "as before"}, nil })
	return s
}

// assertServesLibrary checks what a client finds that may use all tools.
func assertServesLibrary(t *testing.T, c client) {
	t.Helper()
	assert.Equal(t, []string{"soup", "hello Anna", "Anna"}, c.Beside(t))
	assert.Equal(t, []string{"calc_add", "notes_write", "old"}, c.Names(t))
	raw, err := c.Call(t.Context(), "notes_write", map[string]any{"text": "x"})
	require.NoError(t, err)
	assert.Equal(t, contract.StatusOK, sdktest.Outcome(t, raw).Status)
	raw, err = c.Call(t.Context(), "calc_add", map[string]any{"a": "x"})
	require.NoError(t, err)
	sdktest.AssertRefused(t, raw, contract.CodeInvalidInput)
	raw, err = c.Call(t.Context(), "old", map[string]any{})
	require.NoError(t, err)
	assert.Equal(t, "as before", firstText(t, raw))
}

// eachClient runs a test for each SDK's server, client and era.
func eachClient(t *testing.T, f func(t *testing.T, of, by sdk, e era)) {
	t.Helper()
	eachSDK(t, func(t *testing.T, of sdk) {
		for _, by := range all {
			t.Run("client of "+by.Name(), func(t *testing.T) {
				t.Parallel()
				sdktest.EachEra(t, func(t *testing.T, e era) { f(t, of, by, e) })
			})
		}
	})
}

func TestProgram_ServesAnOwnServerOverStdio(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, of, by sdk, e era) {
		assertServesLibrary(t, by.Client(t, endpoint{env: []string{envProgram + "=" + of.Name()}}, e, nil))
	})
}

func TestProgram_ServesAnOwnServerOverHTTP(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, of, by sdk, e era) {
		h, g, err := library(of, &tools{}).Handler(adapter.Config{}, guard.WithAudit(&audit.Recorder{}))
		require.NoError(t, err)
		web := httptest.NewServer(h)
		t.Cleanup(func() {
			web.CloseClientConnections()
			web.Close()
			_ = g.Close(context.WithoutCancel(t.Context()))
		})
		for range 2 { // clients share the server
			assertServesLibrary(t, by.Client(t, endpoint{url: web.URL + "/mcp", token: "alice"}, e, nil))
		}
		other := by.Client(t, endpoint{url: web.URL + "/mcp", token: "bob"}, e, nil)
		assert.Equal(t, []string{"calc_add", "old"}, other.Names(t))
		raw, err := other.Call(t.Context(), "notes_write", map[string]any{"text": "x"})
		if err == nil { // otherwise the name is unknown to the client
			sdktest.AssertRefused(t, raw, contract.CodePermissionDenied)
		}
	})
}

func TestProgram_RefusesAnOwnServerThatDisagreesWithIt(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		for _, own := range []server{s.Library("other", "1.0.0"), s.Library("library", "2.0.0")} {
			p := library(s, &tools{})
			p.SDK = s.Program(own)
			var stderr bytes.Buffer
			assert.Equal(t, 2, p.Main(nil, io.Discard, &stderr))
			_, g, err := p.Handler(adapter.Config{})
			assert.Equal(t, []string{"serve.name"}, sdktest.Rules(err))
			require.NoError(t, g.Close(t.Context()))
		}
		p := library(s, &tools{})
		_, g, err := p.Handler(adapter.Config{Naming: contract.Dotted, Tier: contract.TierFull})
		require.NoError(t, err)
		require.NoError(t, g.Close(t.Context()))
		_, g, err = p.Handler(adapter.Config{})
		assert.Equal(t, []string{"serve.registered"}, sdktest.Rules(err), "it is served once")
		require.NoError(t, g.Close(t.Context()))
	})
}
