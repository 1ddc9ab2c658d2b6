package guard

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/content"
	"github.com/toolcontract/toolcontract/contract/guard/internal/refusal"
	"github.com/toolcontract/toolcontract/contract/guard/internal/text"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// checkResult checks the handler's result against the contract. An error must
// be declared. An output is sanitized, and must then fit its schema and size.
// It always answers. The audit log names the stage Run for an error, because
// there was no result to check.
func checkResult(u understood, ex execution) *answer {
	if asks := hasAsked(ex.err); asks != nil {
		return askForInput(u, asks)
	}
	if ex.err != nil {
		a := handlerEndedWith(u, ex.err)
		a.stage = cmp.Or(a.stage, stageRun)
		return a
	}
	r, err := checkedOutput(u.tool, ex.out)
	if err != nil {
		u.guard.reportPanic(u.ctx, err)
		return refuse(unusable(u.tool, err)).with(effectsOf(u.doc, mayHaveHappened))
	}
	return &answer{result: r}
}

// unusable returns the refusal for a result that does not leave the server.
func unusable(t *protectedTool, err error) *refusal.Refusal {
	if e, ok := errors.AsType[*tooLargeError](err); ok {
		return e.refusal(t, "")
	}
	return refusal.New(contract.CodeOutputInvalid, "").Because(err)
}

// handlerEndedWith answers for a handler that did not return a result.
func handlerEndedWith(u understood, err error) *answer {
	switch {
	case errors.Is(err, errTimeout):
		return refuse(refusal.New(contract.CodeTimeout, "")).with(effectsOf(u.doc, mayStillHappen))
	case errors.Is(err, errGivenUp):
		return givenUp(u)
	}
	return handlerFailed(u, err, effectsOf(u.doc, mayHaveHappened))
}

// givenUp answers for a handler that was still running when the guard closed. A
// read can be retried elsewhere; the effect of a write is unknown.
func givenUp(u understood) *answer {
	if u.doc.Effect == risk.ReadOnly {
		return refuse(refusal.Closing())
	}
	return refuse(refusal.New(contract.CodeTimeout, "the server closed before the tool ended")).with(mayStillHappen)
}

// handlerFailed answers for an error of the handler, or of a dry run. Only a
// declared failure reaches the caller with its text. effects is the line about
// effects. It is empty for a read and a dry run.
func handlerFailed(u understood, err error, effects string) *answer {
	u.log.blame(err)
	e, ok := errors.AsType[*handlerError](err)
	switch {
	case !ok:
		return refuse(refusal.New(contract.CodeInternalError, "")).with(effects)
	case e.refusal != nil && e.refusal.Code == contract.CodeInvalidInput: // before the handler did anything
		return refuse(refusal.New(e.refusal.Code, ""))
	case e.refusal != nil && !e.cancelled:
		return refuse(refusal.New(e.refusal.Code, "")).with(effects)
	case e.cancelled && effects == "":
		return cancelled("nothing was done")
	case e.failure != nil && u.tool.declares(e.failure.Code()):
		a := &answer{result: addReported(u, u.tool.declaredFailure(e.failure), e)}
		if u.tool.mode(e.failure.Code()).EffectPossible {
			a.effects = effects
		}
		return a
	case e.cancelled:
		return cancelled("effects may have happened")
	case e.failure != nil && u.tool.bound.Facts().OtherErrors == "":
		u.guard.logUndeclared(u.ctx, u.tool.doc.Name, e.failure.Code())
	}
	return undeclared(u, e).with(effects)
}

// cancelled answers for a handler that ended with an error after its caller had
// cancelled it. The caller does not wait for the answer any more, and the error
// is no failure of the tool. A declared failure of a write is an outcome, so it
// keeps its code.
func cancelled(effects string) *answer {
	return &answer{result: &Result{
		Text: "cancelled: the caller cancelled the call; " + effects, IsError: true,
		Outcome: contract.Outcome{Status: contract.StatusCancelled},
	}}
}

// undeclared answers for an error that is not declared: with its text if the
// contract has OtherErrors.
func undeclared(u understood, e *handlerError) *answer {
	code := u.tool.bound.Facts().OtherErrors
	if code == "" {
		return refuse(refusal.New(contract.CodeInternalError, ""))
	}
	message, removed := text.OfError(e.text)
	r := u.tool.failedWith(code, message)
	r.Outcome.Sanitized = removed
	return &answer{result: addReported(u, r, e)}
}

// checkedOutput turns what a handler returned without an error into a result.
func checkedOutput(t *protectedTool, returned any) (*Result, error) {
	out, beside, meta := t.bound.Parts(returned)
	items, _ := beside.([]contract.Content)
	raw, tree, err := t.bound.Encode(out)
	if err != nil {
		return nil, err
	}
	r := &Result{Outcome: contract.Outcome{Status: contract.StatusOK}}
	clean := content.Sanitizer{}
	switch t.bound.Facts().Output {
	case bound.Empty:
		if len(items) == 0 {
			r.Text = "ok"
		}
	case bound.Text:
		r.Text = t.delimit(clean.Text(tree.(string))) //nolint:forcetypeassert // Encode returns a string for Text
	case bound.Structured:
		r.Structured = raw
		if _, checked := tree.(bound.Checked); !checked {
			if r.Structured, err = clean.Structured(t.bound.Facts().OutputSchema, raw, tree); err != nil {
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
func (t *protectedTool) untyped(r *Result, clean *content.Sanitizer, raw []byte, tree any, items []contract.Content) ([]contract.Content, error) {
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
func (t *protectedTool) delimits(kind trust.Delimiting) bool { return t.delimiting() >= kind }

func (t *protectedTool) delimiting() trust.Delimiting {
	return t.doc.Delimit.Effective(t.doc.ContentTrust)
}

// delimit marks plain text that may try to persuade a model.
func (t *protectedTool) delimit(plain string) string {
	if t.delimits(trust.DelimitText) {
		return trust.Delimit(plain)
	}
	return plain
}

// delimitStructured returns the text of structured content.
func (t *protectedTool) delimitStructured(structured []byte) string {
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
func (t *protectedTool) delimitContent(items []contract.Content, structured []byte) {
	if !t.delimits(trust.DelimitText) {
		return
	}
	isStructured := func(string) bool { return false }
	if t.bound.Facts().Output == bound.Structured && !t.delimits(trust.DelimitAll) {
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
