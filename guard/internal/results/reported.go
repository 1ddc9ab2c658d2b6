package results

import (
	"bytes"
	"errors"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/running"
	"github.com/toolcontract/toolcontract/guard/internal/text"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/exchange"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// addReported adds the content of an error result of a wrapped handler to the
// result of its call. A part that the contract does not allow is left out,
// because it must not replace the error. The returned error describes it.
func addReported(v *facts.View, r *exchange.Result, e *running.Ended) error {
	if e.Kind != running.Reported {
		return nil
	}
	extra, err := reportedContent(v, e)
	r.Content = extra.Content
	r.Structured = extra.Structured
	r.Outcome.Sanitized += extra.Outcome.Sanitized
	r.Outcome.Removed = addRemovals(r.Outcome.Removed, extra.Outcome.Removed...)
	return err
}

// reportedContent returns the content and the structured content of an error
// result, and an error that describes the parts that were left out. It leaves
// out all texts if the text of the error contains or replaces them.
func reportedContent(v *facts.View, e *running.Ended) (*exchange.Result, error) {
	t := v.Tool
	extra := &exchange.Result{}
	clean := sanitizerOf(t)
	items, _ := e.Wrapped.Content.([]contract.Content)
	plain, err := reportedStructured(v, extra, &clean, e, items)
	errs := []error{e.Wrapped.Unread, err}
	verbatim := t.Impl.Facts().Verbatim && e.Wrapped.Own
	delimit := delimiter(t, nil)
	if verbatim && t.Doc.ContentTrust == 0 && t.Doc.Delimit == 0 {
		delimit = func(*item) {} // nothing declares that texts change
	}
	redact := v.Redactor()
	mark := func(i *item) {
		for _, words := range i.texts() {
			*words = text.NeutralizeFatal(redact(*words))
		}
		i.Meta, i.ResourceMeta = redactedMeta(i.Meta, redact), redactedMeta(i.ResourceMeta, redact)
		delimit(i)
	}
	kept := slices.DeleteFunc(slices.Clone(items), func(i contract.Content) bool { return !verbatim && isText(i) })
	if plain != "" {
		kept = append(kept, contract.TextContent{Text: plain})
	}
	for i, item := range kept {
		at := i
		if !verbatim {
			at++ // after the text of the error
		}
		one, err := clean.item(contentAt(at), item, mark)
		errs = append(errs, err)
		if err == nil {
			extra.Content = append(extra.Content, one)
		}
	}
	if err := CheckSize(t, "content", extra, &clean); err != nil {
		return &exchange.Result{}, errors.Join(append(errs, err)...)
	}
	extra.Outcome.Sanitized, extra.Outcome.Removed = clean.Removed, clean.Removals
	return extra, errors.Join(errs...)
}

// redactedMeta redacts a _meta. One that is then no JSON is left out.
func redactedMeta(meta map[string]any, redact func(string) string) (clean map[string]any) {
	raw, err := strictjson.Marshal(meta)
	words := redact(string(raw))
	if err == nil && words == string(raw) {
		return meta
	}
	if strictjson.Unmarshal([]byte(words), &clean) != nil {
		return nil
	}
	return clean
}

// reportedStructured sets the structured content of an error result. Some
// clients discard a result whose structured content breaks the output schema,
// so such content becomes a text, which is returned. It also becomes a text if
// the result has no other.
func reportedStructured(
	v *facts.View, extra *exchange.Result, clean *Sanitizer, e *running.Ended, items []contract.Content,
) (string, error) {
	if e.Wrapped.Structured == nil {
		return "", nil
	}
	structured := []byte(v.Redact(string(e.Wrapped.Structured)))
	tree, err := strictjson.Parse(structured, strictjson.Limits{Elements: max(strictjson.DefaultElements, len(structured))})
	if err != nil && !bytes.Equal(structured, e.Wrapped.Structured) {
		return string(structured), nil // a number was redacted
	}
	if err != nil || tree == nil {
		return "", err
	}
	raw, err := clean.Structured(nil, structured, tree)
	if err != nil {
		return "", err
	}
	if _, isObject := tree.(map[string]any); isObject && fitsOutput(v.Tool, raw) {
		extra.Structured = raw
	}
	// A declared failure may have replaced the texts.
	hasText := extra.Structured != nil && hasText(items) || e.Failure == nil && hasTextOf(items, raw)
	if hasText {
		return "", nil
	}
	return string(raw), nil
}

// fitsOutput reports whether structured content fits the output schema, if
// there is one. No structured content fits a tool that returns text or nothing.
func fitsOutput(t *facts.ProtectedTool, structured []byte) bool {
	if t.Impl.Facts().Output != bound.Structured {
		return t.Impl.Facts().Output == bound.Untyped
	}
	tree, err := strictjson.Parse(structured, strictjson.Limits{Elements: len(structured)})
	return err == nil && len(t.Impl.Facts().OutputSchema.Validate(tree)) == 0
}
