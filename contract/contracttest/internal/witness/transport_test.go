package witness_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/contracttest/internal/witness"
)

// refusing is a transport without a network.
type refusing struct{}

var errRefused = errors.New("refused")

func (refusing) RoundTrip(*http.Request) (*http.Response, error) { return nil, errRefused }

func TestTransport_RecordsMethodAndHostInAWindow(t *testing.T) {
	t.Parallel()
	recorded := &witness.Transport{Base: refusing{}}
	client := &http.Client{Transport: recorded}
	send := func(t *testing.T, method, url string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, url, nil)
		require.NoError(t, err)
		response, err := client.Do(request) //nolint:bodyclose // there is no response
		require.ErrorIs(t, err, errRefused)
		require.Nil(t, response)
	}
	send(t, http.MethodDelete, "http://before.example/")
	options := witness.Options{NoKernel: true, Transports: []*witness.Transport{recorded}}
	witness.Run(t, "in a window", options, func(t *testing.T, r *witness.Recorder) []byte {
		first := r.Window(func() {
			send(t, http.MethodGet, "https://api.example/users/17")
			send(t, http.MethodPost, "https://api.example/users")
			send(t, http.MethodPost, "https://api.example/users")
			send(t, http.MethodGet, "http://[::1]:8080/")
		})
		assert.Equal(t, []witness.Event{
			{Kind: witness.Request, By: witness.HTTP, Network: "tcp", Address: "api.example:443", Method: "GET"},
			{Kind: witness.Request, By: witness.HTTP, Network: "tcp", Address: "api.example:443", Method: "POST"},
			{Kind: witness.Request, By: witness.HTTP, Network: "tcp", Address: "[::1]:8080", Method: "GET"},
		}, first.Events)
		assert.Empty(t, r.Window(func() {}).Events)
		return []byte("report")
	}, func(t *testing.T, result witness.Result, err error) {
		require.NoError(t, err)
		assert.Equal(t, "report", string(result.Report))
		assert.Equal(t, []witness.Source{witness.HTTP}, result.Seen)
		assert.NotEmpty(t, result.Why)
		assert.NotEmpty(t, result.Unseen)
	})
}
