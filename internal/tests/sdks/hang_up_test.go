package sdks_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A client that closes its connection gets no answer, so a read ends. A write
// goes on.
func TestHangUp_EndsAReadAndNoWrite(t *testing.T) {
	t.Parallel()
	for _, effect := range []risk.Effect{risk.ReadOnly, risk.LowRiskWrite} {
		t.Run(effect.String(), func(t *testing.T) {
			t.Parallel()
			eachEra(t, func(t *testing.T, s sdk, e era) {
				begun, free := make(chan struct{}), make(chan struct{})
				tool := contract.New("notes.wait", func(ctx context.Context, _ struct{}) (string, error) {
					close(begun)
					select {
					case <-ctx.Done():
						return "", ctx.Err()
					case <-free:
						return "done", nil
					}
				}).Description("Waits.").Version("1.0.0").Effect(effect).Trust(trust.Trusted).NoPermissions("for tests").MustBuild()
				k := newKit(t, s, asWritten(tool))
				ctx, hangUp := context.WithCancel(t.Context())
				body := string(sdktest.Message(t, e, 7, "tools/call", `{"name":"notes.wait","arguments":{}}`))
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, k.url, strings.NewReader(body))
				require.NoError(t, err)
				req.Header = http.Header{
					"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
					"Mcp-Protocol-Version": {string(e)}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"notes.wait"},
				}
				if e == legacy {
					req.Header.Set("Mcp-Session-Id", k.session(""))
				}
				gone := make(chan struct{})
				go func() {
					defer close(gone)
					if answer, err := http.DefaultClient.Do(req); err == nil {
						_ = answer.Body.Close()
					}
				}()
				<-begun
				hangUp()
				<-gone
				want := contract.StatusCancelled
				if effect != risk.ReadOnly {
					want = contract.StatusOK
					k.list(e, "") // the server has noticed by now
					close(free)
				}
				events := k.events(audit.Terminal)
				require.Len(t, events, 1)
				assert.Equal(t, want.String(), events[0].Status)
			})
		})
	}
}
