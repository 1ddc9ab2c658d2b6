package results

import (
	"errors"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/content"
	"github.com/toolcontract/toolcontract/contract/guard/internal/running"
	"github.com/toolcontract/toolcontract/contract/guard/internal/text"
	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/internal/exchange"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// AddReported adds the content of an error result of a wrapped handler to the
// result of its call. A part that the contract does not allow is left out,
// because it must not replace the error. The returned error describes it.
func (t Writer) AddReported(r *exchange.Result, e *running.HandlerError) error {
	if e.Reported == nil {
		return nil
	}
	beside, err := t.reportedContent(e)
	r.Content, r.Structured = beside.Content, beside.Structured
	r.Outcome.Sanitized += beside.Outcome.Sanitized
	return err
}

// reportedContent returns the content and the structured content of an error
// result, and an error that describes the parts that were left out. It leaves
// out all texts, because the text of the error contains or replaces them.
func (t Writer) reportedContent(e *running.HandlerError) (*exchange.Result, error) {
	beside, clean := &exchange.Result{}, content.Sanitizer{}
	items, _ := e.Reported.Content.([]contract.Content)
	plain, err := t.reportedStructured(beside, &clean, e, items)
	errs := []error{e.Reported.Unread, err}
	for _, item := range items {
		if _, isText := item.(contract.TextContent); isText {
			continue
		}
		one, err := clean.Items([]contract.Content{item})
		errs = append(errs, err)
		beside.Content = append(beside.Content, one...)
	}
	if plain != "" {
		beside.Content = append(beside.Content, contract.TextContent{Text: plain})
	}
	for i, c := range beside.Content {
		item, _ := content.Open(c)
		for _, words := range item.Texts() {
			*words = text.NeutralizeFatal(*words)
		}
		beside.Content[i] = item.Content()
	}
	t.delimitContent(beside.Content, nil)
	if err := t.CheckSize("content", beside, clean.MetaBytes); err != nil {
		return &exchange.Result{}, errors.Join(append(errs, err)...)
	}
	beside.Outcome.Sanitized = clean.Removed
	return beside, errors.Join(errs...)
}

// reportedStructured sets the structured content of an error result. Some
// clients discard a result whose structured content breaks the output schema,
// so such content is returned as a text instead. It is also returned as a text
// if the result has no other text.
func (t Writer) reportedStructured(
	beside *exchange.Result, clean *content.Sanitizer, e *running.HandlerError, items []contract.Content,
) (string, error) {
	if e.Reported.Structured == nil {
		return "", nil
	}
	tree, err := strictjson.Parse(e.Reported.Structured, strictjson.Limits{Elements: max(strictjson.DefaultElements,
		len(e.Reported.Structured))})
	if err != nil || tree == nil {
		return "", err
	}
	raw, err := clean.Structured(nil, e.Reported.Structured, tree)
	if err != nil {
		return "", err
	}
	if _, isObject := tree.(map[string]any); isObject && t.FitsOutput(raw) {
		beside.Structured = raw
	}
	// A declared failure may have replaced the texts.
	hasText := beside.Structured != nil && content.HasText(items) || e.Failure == nil && hasTextOf(items, raw)
	if hasText {
		return "", nil
	}
	return string(raw), nil
}

// FitsOutput reports whether structured content fits the output schema, if
// there is one. No structured content fits a tool that returns text or nothing.
func (t Writer) FitsOutput(structured []byte) bool {
	if t.Half.Facts().Output != bound.Structured {
		return t.Half.Facts().Output == bound.Untyped
	}
	tree, err := strictjson.Parse(structured, strictjson.Limits{Elements: len(structured)})
	return err == nil && len(t.Half.Facts().OutputSchema.Validate(tree)) == 0
}
