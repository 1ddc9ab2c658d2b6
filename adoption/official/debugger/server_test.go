package debugger_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adoption/official/debugger"
	"github.com/toolcontract/toolcontract/adoption/official/internal/drive"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/gosdk"
)

func start(t *testing.T) *drive.Client {
	t.Helper()
	g, _ := drive.Guard(t, "programs:debug")
	s, _, err := debugger.New(g, map[string]string{"total": "42"})
	require.NoError(t, err)
	contracttest.Check(t, gosdk.ToolsOf(s)...)
	return drive.Connect(t, s)
}

// The SDK turns a typed handler's error into an error result, so clients of
// this server have always read it.
func TestDebug_SaysWhatIsWrong(t *testing.T) {
	c := start(t)
	text, outcome := c.Call("debug", map[string]any{"mode": "compile"})
	assert.Equal(t, contract.ClassRetryable, outcome.Class)
	assert.Contains(t, text, "invalid mode: compile")
}

// The tools of a session appear after one call and vanish after another. Each
// has its contract from the start.
func TestSession_ToolsComeAndGoUnderContract(t *testing.T) {
	c := start(t)
	assert.Len(t, c.Tools(), 1)
	_, outcome := c.Call("debug", map[string]any{"mode": "binary", "path": "/bin/shop"})
	require.Equal(t, contract.StatusOK, outcome.Status)
	assert.Equal(t, 1, c.Asked())
	assert.Len(t, c.Tools(), 9)

	text, outcome := c.Call("evaluate", map[string]any{"expression": "total"})
	assert.Equal(t, contract.StatusOK, outcome.Status)
	assert.Contains(t, text, "42")
	text, outcome = c.Call("evaluate", map[string]any{"expression": "sum"})
	assert.Equal(t, contract.ClassRetryable, outcome.Class)
	assert.Contains(t, text, "could not find symbol value for sum")

	_, outcome = c.Call("stop", map[string]any{})
	assert.Equal(t, contract.StatusOK, outcome.Status)
	assert.Len(t, c.Tools(), 1)
}
