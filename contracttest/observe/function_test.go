package observe_test

import (
	"context"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest/observe"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// upstreamHandler looks like a handler of some SDK.
func upstreamHandler(request string) string { return request }

type note struct {
	Text string `json:"text"`
}

func writeNote(context.Context, note) (note, error) { return note{}, nil }

func previewNote(context.Context, note) (dryrun.Preview[note], error) {
	return dryrun.Preview[note]{}, nil
}

// writing returns a contract of writeNote.
func writing() *contract.Builder[note, note] {
	return contract.New("notes.write", writeNote).Description("Writes a note.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write")
}

func TestFactsOf_NamesHandlerAndDryRun(t *testing.T) {
	t.Parallel()
	plain := observe.FactsOf(writing().MustBuild())
	assert.True(t, strings.HasSuffix(plain.Handler.Name, "observe_test.writeNote"), plain.Handler.Name)
	assert.Equal(t, "function_test.go", path.Base(plain.Handler.File))
	assert.Positive(t, plain.Handler.Line)
	assert.Zero(t, plain.DryRun)

	tried := observe.FactsOf(writing().DryRun(dryrun.By(previewNote)).MustBuild())
	assert.True(t, strings.HasSuffix(tried.DryRun.Name, "observe_test.previewNote"), tried.DryRun.Name)

	required := observe.FactsOf(writing().DryRun(dryrun.By(previewNote).Required()).MustBuild())
	assert.Equal(t, tried.DryRun, required.DryRun)
}

func TestFactsOf_NamesTheHandlerThatAnAdapterWraps(t *testing.T) {
	t.Parallel()
	call := func(context.Context, adapter.HandlerCall) (*adapter.HandlerResult, error) { return nil, nil }
	definition := adapter.Definition{Name: "notes.read", Description: "Reads.", InputSchema: []byte(`{"type":"object"}`)}
	wrapped := adapter.Wrap(definition, call, adapter.WrapConfig{Function: upstreamHandler}).
		Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
	handler := observe.FactsOf(wrapped.MustBuild()).Handler
	assert.True(t, strings.HasSuffix(handler.Name, "observe_test.upstreamHandler"), handler.Name)
}

func TestFunctionOf_RefusesWhatIsNoFunction(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]any{"nothing": nil, "a text": "send", "a nil function": (func())(nil)} {
		_, err := observe.FunctionOf(f)
		assert.Error(t, err, name)
	}
	f, err := observe.FunctionOf(previewNote)
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(f.Name, ".previewNote"))
}
