package effecttest_test

import (
	"context"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
	"github.com/toolcontract/toolcontract/verify/effectcheck"
	"github.com/toolcontract/toolcontract/verify/internal/testing/effecttest"
)

type handler = contract.Handler[effecttest.In, effecttest.Out]

// reading starts a read-only tool's contract.
func reading(name string, h handler) *contract.Builder[effecttest.In, effecttest.Out] {
	return contract.New(name, h).Description("A test.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
}

// writing starts the contract of a tool that writes and reaches nothing
// outside.
func writing(name string, h handler) *contract.Builder[effecttest.In, effecttest.Out] {
	return reading(name, h).Effect(risk.LowRiskWrite).Permissions("notes").
		SideEffects(contract.SideEffect{Description: "Notes change.", Reach: contract.Internal, Undo: contract.Reversible})
}

// asking starts the contract of a tool whose unknown outcomes are reconciled.
func asking(
	name string, h handler, ask func(context.Context, effecttest.In, time.Time) (contract.Reconciled[effecttest.Out], error),
) *contract.Builder[effecttest.In, effecttest.Out] {
	return writing(name, h).Reconcile(ask, contract.Reconciling{}).
		Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyRequired: true})
}

// A verdict is the answer for a tool with the capabilities that were found.
type verdict struct {
	tool         *contract.Builder[effecttest.In, effecttest.Out]
	answer       effectcheck.Conclusion
	capabilities string
}

func verdicts() []verdict {
	var (
		s effecttest.Store
		f effecttest.Files
	)
	const (
		consistent   = effectcheck.Consistent
		unknown      = effectcheck.Unknown
		contradicted = effectcheck.Contradicted
	)
	external := contract.SideEffect{Description: "Another server changes.", Reach: contract.External, Undo: contract.Reversible}
	return []verdict{
		{reading("read.nothing", s.Nothing), consistent, ""},
		{reading("read.read", s.Read), consistent, "FILES/READ"},
		{reading("read.append", s.Append), contradicted, "FILES/WRITE"},
		{reading("read.open_as_told", s.OpenAsTold), unknown, "FILES"},
		{reading("read.log", s.Log), contradicted, "FILES/WRITE"},
		{reading("read.console", s.Console), consistent, ""},
		{reading("read.book", s.Book), contradicted, "FILES/WRITE"},
		{reading("read.later", s.Later), contradicted, "FILES/WRITE"},
		{reading("read.once", s.Once), contradicted, "FILES/WRITE"},
		{reading("read.sort", s.Sort), consistent, ""},
		{reading("read.sort_and_write", s.SortAndWrite), contradicted, "FILES/WRITE"},
		{reading("read.hook", s.Hook), contradicted, "FILES/WRITE"},
		{reading("read.mail", s.Mail), unknown, "UNRESOLVED"},
		{reading("read.fetch", s.Fetch), consistent, "NETWORK/READ"},
		{reading("read.post", s.Post), unknown, "NETWORK/POST"},
		{reading("read.put", s.Put), contradicted, "NETWORK/WRITE"},
		{reading("read.delete", s.Delete), unknown, "NETWORK/WRITE"},
		{reading("read.send", s.Send), unknown, "NETWORK"},
		{reading("read.select", s.Select), consistent, "DATABASE/READ"},
		{reading("read.select_function", s.SelectFunction), unknown, "DATABASE"},
		{reading("read.select_sorted", s.SelectSorted), unknown, "DATABASE"},
		{reading("read.select_formatted", s.SelectFormatted), unknown, "DATABASE"},
		{reading("read.select_more", s.SelectMore), unknown, "DATABASE DATABASE/READ"},
		{reading("read.select_loop", s.SelectLoop), unknown, "DATABASE DATABASE/READ"},
		{reading("read.insert", s.Insert), contradicted, "DATABASE/WRITE"},
		{reading("read.update", s.Update), unknown, "DATABASE/WRITE"},
		{reading("read.query", s.Query), unknown, "DATABASE"},
		{reading("read.run", s.Run), unknown, "EXEC"},
		{reading("read.reflect", s.Reflect), unknown, "REFLECT"},
		{reading("read.generic", effecttest.Generic[effecttest.In]), contradicted, "FILES/WRITE"},
		{reading("read.instance", effecttest.Instance[effecttest.In]()), unknown, "UNKNOWN"},
		{reading("read.literal", effecttest.Literal()), contradicted, "FILES/WRITE"},
		{reading("read.wrapped", effecttest.Wrapped(s.Nothing)), unknown, "FILES/WRITE"},
		{reading("read.wrapped_write", effecttest.Wrapped(s.Append)), unknown, "FILES/WRITE"},

		{writing("write.append", f.Append), consistent, "FILES/WRITE"},
		{writing("write.update", s.Update), consistent, "DATABASE/WRITE"},
		{writing("write.fetch", s.Fetch), consistent, "NETWORK/READ"},
		{writing("write.delete", s.Delete), unknown, "NETWORK/WRITE"},
		{writing("write.run", s.Run), unknown, "EXEC"},
		{writing("write.external", s.Delete).SideEffects(external), consistent, "NETWORK/WRITE"},

		{writing("preview.nothing", f.Append).DryRun(dryrun.By(f.PreviewNothing)), consistent, "FILES/WRITE"},
		{writing("preview.writes", f.Append).DryRun(dryrun.By(f.PreviewByAppending)), contradicted, "FILES/WRITE dry run: FILES/WRITE"},
		{writing("precheck.reads", f.Append).Precheck(f.CheckByReading), consistent, "FILES/WRITE precheck: FILES/READ"},
		{writing("precheck.writes", f.Append).Precheck(f.CheckByAppending), contradicted, "FILES/WRITE precheck: FILES/WRITE"},
		{asking("reconcile.reads", f.Append, f.AskByReading), consistent, "FILES/WRITE reconciliation: FILES/READ"},
		{asking("reconcile.writes", f.Append, f.AskByAppending), contradicted, "FILES/WRITE reconciliation: FILES/WRITE"},
		{
			asking("reconcile.voids", f.Append, f.AskByVoiding), unknown,
			"FILES/WRITE reconciliation: FILES/READ reconciliation: FILES/WRITE",
		},
	}
}

// analyzed is the analysis of all verdicts' tools, made once.
var analyzed = sync.OnceValues(func() (effectcheck.Analysis, error) {
	var tools []*contract.Tool
	for _, v := range verdicts() {
		tools = append(tools, v.tool.MustBuild())
	}
	return effectcheck.Analyze(tools)
})

func TestAnalyze_AnswersForEachTool(t *testing.T) {
	r, err := analyzed()
	require.NoError(t, err)
	found := r.Capabilities()
	for _, v := range verdicts() {
		name := v.tool.MustBuild().Name()
		assert.Equal(t, v.answer, r.Conclusion(name), name)
		assert.Equal(t, v.capabilities, strings.Join(found[name], " "), name)
	}
	assert.Len(t, r.Tools, len(verdicts()))
}

func TestAnalyze_NamesTheShortestPath(t *testing.T) {
	r, err := analyzed()
	require.NoError(t, err)
	for _, f := range r.Effects {
		if f.Tool != "read.append" {
			continue
		}
		assert.Equal(t, "readonly.effect", f.Rule)
		require.Len(t, f.Path, 3)
		assert.True(t, strings.HasSuffix(f.Path[0].Function, "Store).Append"))
		assert.Equal(t, "handlers.go", path.Dir(strings.ReplaceAll(f.Path[0].At, ":", "/")))
		assert.True(t, strings.HasSuffix(f.Path[1].Function, "Store).open"))
		assert.Equal(t, effectcheck.Step{Function: "(*os.Root).OpenFile"}, f.Path[2])
	}
}
