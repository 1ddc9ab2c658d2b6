package gosdk_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/keys"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

// keysOfAdd are the keys of the tool, as a gateway reads them.
const keysOfAdd = `"risk_level":"read-only","content_trust_risk":"trusted","version":"1.2.3","aliases":["calc_plus"]`

func TestNewHandler_ListHasTheKeysBehindTheirHandler(t *testing.T) {
	t.Parallel()
	k, add := &kit{t: t, sessions: map[string]string{}}, new(tools).Add().MustBuild()
	h, err := gosdk.NewHandler("calc", "1.0.0", nil, gosdk.WithTools(add))
	require.NoError(t, err)
	k.serve(keys.Handler(h, keys.For(contract.Underscore, add)))
	sdktest.EachEra(t, func(t *testing.T, e era) {
		answer := k.post(e, "", "tools/list", "", sdktest.Message(t, e, 3, "tools/list", "{}"))
		assert.Contains(t, answer, keysOfAdd)
	})
}

func TestWithStreams_ListHasTheKeys(t *testing.T) {
	t.Parallel()
	add := new(tools).Add().MustBuild()
	requests := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
		`"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`
	var sent strings.Builder
	in, out := keys.Stdio(strings.NewReader(requests), &sent, keys.For(contract.Underscore, add))
	require.NoError(t, gosdk.ServeStdio("calc", "1.0.0", nil, gosdk.WithTools(add), gosdk.WithStreams(in, out)))
	require.NoError(t, out.Close())
	assert.Contains(t, sent.String(), keysOfAdd)
}
