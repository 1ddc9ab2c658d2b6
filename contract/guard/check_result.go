package guard

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// checkResult holds what the handler returned to the contract: the error must
// be declared; the output is sanitised, then must fit its schema and size.
func checkResult(c *call) *Result {
	switch {
	case errors.Is(c.err, errTimeout):
		return c.refuse(contract.CodeTimeout, "")
	case errors.Is(c.err, errGivenUp):
		return c.givenUp()
	case c.err != nil:
		return c.handlerError()
	}
	return c.checkOutput()
}

// adapterRefused answers as an adapter says that stands between the guard and
// the handler. Where the arguments broke a rule of the adapter's, the author's
// handler was not called: the call is one that Validate refused.
func (c *call) adapterRefused(r *bound.RefusalError) *Result {
	if len(r.Violations) > 0 {
		c.at, c.ran = stageValidate, false
		return c.violated(violations(r.Violations)...)
	}
	return c.refuse(r.Code, "")
}

// givenUp answers for a handler that was still running when the guard closed.
// A read can be repeated elsewhere; what a write did is not known.
func (c *call) givenUp() *Result {
	if c.doc.Effect == risk.ReadOnly {
		return c.refuseLater(contract.CodeUnavailable, "the server is closing", unavailableDelay)
	}
	return c.refuse(contract.CodeTimeout, "the server closed before the tool ended; effects may have happened or may still happen")
}

// checkOutput holds what a handler returned without an error to the contract.
func (c *call) checkOutput() *Result {
	out, items, meta := parts(c.out)
	raw, tree, err := c.entry.bound.Encode(out)
	if err != nil {
		return c.invalidOutput(err)
	}
	r := &Result{Outcome: contract.Outcome{Status: contract.StatusOK}}
	clean := sanitizer{}
	switch c.entry.bound.Output {
	case bound.Empty:
		if len(items) == 0 {
			r.Text = "ok"
		}
	case bound.Text:
		r.Text = c.delimit(clean.text(tree.(string))) //nolint:forcetypeassert // Encode says so
	case bound.Structured:
		if r.Structured, err = c.structured(&clean, c.entry.bound.OutputSchema, raw, tree); err != nil {
			return c.invalidOutput(err)
		}
		if !hasText(items) {
			r.Text = string(r.Structured)
		}
	}
	if r.Content, err = clean.content(items); err != nil {
		return c.invalidOutput(err)
	}
	c.delimitContent(r.Content, r.Structured)
	if r.Meta, err = clean.meta(meta); err != nil {
		return c.invalidOutput(err)
	}
	if c.tooLarge(r, clean.metaBytes) {
		return c.invalidOutput(errTooLarge)
	}
	r.Outcome.Sanitized = clean.removed
	return r
}

// parts takes a contract.Reply apart; any other output is alone.
func parts(out any) (any, []contract.Content, map[string]any) {
	if r, ok := out.(interface {
		Parts() (any, []contract.Content, map[string]any)
	}); ok {
		return r.Parts()
	}
	return out, nil, nil
}

// structured sanitises structured content and holds it to its schema.
func (c *call) structured(clean *sanitizer, fits *schema.Schema, raw []byte, tree any) ([]byte, error) {
	cleanTree, err := clean.tree(tree)
	if err == nil && clean.removed > 0 {
		raw, err = strictjson.Marshal(cleanTree)
	}
	if err != nil {
		return nil, err
	}
	if violations := fits.Validate(cleanTree); len(violations) > 0 {
		v := violations[0]
		return nil, fmt.Errorf("%d violations of the output schema, first %s at %q: %s", len(violations), v.Rule, v.Pointer, v.Message)
	}
	return raw, nil
}

// delimit marks plain text that may try to talk a model into something.
func (c *call) delimit(text string) string {
	if c.entry.doc.ContentTrust.MayInject() {
		return trust.Delimit(text)
	}
	return text
}

// delimitContent delimits the texts of items, and of resources. A text that says
// in JSON what structured says stays: clients read it as that. Links have short
// texts in fields of their own, and no place for a delimiter.
func (c *call) delimitContent(items []contract.Content, structured []byte) {
	if !c.entry.doc.ContentTrust.MayInject() {
		return
	}
	said, err := canonical(structured)
	isStructured := func(text string) bool {
		if err != nil || !strings.HasPrefix(strings.TrimSpace(text), "{") {
			return false
		}
		same, err := canonical([]byte(text))
		return err == nil && bytes.Equal(same, said)
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

// canonical tells JSON apart from other JSON by what it says, not by its form:
// white space, escapes, the order of members.
func canonical(raw []byte) ([]byte, error) {
	tree, err := strictjson.Parse(raw, strictjson.Limits{Elements: max(strictjson.DefaultElements, len(raw))})
	if err != nil {
		return nil, err
	}
	return strictjson.Marshal(tree)
}

var errTooLarge = errors.New("the result is larger than maxResultBytes")

func (c *call) tooLarge(r *Result, metaBytes int) bool {
	limit := c.entry.doc.MaxResultBytes
	if limit == 0 {
		limit = contract.DefaultMaxResultBytes
	}
	return r.size()+int64(metaBytes) > limit
}

// invalidOutput answers for a result that must not leave; why is for the log.
func (c *call) invalidOutput(why error) *Result {
	c.cause = why
	return c.refuse(contract.CodeOutputInvalid, "")
}

// handlerError answers for an error of the handler's. Only what the tool
// declared leaves with its text.
func (c *call) handlerError() *Result {
	c.cause = c.err
	e, ok := errors.AsType[*handlerError](c.err)
	if !ok {
		return c.refuse(contract.CodeInternalError, "")
	}
	if e.refusal != nil {
		return c.adapterRefused(e.refusal)
	}
	failure := e.failure
	if failure == nil || !c.declares(failure.Code()) {
		return c.otherError(e)
	}
	message, removed := errorText(failure.Message())
	hint, inHint := errorText(failure.Advice())
	pointer, inPointer := errorText(failure.Pointer())
	if message == "" {
		message = c.mode(failure.Code()).Description
	}
	var lines []string
	if pointer != "" {
		lines = append(lines, "At "+pointer+" in the arguments.")
	}
	if after := failure.RetryAfter(); after > 0 {
		lines = append(lines, tryAgain(after))
	}
	if hint != "" {
		lines = append(lines, hint)
	}
	r := c.failed(failure.Code(), message, lines...)
	r.Outcome.Hint = hint
	r.Outcome.RetryAfterMs = milliseconds(failure.RetryAfter())
	r.Outcome.Sanitized = removed + inHint + inPointer
	if pointer != "" {
		r.Outcome.Violations = []contract.Violation{{Rule: failure.Code(), Pointer: pointer, Message: message}}
	}
	return r
}

// otherError answers for an error that is not declared: with its text where
// the contract has OtherErrors.
func (c *call) otherError(e *handlerError) *Result {
	code := c.entry.bound.OtherErrors
	if code == "" {
		return c.refuse(contract.CodeInternalError, "")
	}
	message, removed := errorText(e.text)
	r := c.refuse(code, message)
	r.Outcome.Sanitized = removed
	return r
}

func (c *call) declares(code string) bool {
	for _, m := range c.entry.doc.FailureModes {
		if m.Code == code && m.By == contract.ByTool {
			return true
		}
	}
	return false
}
