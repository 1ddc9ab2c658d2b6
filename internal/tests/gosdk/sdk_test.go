package gosdk_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk"
	"github.com/toolcontract/toolcontract/internal/testing/sdktest"
)

func TestSDK_ServesThePartsOfAConfig(t *testing.T) {
	t.Parallel()
	address := metadata
	all := (&tools{}).All()
	k := &kit{t: t, sessions: map[string]string{}}
	k.guard, _ = newGuard(t)
	h, err := gosdk.SDK{}.NewHandler("kit", "1.0.0", k.guard, adapter.Config{
		Tools: all, Tier: contract.TierFull, Naming: contract.Dotted, ResourceMetadata: &address,
	})
	require.NoError(t, err)
	k.serve(h)
	sdktest.EachEra(t, func(t *testing.T, e era) {
		c := k.client(e, "alice")
		result, err := c.ListTools(t.Context(), nil)
		require.NoError(t, err)
		assert.Equal(t, []string{"calc.add", "notes.write"}, names(result.Tools))
		assert.Contains(t, result.Tools[0].Meta[contract.MetaKeyContract], "failureModes", "the tier")
		refused, err := callTool(t.Context(), k.client(e, "bob"), "notes.write", map[string]any{"text": "x"})
		require.NoError(t, err)
		assert.NotEmpty(t, refused.Meta["mcp/www_authenticate"], "the challenge names the metadata")
	})
}

func TestSDK_ReportsAConfigThatCannotBeServed(t *testing.T) {
	t.Parallel()
	bad := adapter.Config{Tools: []*contract.Tool{nil}}
	_, err := gosdk.SDK{}.NewHandler("kit", "1.0.0", nil, bad)
	require.NotEmpty(t, contract.DeclarationErrors(err))
	require.NotEmpty(t, contract.DeclarationErrors(gosdk.SDK{}.ServeStdio("kit", "1.0.0", nil, bad, os.Stdin, os.Stdout)))
}
