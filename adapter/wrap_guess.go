package adapter

import (
	"context"
	"log/slog"
	"slices"

	"github.com/toolcontract/toolcontract/adapter/wrap"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
)

// A guess is a clause inferred from a tool's hints.
type guess struct {
	wrap.Guess

	add func(*contract.Base)
}

func lacksEffect(err error) bool {
	for _, e := range contract.DeclarationErrors(err) {
		if e.Rule == "effect.missing" {
			return true
		}
	}
	return false
}

func guessEffect(hints ToolAnnotations) guess {
	effect, hint := hints.GuessEffect()
	return guess{
		Guess: wrap.Guess{Clause: "effect", Value: effect.String(), Hint: hint},
		add:   func(b *contract.Base) { b.Effect = effect },
	}
}

// guessSideEffect returns the side effect of a tool that, by its
// destructiveHint, only adds something. Without a side effect, the contract
// would imply that nothing can be undone. It returns false for any other tool.
func guessSideEffect(hints ToolAnnotations) (guess, bool) {
	effect, hint := hints.GuessEffect()
	if effect != risk.HighRiskWrite {
		return guess{}, false
	}
	added := contract.SideEffect{Description: addsOutside, Reach: contract.External, Undo: contract.Reversible}
	if hintIs(hints.OpenWorldHint, false) {
		added.Description, added.Reach = addsInside, contract.Internal
	}
	return guess{
		Guess: wrap.Guess{Clause: "sideEffects", Value: added.Reach.String() + " and " + added.Undo.String(), Hint: hint},
		add:   func(b *contract.Base) { b.SideEffects = []contract.SideEffect{added} },
	}, true
}

// The descriptions of guessed side effects. The question adds the reach and
// whether the change can be undone, which a person must read as a guess too: no
// hint promises that a merge or a sent invitation can be taken back.
const (
	addsInside  = "Guessed from the tool's hints, not declared: it adds or changes data"
	addsOutside = "Guessed from the tool's hints, not declared: it adds or changes data, also outside the system"
)

func hintIs(hint *bool, value bool) bool { return hint != nil && *hint == value }

// declaresSideEffects reports whether a contract has side effects.
func declaresSideEffects(built *contract.Tool) bool {
	return built != nil && len(built.Document().SideEffects) > 0
}

// GuessEffect infers a tool's effect from its hints and the protocol's
// defaults. It also returns the hint that decided. An empty hint means that no
// hint did, so the effect is the strictest one. [Wrapper.Wrap] explains the
// order.
func (a *ToolAnnotations) GuessEffect() (effect risk.Effect, hint string) {
	// ToolAnnotations of MCP 2025-11-25: destructiveHint has a meaning only if
	// readOnlyHint is not true.
	switch {
	case a.ReadOnlyHint != nil && *a.ReadOnlyHint:
		return risk.ReadOnly, "readOnlyHint"
	case a.DestructiveHint == nil && a.ReadOnlyHint == nil:
		return risk.Destructive, ""
	case a.DestructiveHint == nil:
		return risk.Destructive, "readOnlyHint"
	case *a.DestructiveHint:
		return risk.Destructive, "destructiveHint"
	case a.OpenWorldHint != nil:
		return risk.HighRiskWrite, "destructiveHint and openWorldHint"
	}
	return risk.HighRiskWrite, "destructiveHint"
}

// guessIdempotency returns false for a read, for which the hint means nothing,
// and for a contract that declares its idempotency.
func guessIdempotency(hints ToolAnnotations, built *contract.Tool) (guess, bool) {
	if built == nil || hints.IdempotentHint == nil || !*hints.IdempotentHint {
		return guess{}, false
	}
	doc := built.Document()
	if doc.Idempotency != nil || doc.Effect == risk.ReadOnly {
		return guess{}, false
	}
	native := contract.Idempotency{Mode: idempotency.Native}
	return guess{
		Guess: wrap.Guess{Clause: "idempotency", Value: native.Mode.String(), Hint: "idempotentHint"},
		add:   func(b *contract.Base) { b.Idempotency = native },
	}, true
}

// LogGuesses logs the guesses about a tool that was added while the server
// serves, because no report has them. A server that reloads its configuration
// adds all its tools again, so equal guesses about a tool are logged once.
func (w *Wrapper) LogGuesses(ctx context.Context, t wrap.Tool) {
	before, _ := w.guessed.Swap(t.Name, t.Guesses)
	if known, ok := before.([]wrap.Guess); ok && slices.Equal(known, t.Guesses) {
		return
	}
	for _, g := range t.Guesses {
		slog.WarnContext(ctx, "toolcontract: a tool was added whose contract is guessed in part; declare the clause in a rule", "tool",
			t.Name, "guess", g.String())
	}
}

// LogRefused logs that a tool that was added while the server serves gets no
// contract.
func LogRefused(ctx context.Context, tool string, err error) {
	slog.WarnContext(ctx, "toolcontract: a tool was added that gets no contract, so it is neither listed nor run", "tool", tool,
		"error", err)
}
