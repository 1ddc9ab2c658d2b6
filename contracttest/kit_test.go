package contracttest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

type noteIn struct {
	Text string `json:"text" jsonschema:"description=What to keep."`
}

type noteOut struct {
	ID string `json:"id"`
}

var errFull = contract.Fatal("notebook_full", "The notebook has no page left.")

// does is a handler that returns a zero output.
func does[In, Out any](context.Context, In) (Out, error) {
	var out Out
	return out, nil
}

type noteBuilder = contract.Builder[noteIn, noteOut]

// base returns a contract that, with an effect added, has only the findings
// name.dots and permissions.undeclared.
func base[In, Out any](name string) *contract.Builder[In, Out] {
	return contract.New(name, does[In, Out]).Title("Note").Description("Handles a note.").Version("1.1.0").Trust(trust.Trusted)
}

func reading(name string) *noteBuilder {
	return base[noteIn, noteOut](name).Effect(risk.ReadOnly).Permissions("notes:read")
}

func writing(name string) *noteBuilder {
	return write(base[noteIn, noteOut](name)).SideEffects(internalEffect())
}

func write[In, Out any](b *contract.Builder[In, Out]) *contract.Builder[In, Out] {
	return b.Effect(risk.LowRiskWrite).Permissions("notes:write").Failures(errFull).Timeout(time.Second)
}

func critical[In any]() *contract.Builder[In, noteOut] {
	return write(base[In, noteOut]("notes.publish")).Effect(risk.ExternalPublication).SideEffects(contract.SideEffect{
		Description: "A note is published.", Reach: contract.External, Undo: contract.Irreversible, OnRepeat: "It is published again.",
	})
}

func internalEffect() contract.SideEffect {
	return contract.SideEffect{Description: "A note is kept.", Reach: contract.Internal, Undo: contract.Reversible,
		OnRepeat: "Another note is kept."}
}

type buildable interface {
	Build() (*contract.Tool, error)
}

func build(t *testing.T, builders ...buildable) []*contract.Tool {
	t.Helper()
	tools := make([]*contract.Tool, len(builders))
	for i, b := range builders {
		var err error
		tools[i], err = b.Build()
		require.NoError(t, err)
	}
	return tools
}

// places returns the tools and clauses of a rule's findings.
func places(r contracttest.Inspection, rule string) []string {
	var at []string
	for _, f := range r.Findings {
		if f.Rule == rule {
			at = append(at, f.Tool+" "+f.Clause)
		}
	}
	return at
}

// A recorder is a testing.TB that records errors and logs.
type recorder struct {
	testing.TB
	logs, errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Logf(format string, args ...any) {
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// An exampleTB stands in for the testing.TB of an example, which has none.
type exampleTB struct {
	testing.TB
	cleanups []func()
}

func (*exampleTB) Helper()                        {}
func (*exampleTB) Context() context.Context       { return context.Background() }
func (e *exampleTB) Cleanup(f func())             { e.cleanups = append(e.cleanups, f) }
func (*exampleTB) Fatalf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) }
func (*exampleTB) Errorf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) }

func exampleTest(f func(testing.TB)) {
	e := &exampleTB{}
	f(e)
	for _, cleanup := range e.cleanups {
		cleanup()
	}
}

// updateEnv is the variable that makes Golden write.
const updateEnv = "CONTRACTTEST_UPDATE"
