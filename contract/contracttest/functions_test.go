package contracttest_test

import (
	"context"
	"path"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/contracttest"
	"github.com/toolcontract/toolcontract/contract/mcpgo"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

func upstreamHandler(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{}, nil
}

func readNote(context.Context, noteIn) (noteOut, error) { return noteOut{}, nil }

func previewNote(context.Context, noteIn) (dryrun.Preview[noteOut], error) {
	return dryrun.Preview[noteOut]{}, nil
}

func TestFunctionsOf_NamesHandlerAndDryRun(t *testing.T) {
	t.Parallel()
	plain := contracttest.FunctionsOf(build(t, contract.New("notes.read", readNote).
		Description("Reads a note.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted))[0])
	assert.True(t, strings.HasSuffix(plain.Handler.Name, "contracttest_test.readNote"), plain.Handler.Name)
	assert.Equal(t, "functions_test.go", path.Base(plain.Handler.File))
	assert.Positive(t, plain.Handler.Line)
	assert.Zero(t, plain.DryRun)

	tried := contracttest.FunctionsOf(build(t, writing("notes.write").DryRun(dryrun.By(previewNote)))[0])
	assert.True(t, strings.HasSuffix(tried.DryRun.Name, "contracttest_test.previewNote"), tried.DryRun.Name)

	required := contracttest.FunctionsOf(build(t, writing("notes.write").DryRun(dryrun.By(previewNote).Required()))[0])
	assert.Equal(t, tried.DryRun, required.DryRun)
}

func TestFunctionsOf_NamesTheHandlerThatAnAdapterWraps(t *testing.T) {
	t.Parallel()
	wrapped := mcpgo.Wrap(mcp.NewTool("read", mcp.WithDescription("Reads.")), upstreamHandler).
		Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
	functions := contracttest.FunctionsOf(build(t, wrapped)[0])
	assert.True(t, strings.HasSuffix(functions.Handler.Name, "contracttest_test.upstreamHandler"), functions.Handler.Name)
}

func TestFunctionOf_RefusesWhatIsNoFunction(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]any{"nothing": nil, "a text": "send", "a nil function": (func())(nil)} {
		_, err := contracttest.FunctionOf(f)
		assert.Error(t, err, name)
	}
	f, err := contracttest.FunctionOf(previewNote)
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(f.Name, ".previewNote"))
	assert.Zero(t, contracttest.FunctionsOf(nil).Handler)
}
