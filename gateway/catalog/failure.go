package catalog

import (
	"context"
	"strings"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/contract"
)

// failures returns the failures that the server declares for the tool itself,
// by code. Codes of guards are left out, because the gateway's guard has them
// too.
func (e Entry) failures() (byCode map[string]*contract.Failure, list []*contract.Failure) {
	byCode = map[string]*contract.Failure{ErrUnavailable.Code(): ErrUnavailable}
	list = []*contract.Failure{ErrUnavailable}
	for _, m := range e.Effective.FailureModes {
		if m.By != contract.ByTool || byCode[m.Code] != nil || isGeneric(m.Code) {
			continue
		}
		if m.Code == contract.CodeOutcomeUnknown && m.Class == contract.ClassRetryable {
			continue // only a contract with Reconcile has it, and the gateway's has none
		}
		f := contract.Fatal(m.Code, m.Description)
		if m.Class == contract.ClassRetryable {
			f = contract.Retryable(m.Code, m.Description)
		}
		if m.EffectPossible {
			f = f.EffectPossible()
		}
		byCode[m.Code] = f
		list = append(list, f)
	}
	return byCode, list
}

// isGeneric reports whether a code stands for errors without one.
func isGeneric(code string) bool {
	return code == contract.CodeToolRetry || code == contract.CodeToolFatal
}

// withFailures returns a handler whose error results carry the failure that the
// server names in the outcome, so that its class reaches the caller.
func withFailures(handler adapter.Handler, byCode map[string]*contract.Failure) adapter.Handler {
	if handler == nil {
		return nil
	}
	return func(ctx context.Context, call adapter.HandlerCall) (*adapter.HandlerResult, error) {
		r, err := handler(ctx, call)
		if err != nil || r == nil || !r.IsError || r.Failure != nil {
			return r, err
		}
		outcome, _ := r.Meta[contract.MetaKeyOutcome].(map[string]any)
		code, _ := outcome["code"].(string)
		if failure := byCode[code]; failure != nil {
			named := *r
			named.Failure = failure.Errorf("%s", textOf(r.Content))
			return &named, nil
		}
		return r, nil
	}
}

// textOf returns the text of a result.
func textOf(content []contract.Content) string {
	var texts []string
	for _, item := range content {
		if text, ok := item.(contract.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}
