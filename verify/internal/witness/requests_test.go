package witness_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

func TestRequests_RecordsMethodAndHostInAWindow(t *testing.T) {
	t.Parallel()
	var recorded witness.Requests
	send := func(t *testing.T, method, url string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, url, nil)
		require.NoError(t, err)
		recorded.Record(request)
	}
	send(t, http.MethodDelete, "http://before.example/")
	options := witness.Options{NoKernel: true, Requests: []*witness.Requests{&recorded}}
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
