package mcpgoclient_test

import (
	"net/http"
	"os"
	"testing"

	"github.com/toolcontract/toolcontract/contract/agent"
	"github.com/toolcontract/toolcontract/contract/mcpgo/mcpgoclient"
	"github.com/toolcontract/toolcontract/internal/floodtest"
)

func TestThreat138_AnswersWithoutEndOverHTTPAssertCallEnds(t *testing.T) {
	t.Parallel()
	floodtest.AssertCallEndsOverHTTP(t, func(url string, client *http.Client) agent.Dialer {
		return mcpgoclient.HTTP(url, mcpgoclient.WithHTTPClient(client))
	})
}

func TestThreat138_AnswersWithoutEndOverStdioAssertCallEnds(t *testing.T) {
	t.Setenv("MCPGOCLIENT_SERVES", "flood")
	floodtest.AssertCallEnds(t, mcpgoclient.Command(os.Args[0], []string{"-test.run", "^$"}))
}
