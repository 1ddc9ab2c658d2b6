package contracttest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract/compat"
	"github.com/toolcontract/toolcontract/contracttest"
)

// goldenReaching is golden for one read-only tool whose source can reach the
// capabilities. Nil does not record them.
func (c checkout) goldenReaching(update bool, capabilities []string) []string {
	c.t.Helper()
	c.t.Setenv(updateEnv, map[bool]string{true: "1", false: "0"}[update])
	built, err := compat.NewSnapshot(build(c.t, reading("notes.read"))...)
	require.NoError(c.t, err)
	if capabilities != nil {
		built.Capabilities = map[string][]string{"notes.read": capabilities}
	}
	tb := &recorder{}
	contracttest.GoldenSnapshot(tb, c.path, built)
	if len(tb.errors) == 0 {
		return nil
	}
	require.Len(c.t, tb.errors, 1)
	return strings.Split(tb.errors[0], "\n\t")[1:]
}

func TestGolden_AReadOnlyToolThatBeginsToUseTheNetworkNeedsAReason(t *testing.T) {
	c := newCheckout(t)
	require.Empty(t, c.goldenReaching(true, []string{"FILES/READ"}))
	require.Empty(t, c.goldenReaching(false, []string{"FILES/READ"}))

	failures := c.goldenReaching(false, []string{"FILES/READ", "NETWORK"})
	require.Len(t, failures, 1)
	assert.Contains(t, failures[0], "notes.read /capabilities: [capability.gained]")
	assert.Contains(t, failures[0], `now "NETWORK"`)
	require.Len(t, c.goldenReaching(true, []string{"FILES/READ", "NETWORK"}), 1, "an update needs the reason")
	assert.NotContains(t, c.read(), "NETWORK")

	c.explain("It asks a service.")
	require.Empty(t, c.goldenReaching(true, []string{"NETWORK", "FILES/READ"}))
	require.Empty(t, c.goldenReaching(false, []string{"FILES/READ", "NETWORK"}), "the reason stays in force")
	assert.Contains(t, c.read(), "NETWORK")
	assert.Len(t, c.goldenReaching(false, []string{"FILES/READ"}), 2, "the loss is not recorded, and its reason is stale")
}

func TestGolden_CapabilitiesAreNotDroppedWithoutAReason(t *testing.T) {
	c := newCheckout(t)
	require.Empty(t, c.goldenReaching(true, nil))
	require.Len(t, c.goldenReaching(false, []string{}), 1, "recording them is a change")
	require.Empty(t, c.goldenReaching(true, []string{}), "which needs no reason")
	require.Empty(t, c.goldenReaching(false, []string{}))

	failures := c.goldenReaching(true, nil)
	require.Len(t, failures, 1)
	assert.Contains(t, failures[0], "[capabilities.dropped]")
	c.explain("It asks a service.")
	require.Empty(t, c.goldenReaching(true, nil))
	require.Empty(t, c.goldenReaching(false, nil))
}
