package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// A result is a tools/call result.
type result struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
}

// texts returns the texts that are not blank.
func (r result) texts() []string {
	var all []string
	for _, c := range r.Content {
		if c.Type == "text" && strings.TrimSpace(c.Text) != "" {
			all = append(all, c.Text)
		}
	}
	return all
}

// hasMembers reports whether the structured content is not empty.
func (r result) hasMembers() bool {
	return r.isStructured() && !slices.Contains([]string{"{}", "[]", `""`}, strings.Join(strings.Fields(string(r.Structured)), ""))
}

func (r result) isStructured() bool { return len(r.Structured) > 0 && string(r.Structured) != "null" }

// eachResult checks all results, skipping any that cannot be read.
func eachResult(find func(f Fact, r result) []hit) func(Fact, *linter) []hit {
	return func(f Fact, l *linter) []hit {
		var all []hit
		for _, name := range slices.Sorted(maps.Keys(l.server.Results)) {
			for _, raw := range l.server.Results[name] {
				var r result
				if json.Unmarshal(raw, &r) != nil {
					continue
				}
				for _, at := range find(f, r) {
					at.tool = name
					all = append(all, at)
				}
			}
		}
		return all
	}
}

func structuredOnly(_ Fact, r result) []hit {
	return when(r.hasMembers() && len(r.Content) == 0, "/content", "")
}

func hollow(_ Fact, r result) []hit {
	return when(r.isStructured() && !r.hasMembers() && len(r.texts()) > 0, "/structuredContent", "")
}

func errorWithoutText(_ Fact, r result) []hit {
	return when(r.IsError && len(r.texts()) == 0, "/content", "")
}

func severalTexts(_ Fact, r result) []hit { return when(len(r.texts()) > 1, "/content", "") }

func longText(f Fact, r result) []hit {
	return r.longer(f, !r.IsError)
}

func longError(f Fact, r result) []hit {
	return r.longer(f, r.IsError)
}

func (r result) longer(f Fact, counts bool) []hit {
	n := 0
	for _, text := range r.texts() {
		n = max(n, utf8.RuneCountInString(text))
	}
	return when(counts && n > f.Limit, "/content", fmt.Sprintf("the text has %d characters", n))
}

// emptyQuestions finds forms without properties.
func emptyQuestions(_ Fact, l *linter) []hit {
	var all []hit
	for _, name := range slices.Sorted(maps.Keys(l.server.Questions)) {
		for _, raw := range l.server.Questions[name] {
			var q struct {
				Mode   string `json:"mode"`
				Schema struct {
					Properties map[string]any `json:"properties"`
				} `json:"requestedSchema"`
			}
			is := json.Unmarshal(raw, &q) == nil && q.Mode != "url" && len(q.Schema.Properties) == 0
			if is {
				all = append(all, hit{tool: name, pointer: "/requestedSchema/properties"})
			}
		}
	}
	return all
}

// largeResultIntegers finds integers beyond 2^53 in structured content.
func largeResultIntegers(_ Fact, r result) []hit {
	d := json.NewDecoder(bytes.NewReader(r.Structured))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return nil
		}
		if number, is := token.(json.Number); is && isLarge(number) {
			return []hit{{pointer: "/structuredContent"}}
		}
	}
}
