package engine

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/guard/internal/content"
	"github.com/toolcontract/toolcontract/contract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/contract/guard/internal/refusal"
	"github.com/toolcontract/toolcontract/contract/guard/internal/running"
	"github.com/toolcontract/toolcontract/contract/guard/internal/text"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/internal/exchange"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// checkResult checks the handler's result against the contract. An error must
// be declared. An output is sanitized, and must then fit its schema and size.
// It always answers. The audit log names the stage Run for an error, because
// there was no result to check.
func checkResult(u understood, ex running.Execution) *answer.Answer {
	if asks := hasAsked(ex.Err); asks != nil {
		return askForInput(u, asks)
	}
	if ex.Err != nil {
		a := handlerEndedWith(u, ex.Err)
		a.Stage = cmp.Or(a.Stage, facts.StageRun)
		return a
	}
	r, err := checkedOutput(u.tool, ex.Out)
	if err != nil {
		u.engine.lines.ReportPanic(u.ctx, err)
		return answer.Refuse(unusable(u.tool, err)).With(effectsOf(u.doc, mayHaveHappened))
	}
	return answer.Of(r)
}

// unusable returns the refusal for a result that does not leave the server.
func unusable(t *Tool, err error) *refusal.Refusal {
	if e, ok := errors.AsType[*tooLargeError](err); ok {
		return e.refusal(t, "")
	}
	return refusal.New(contract.CodeOutputInvalid, "").Because(err)
}

// handlerEndedWith answers for a handler that did not return a result.
func handlerEndedWith(u understood, err error) *answer.Answer {
	switch {
	case errors.Is(err, running.ErrTimeout):
		return answer.Refuse(refusal.New(contract.CodeTimeout, "")).With(effectsOf(u.doc, mayStillHappen))
	case errors.Is(err, running.ErrGivenUp):
		return givenUp(u)
	}
	return handlerFailed(u, err, effectsOf(u.doc, mayHaveHappened))
}

// givenUp answers for a handler that was still running when the guard closed. A
// read can be retried elsewhere; the effect of a write is unknown.
func givenUp(u understood) *answer.Answer {
	if u.doc.Effect == risk.ReadOnly {
		return answer.Refuse(refusal.Closing())
	}
	return answer.Refuse(refusal.New(contract.CodeTimeout, "the server closed before the tool ended")).With(mayStillHappen)
}

// handlerFailed answers for an error of the handler, or of a dry run. Only a
// declared failure reaches the caller with its text. effects is the line about
// effects. It is empty for a read and a dry run.
func handlerFailed(u understood, err error, effects string) *answer.Answer {
	u.log.blame(err)
	e, ok := errors.AsType[*running.HandlerError](err)
	switch {
	case !ok:
		return answer.Refuse(refusal.New(contract.CodeInternalError, "")).With(effects)
	case e.Refusal != nil && e.Refusal.Code == contract.CodeInvalidInput: // before the handler did anything
		return answer.Refuse(refusal.New(e.Refusal.Code, ""))
	case e.Refusal != nil && !e.Cancelled:
		return answer.Refuse(refusal.New(e.Refusal.Code, "")).With(effects)
	case e.Cancelled && effects == "":
		return cancelled("nothing was done")
	case e.Failure != nil && u.tool.Declares(e.Failure.Code()):
		a := &answer.Answer{Result: addReported(u, u.tool.declaredFailure(e.Failure), e)}
		if u.tool.Mode(e.Failure.Code()).EffectPossible {
			a.Effects = effects
		}
		return a
	case e.Cancelled:
		return cancelled("effects may have happened")
	case e.Failure != nil && u.tool.Half.Facts().OtherErrors == "":
		u.engine.lines.Undeclared(u.ctx, u.tool.Doc.Name, e.Failure.Code())
	}
	return undeclared(u, e).With(effects)
}

// cancelled answers for a handler that ended with an error after its caller had
// cancelled it. The caller does not wait for the answer any more, and the error
// is no failure of the tool. A declared failure of a write is an outcome, so it
// keeps its code.
func cancelled(effects string) *answer.Answer {
	return &answer.Answer{Result: &exchange.Result{
		Text: "cancelled: the caller cancelled the call; " + effects, IsError: true,
		Outcome: contract.Outcome{Status: contract.StatusCancelled},
	}}
}

// undeclared answers for an error that is not declared: with its text if the
// contract has OtherErrors.
func undeclared(u understood, e *running.HandlerError) *answer.Answer {
	code := u.tool.Half.Facts().OtherErrors
	if code == "" {
		return answer.Refuse(refusal.New(contract.CodeInternalError, ""))
	}
	message, removed := text.OfError(e.Text)
	r := u.tool.failedWith(code, message)
	r.Outcome.Sanitized = removed
	return &answer.Answer{Result: addReported(u, r, e)}
}

// checkedOutput turns what a handler returned without an error into a result.
func checkedOutput(t *Tool, returned any) (*exchange.Result, error) {
	out, beside, meta := t.Half.Parts(returned)
	items, _ := beside.([]contract.Content)
	raw, tree, err := t.Half.Encode(out)
	if err != nil {
		return nil, err
	}
	r := &exchange.Result{Outcome: contract.Outcome{Status: contract.StatusOK}}
	clean := content.Sanitizer{}
	switch t.Half.Facts().Output {
	case bound.Empty:
		if len(items) == 0 {
			r.Text = "ok"
		}
	case bound.Text:
		r.Text = t.delimit(clean.Text(tree.(string))) //nolint:forcetypeassert // Encode returns a string for Text
	case bound.Structured:
		r.Structured = raw
		if _, checked := tree.(bound.Checked); !checked {
			if r.Structured, err = clean.Structured(t.Half.Facts().OutputSchema, raw, tree); err != nil {
				return nil, err
			}
		}
		if !content.HasText(items) {
			r.Text = t.delimitStructured(r.Structured)
		}
	case bound.Untyped:
		if items, err = t.untyped(r, &clean, raw, tree, items); err != nil {
			return nil, err
		}
	}
	if r.Content, err = clean.Items(items); err != nil {
		return nil, err
	}
	t.delimitContent(r.Content, r.Structured)
	if r.Meta, err = clean.Meta(meta); err != nil {
		return nil, err
	}
	if err := t.checkSize("result", r, clean.MetaBytes); err != nil {
		return nil, err
	}
	r.Outcome.Sanitized = clean.Removed
	return r, nil
}

// untyped adds a result that has no schema to r: an object as structured
// content, any other value as a text, because not all clients accept it as
// structured content. It returns the items with that text.
func (t *Tool) untyped(r *exchange.Result, clean *content.Sanitizer, raw []byte, tree any, items []contract.Content) ([]contract.Content, error) {
	if raw == nil {
		if len(items) == 0 {
			r.Text = "ok"
		}
		return items, nil
	}
	raw, err := clean.Structured(nil, raw, tree)
	if err != nil {
		return nil, err
	}
	if _, ok := tree.(map[string]any); ok {
		r.Structured = raw
	}
	switch {
	case !content.HasText(items):
		r.Text = t.delimit(string(raw))
	case r.Structured == nil && !hasTextOf(items, raw):
		items = append(slices.Clip(items), contract.TextContent{Text: string(raw)})
	}
	return items, nil
}

// hasTextOf reports whether a text of the items is JSON of the same value.
func hasTextOf(items []contract.Content, raw []byte) bool {
	isSame := equalJSON(raw)
	return slices.ContainsFunc(items, func(item contract.Content) bool {
		text, ok := item.(contract.TextContent)
		return ok && isSame(text.Text)
	})
}

// delimits reports whether the contract delimits texts of this kind:
// [trust.DelimitText] or [trust.DelimitAll].
func (t *Tool) delimits(kind trust.Delimiting) bool { return t.delimiting() >= kind }

func (t *Tool) delimiting() trust.Delimiting {
	return t.Doc.Delimit.Effective(t.Doc.ContentTrust)
}

// delimit marks plain text that may try to persuade a model.
func (t *Tool) delimit(plain string) string {
	if t.delimits(trust.DelimitText) {
		return trust.Delimit(plain)
	}
	return plain
}

// delimitStructured returns the text of structured content.
func (t *Tool) delimitStructured(structured []byte) string {
	if t.delimits(trust.DelimitAll) {
		return trust.Delimit(string(structured))
	}
	return string(structured)
}

// delimitContent delimits the texts of items and of resources. A text that is
// the JSON of structured stays as it is unless all texts are delimited, because
// clients parse it. This exception needs an output schema, because clients
// cannot rely on the JSON without one. Links stay too, because their short
// texts have no room for a delimiter.
func (t *Tool) delimitContent(items []contract.Content, structured []byte) {
	if !t.delimits(trust.DelimitText) {
		return
	}
	isStructured := func(string) bool { return false }
	if t.Half.Facts().Output == bound.Structured && !t.delimits(trust.DelimitAll) {
		isStructured = equalJSON(structured)
	}
	for i, item := range items {
		switch item := item.(type) {
		case contract.TextContent:
			if !isStructured(item.Text) {
				item.Text = trust.Delimit(item.Text)
				items[i] = item
			}
		case contract.ResourceContent:
			if item.Blob == nil && item.Text != "" {
				item.Text = trust.Delimit(item.Text)
				items[i] = item
			}
		}
	}
}

// equalJSON returns a function that reports whether a text is JSON of the same
// value.
func equalJSON(raw []byte) func(string) bool {
	wanted, err := canonical(raw)
	return func(text string) bool {
		if text = strings.TrimSpace(text); err != nil || text == "" || text[0] != wanted[0] {
			return false
		}
		same, err := canonical([]byte(text))
		return err == nil && bytes.Equal(same, wanted)
	}
}

// canonical returns the same bytes for JSON of the same value, whatever its
// white space, escapes and order of members.
func canonical(raw []byte) ([]byte, error) {
	tree, err := strictjson.Parse(raw, strictjson.Limits{Elements: max(strictjson.DefaultElements, len(raw))})
	if err != nil {
		return nil, err
	}
	return strictjson.Marshal(tree)
}
