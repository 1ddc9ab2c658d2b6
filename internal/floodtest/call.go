package floodtest

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/agent"
)

// AssertCallEndsOverHTTP is [AssertCallEnds] for each form of an answer over
// HTTP. It also asserts that the server got one call. dial returns the dialer
// for an address.
func AssertCallEndsOverHTTP(t *testing.T, dial func(url string, client *http.Client) agent.Dialer) {
	t.Helper()
	for name, s := range overHTTP() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(s)
			t.Cleanup(srv.Close)
			AssertCallEnds(t, dial(srv.URL, srv.Client()))
			assert.Equal(t, int64(1), s.calls.Load(), "the call is not repeated")
		})
	}
}

// AssertCallEnds asserts that the client of d gives up the answer of the
// server, and that the agent does not repeat the call.
func AssertCallEnds(t *testing.T, d agent.Dialer) {
	t.Helper()
	a, err := agent.Connect(t.Context(), d, agent.WithTrustedHints())
	require.NoError(t, err)
	t.Cleanup(func() { _ = a.Close() })
	_, err = a.Call(t.Context(), tool, nil)
	var fatal *agent.FatalError
	require.ErrorAs(t, err, &fatal)
	assert.Equal(t, agent.CodeContractBroken, fatal.Code)
	assert.Equal(t, 1, fatal.Attempts, "the call is not repeated")
	require.ErrorIs(t, err, agent.ErrMessageTooLarge)
}
