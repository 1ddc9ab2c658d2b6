package clienttest

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/agent/client"
)

// AssertCallEndsOverHTTP is [AssertCallEnds] for each form of an HTTP response.
// It also asserts that the server received exactly one call.
func AssertCallEndsOverHTTP(t *testing.T) {
	t.Helper()
	for name, s := range overHTTP() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(s)
			t.Cleanup(srv.Close)
			AssertCallEnds(t, client.HTTP{URL: srv.URL, Client: srv.Client()})
			assert.Equal(t, int64(1), s.calls.Load(), "the call is not repeated")
		})
	}
}

// AssertCallEnds asserts that the client abandons the server's answer, and that
// the agent doesn't retry the call.
func AssertCallEnds(t *testing.T, over client.Transport) {
	t.Helper()
	a, err := agent.Connect(t.Context(), client.New(over), agent.Options{TrustedHints: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = a.Close() })
	_, err = a.Call(t.Context(), tool, nil)
	var fatal *agent.FatalError
	require.ErrorAs(t, err, &fatal)
	assert.Equal(t, agent.CodeContractBroken, fatal.Code)
	assert.Equal(t, 1, fatal.Attempts, "the call is not repeated")
	require.ErrorIs(t, err, client.ErrMessageTooLarge)
}
