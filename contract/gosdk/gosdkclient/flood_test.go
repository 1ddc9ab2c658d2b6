package gosdkclient_test

import (
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/agent"
	"github.com/toolcontract/toolcontract/contract/gosdk/gosdkclient"
	"github.com/toolcontract/toolcontract/internal/floodtest"
)

func TestThreat138_AnswersWithoutEndOverHTTPEndTheCall(t *testing.T) {
	t.Parallel()
	for name, s := range floodtest.OverHTTP() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := httptest.NewServer(s)
			t.Cleanup(srv.Close)
			a := connect(t, gosdkclient.HTTP(srv.URL, gosdkclient.WithHTTPClient(srv.Client())), agent.WithTrustedHints())
			_, err := a.Call(t.Context(), floodtest.Tool, nil)
			requireTooLarge(t, err)
			assert.Equal(t, int64(1), s.Calls(), "the call is not repeated")
		})
	}
}

func TestThreat138_AnswersWithoutEndOverStdioEndTheCall(t *testing.T) {
	t.Setenv("GOSDKCLIENT_SERVES", "flood")
	a := connect(t, gosdkclient.Command(os.Args[0], []string{"-test.run", "^$"}), agent.WithTrustedHints())
	_, err := a.Call(t.Context(), floodtest.Tool, nil)
	requireTooLarge(t, err)
}

func requireTooLarge(t *testing.T, err error) {
	t.Helper()
	var fatal *agent.FatalError
	require.ErrorAs(t, err, &fatal)
	assert.Equal(t, agent.CodeContractBroken, fatal.Code)
	assert.Equal(t, 1, fatal.Attempts, "the call is not repeated")
	require.ErrorIs(t, err, agent.ErrMessageTooLarge)
}

// TestMain lets the test binary be a server over stdio.
func TestMain(m *testing.M) {
	if os.Getenv("GOSDKCLIENT_SERVES") != "flood" {
		os.Exit(m.Run())
	}
	(&floodtest.Server{}).Serve(os.Stdin, os.Stdout)
}
