package gosdk_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/gosdk"
	"github.com/toolcontract/toolcontract/internal/sdktest"
)

// The SDK keeps what clients declare, as long as the session is open.
func TestThreat148_SessionsWithoutEnd(t *testing.T) { // alone, because it measures the heap
	h, err := gosdk.NewHandler("kit", "1.0.0", nil)
	require.NoError(t, err)
	sdktest.OpenSessions(t, h)
	status, _ := sdktest.PostIn(t, h, "", sdktest.Opening(`{}`, strings.Repeat("x", 64<<10)))
	assert.Equal(t, http.StatusRequestEntityTooLarge, status)
}

func TestNewHandler_EndsUnusedSessions(t *testing.T) {
	t.Parallel()
	h, err := gosdk.NewHandler("kit", "1.0.0", nil,
		gosdk.WithHTTPOptions(mcp.StreamableHTTPOptions{SessionTimeout: time.Millisecond}))
	require.NoError(t, err)
	status, id := sdktest.PostIn(t, h, "", sdktest.Opening(`{}`, "test"))
	require.Equal(t, http.StatusOK, status)
	require.NotEmpty(t, id)
	assert.Eventually(t, func() bool {
		status, _ := sdktest.PostIn(t, h, id, sdktest.Listing)
		return status == http.StatusNotFound
	}, time.Minute, 10*time.Millisecond)
}
