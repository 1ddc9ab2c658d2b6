package gosdkclient_test

import (
	"net/http"
	"os"
	"testing"

	"github.com/toolcontract/toolcontract/contract/agent"
	"github.com/toolcontract/toolcontract/contract/gosdk/gosdkclient"
	"github.com/toolcontract/toolcontract/internal/floodtest"
)

func TestThreat138_AnswersWithoutEndOverHTTPAssertCallEnds(t *testing.T) {
	t.Parallel()
	floodtest.AssertCallEndsOverHTTP(t, func(url string, client *http.Client) agent.Dialer {
		return gosdkclient.HTTP(url, gosdkclient.WithHTTPClient(client))
	})
}

func TestThreat138_AnswersWithoutEndOverStdioAssertCallEnds(t *testing.T) {
	t.Setenv("GOSDKCLIENT_SERVES", "flood")
	floodtest.AssertCallEnds(t, gosdkclient.Command(os.Args[0], []string{"-test.run", "^$"}))
}

// TestMain lets the test binary be a server over stdio.
func TestMain(m *testing.M) {
	if os.Getenv("GOSDKCLIENT_SERVES") != "flood" {
		os.Exit(m.Run())
	}
	floodtest.Serve(os.Stdin, os.Stdout)
}
