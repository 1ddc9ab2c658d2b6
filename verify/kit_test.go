package verify_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
	"github.com/toolcontract/toolcontract/verify"
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

// about returns the judgements about a rule.
func about(v verify.Observation, rule string) []verify.Judgement {
	return slices.DeleteFunc(slices.Clone(v.Judgements), func(j verify.Judgement) bool { return j.Rule != rule })
}

func contradicted(v verify.Observation) []verify.Judgement {
	return slices.DeleteFunc(slices.Clone(v.Judgements),
		func(j verify.Judgement) bool { return j.Conclusion != verify.Contradicted })
}

// conclusion returns the conclusion about a rule: contradicted if anything
// contradicts it, and "" if the rule does not apply to the tool.
func conclusion(v verify.Observation, rule string) verify.Conclusion {
	var c verify.Conclusion
	for _, j := range about(v, rule) {
		if c != verify.Contradicted {
			c = j.Conclusion
		}
	}
	return c
}
