package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/toolcontract/toolcontract/contract/internal/jsonschema"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/trust"
)

// checkTexts reports the names and texts of a document, which people and models
// read, that hide text, reorder it or control a terminal: the first maxProblems
// of them.
func checkTexts(tree any) []Problem {
	var c textCheck
	c.value(tree)
	return c.problems
}

type textCheck struct {
	path     []string // the names and indexes of the current value
	problems []Problem
}

func (c *textCheck) value(value any) {
	switch v := value.(type) {
	case string:
		c.text(v)
	case []any:
		for i, item := range v {
			c.below(strconv.Itoa(i), func() { c.value(item) })
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			c.below(name, func() {
				c.text(name)
				c.value(v[name])
			})
		}
	}
}

func (c *textCheck) below(name string, check func()) {
	if len(c.problems) >= maxProblems {
		return
	}
	c.path = append(c.path, name)
	check()
	c.path = c.path[:len(c.path)-1]
}

func (c *textCheck) text(text string) {
	if _, removed := trust.Sanitize(text); removed > 0 {
		c.problems = append(c.problems, Problem{
			Rule: RuleText, Field: jsonptr.Join(c.path...),
			Message: "is a text or a name with characters that hide, reorder it or drive a terminal",
			Remedy:  "write it without them, as trust.Sanitize returns it",
		})
	}
}

// nameCleaner changes the remedies of problems in a schema that others wrote:
// whether CleanTexts of an adapter removes the characters, or only the upstream
// can.
func nameCleaner(raw json.RawMessage, problems []Problem) {
	cleaned, _ := CleanTexts(raw)
	document, _ := strictjson.Parse(cleaned, strictjson.Limits{}) // it was parsed before
	left := checkTexts(document)
	for i := range problems {
		problems[i].Remedy = "clean the tool with CleanTexts of the adapter"
		if slices.ContainsFunc(left, func(p Problem) bool { return p.Field == problems[i].Field }) {
			problems[i].Remedy = "have the upstream remove them; CleanTexts of the adapter leaves names and values as they are, because the upstream compares them"
		}
	}
}

// CleanTexts returns a schema whose titles, descriptions, comments, examples
// and keywords of other vocabularies are as trust.Sanitize returns them, and
// how many texts it changed. Every other text and every name stays, because
// values are compared with it. A schema that is not JSON stays as it is.
func CleanTexts(raw json.RawMessage) (cleaned json.RawMessage, changed int) {
	document, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return raw, 0
	}
	texts := map[string]string{}
	for _, n := range jsonschema.Of(document).All {
		for _, keyword := range []string{"title", "description", "$comment", "examples"} {
			collectHidden(jsonptr.Append(n.Pointer(), keyword), n.Value(keyword), texts)
		}
		for keyword, value := range n.Keywords() {
			// An object could be a schema that a reference leads to.
			if text, ok := value.(string); ok && !jsonschema.IsKeyword(keyword) {
				collectHidden(jsonptr.Append(n.Pointer(), keyword), text, texts)
			}
		}
	}
	if len(texts) == 0 {
		return raw, 0
	}
	if cleaned, err = replaceTexts(raw, texts); err != nil {
		return raw, 0
	}
	return cleaned, len(texts)
}

// collectHidden adds the cleaned form of every text in value that needs it, by
// its pointer.
func collectHidden(pointer string, value any, into map[string]string) {
	switch v := value.(type) {
	case string:
		if clean, removed := trust.Sanitize(v); removed > 0 {
			into[pointer] = clean
		}
	case []any:
		for i, item := range v {
			collectHidden(jsonptr.AppendIndex(pointer, i), item, into)
		}
	case map[string]any:
		for name, member := range v {
			collectHidden(jsonptr.Append(pointer, name), member, into)
		}
	}
}
