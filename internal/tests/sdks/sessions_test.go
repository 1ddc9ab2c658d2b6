package sdks_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// The SDKs keep what clients declare while the session is open, and mcp-go
// keeps it until the process ends.
func TestThreat148_SessionsWithoutEnd(t *testing.T) { // alone, because it measures the heap
	for _, s := range all {
		t.Run(s.Name(), func(t *testing.T) {
			h, err := s.NewHandler("kit", "1.0.0", nil, options{})
			require.NoError(t, err)
			sdktest.OpenSessions(t, h)
			status, _ := sdktest.PostIn(t, h, "", sdktest.Opening(`{}`, strings.Repeat("x", 64<<10)))
			assert.Equal(t, http.StatusRequestEntityTooLarge, status)
		})
	}
}

func TestNewHandler_EndsUnusedSessions(t *testing.T) {
	t.Parallel()
	eachSDK(t, func(t *testing.T, s sdk) {
		synctest.Test(t, func(t *testing.T) {
			h, err := s.NewHandler("kit", "1.0.0", nil, options{sessionTimeout: time.Minute})
			require.NoError(t, err)
			status, id := sdktest.PostIn(t, h, "", sdktest.Opening(`{}`, "test"))
			require.Equal(t, http.StatusOK, status)
			require.NotEmpty(t, id)
			time.Sleep(time.Minute)
			synctest.Wait()
			status, _ = sdktest.PostIn(t, h, id, sdktest.Listing)
			assert.Equal(t, http.StatusNotFound, status)
		})
	})
}
