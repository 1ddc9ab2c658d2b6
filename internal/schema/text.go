package schema

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolcontract/toolcontract/internal/schema/tree"
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
			Rule: RuleText, Field: strictjson.Pointer("", c.path...),
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
			problems[i].Remedy = "have the upstream remove them; CleanTexts of the adapter leaves names and values as they are, because " +
				"the upstream compares them"
		}
	}
}

// CleanTexts returns a schema whose titles, descriptions, comments, examples
// and keywords of other vocabularies are as trust.Sanitize returns them, and
// how many texts it changed. Every other text and every name stays, because
// values are compared with it. A schema that is not JSON stays as it is.
func CleanTexts(raw json.RawMessage) (cleaned json.RawMessage, changed int) {
	document, err := tree.ReadOlder(raw) // an older draft holds schemas in more keywords
	if err != nil {
		return raw, 0
	}
	cleaned, err = document.Rewrite(func(n *tree.Node, written []tree.Keyword) []tree.Keyword {
		for i, k := range written {
			// Beyond these, an object could be a schema that a reference leads
			// to.
			isText := k.Text[0] == '"' && !tree.IsKeyword(k.Name)
			if isText || slices.Contains(textKeywords, k.Name) {
				text, count := cleanTexts(k.Text)
				written[i].Text, changed = text, changed+count
			}
		}
		return written
	})
	if err != nil || changed == 0 {
		return raw, 0
	}
	return cleaned, changed
}

// textKeywords are the keywords whose texts only people and models read.
var textKeywords = []string{"title", "description", "$comment", "examples"}

// cleanTexts cleans the texts in a value that need it, except the names of
// members, and counts them.
func cleanTexts(raw json.RawMessage) (cleaned json.RawMessage, changed int) {
	var out bytes.Buffer
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw))
	enc := jsontext.NewEncoder(&out)
	for {
		token, err := dec.ReadToken()
		if err != nil {
			break // the end, because the value has been read before
		}
		kind, length := dec.StackIndex(dec.StackDepth())
		isName := kind == jsontext.KindBeginObject && length%2 == 1
		if token.Kind() == jsontext.KindString && !isName {
			if clean, removed := trust.Sanitize(token.String()); removed > 0 {
				token = jsontext.String(clean)
				changed++
			}
		}
		if err := enc.WriteToken(token); err != nil {
			return raw, 0
		}
	}
	if changed == 0 {
		return raw, 0
	}
	return bytes.TrimRight(out.Bytes(), "\n"), changed
}
