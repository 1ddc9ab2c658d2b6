package guard

import (
	"errors"
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/trust"
)

// checkResult holds what the handler returned to the contract: the error must
// be declared; the output is sanitised, then must fit its schema and size.
func checkResult(c *call) *Result {
	switch {
	case errors.Is(c.err, errTimeout):
		return c.refuse(contract.CodeTimeout, "")
	case errors.Is(c.err, errGivenUp):
		return c.refuse(contract.CodeTimeout, "the server closed before the tool ended; effects may have happened or may still happen")
	case !contract.IsSuccess(c.err):
		return c.handlerError()
	}
	raw, tree, err := c.entry.bound.Encode(c.out)
	if err != nil {
		return c.invalidOutput(err)
	}
	switch c.entry.bound.Output {
	case bound.Empty:
		return &Result{Text: "ok", Outcome: contract.Outcome{Status: contract.StatusOK}}
	case bound.Text:
		text, removed := trust.Sanitize(tree.(string)) //nolint:forcetypeassert // Encode says so
		if c.tooLarge(len(text)) {
			return c.invalidOutput(errTooLarge)
		}
		if c.entry.doc.ContentTrust.MayInject() {
			text = trust.Delimit(text)
		}
		return &Result{Text: text, Outcome: contract.Outcome{Status: contract.StatusOK, Sanitized: removed}}
	case bound.Structured:
	}
	clean, removed, err := sanitizeTree(tree)
	if err == nil && removed > 0 {
		raw, err = strictjson.Marshal(clean)
	}
	if err != nil {
		return c.invalidOutput(err)
	}
	if violations := c.entry.bound.OutputSchema.Validate(clean); len(violations) > 0 {
		v := violations[0]
		return c.invalidOutput(fmt.Errorf("%d violations of the output schema, first %s at %q: %s", len(violations), v.Rule, v.Pointer, v.Message))
	}
	if c.tooLarge(len(raw)) {
		return c.invalidOutput(errTooLarge)
	}
	return &Result{Text: string(raw), Structured: raw, Outcome: contract.Outcome{Status: contract.StatusOK, Sanitized: removed}}
}

var (
	errTooLarge     = errors.New("the result is larger than maxResultBytes")
	errKeyCollision = errors.New("two member names of the result are the same once sanitised")
)

func (c *call) tooLarge(n int) bool {
	limit := c.entry.doc.MaxResultBytes
	if limit == 0 {
		limit = contract.DefaultMaxResultBytes
	}
	return int64(n) > limit
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
	failure, ok := contract.AsError(c.err)
	if !ok || !c.declares(failure.Code()) {
		return c.refuse(contract.CodeInternalError, "")
	}
	message, removed := errorText(failure.Message())
	hint, more := errorText(failure.Advice())
	if message == "" {
		message = c.mode(failure.Code()).Description
	}
	var lines []string
	if after := failure.RetryAfter(); after > 0 {
		lines = append(lines, tryAgain(after))
	}
	if hint != "" {
		lines = append(lines, hint)
	}
	r := c.failed(failure.Code(), message, lines...)
	r.Outcome.Hint = hint
	r.Outcome.RetryAfterMs = milliseconds(failure.RetryAfter())
	r.Outcome.Sanitized = removed + more
	if failure.Pointer() != "" {
		pointer, _ := errorText(failure.Pointer())
		r.Outcome.Violations = []contract.Violation{{Rule: failure.Code(), Pointer: pointer, Message: message}}
	}
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

// errorText cleans what an author or a downstream put into an error, and takes
// from it the power to end an agent's run.
func errorText(s string) (string, int) {
	clean, removed := trust.Sanitize(s)
	return neutralizeFatal(clean), removed
}

// neutralizeFatal rewrites the fatal mark, in any case, to one that clients do
// not look for.
func neutralizeFatal(s string) string {
	var b strings.Builder
	for {
		i := indexFold(s, fatalMark)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i] + "(" + s[i+1:i+len(fatalMark)-1] + ")")
		s = s[i+len(fatalMark):]
	}
}

// indexFold finds an ASCII word in any case.
func indexFold(s, word string) int {
	for i := 0; i+len(word) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}

// sanitizeTree cleans every string and member name, and leaves tree unchanged
// where there is nothing to clean.
func sanitizeTree(tree any) (clean any, removed int, err error) {
	switch v := tree.(type) {
	case string:
		s, n := trust.Sanitize(v)
		return s, n, nil
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			sub, n, err := sanitizeTree(e)
			if err != nil {
				return nil, 0, err
			}
			out[i], removed = sub, removed+n
		}
		return out, removed, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			key, n := trust.Sanitize(name)
			sub, m, err := sanitizeTree(e)
			if err != nil {
				return nil, 0, err
			}
			if _, taken := out[key]; taken {
				return nil, 0, errKeyCollision
			}
			out[key], removed = sub, removed+n+m
		}
		return out, removed, nil
	}
	return tree, 0, nil
}
