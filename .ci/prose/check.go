package main

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	// maxWords bounds a sentence. About 25 words are the aim.
	maxWords = 32
	// maxComment and maxPage bound a line of a comment, with tabs of four
	// columns, and of a Markdown page.
	maxComment, maxPage = 80, 120
)

// A finding is one place that breaks a rule.
type finding struct {
	// File and Line locate it.
	File string
	Line int
	// Rule is the rule's name, Found what it matched, Instead what to write.
	Rule, Found, Instead string
}

// String returns the finding in one line, as compilers write theirs.
func (f finding) String() string {
	return fmt.Sprintf("%s:%d: %s: %q; write %s", f.File, f.Line, f.Rule, f.Found, f.Instead)
}

// check returns what breaks the rules in some texts, in their order.
func check(texts []passage) []finding {
	all := rules()
	var found []finding
	for _, t := range texts {
		words := notProse.ReplaceAllString(t.Words, "X")
		for _, r := range all {
			if m := r.find(words); m != "" {
				found = append(found, finding{t.File, t.Line, r.Name, m, r.Instead})
			}
		}
		for _, sentence := range sentences(words) {
			if n := len(strings.Fields(sentence)); n > maxWords {
				found = append(found, finding{
					t.File, t.Line, "long sentence",
					fmt.Sprintf("%d words: %.60s…", n, sentence),
					fmt.Sprintf("at most %d words, one idea", maxWords),
				})
			}
		}
	}
	return found
}

// find returns the first match that is not allowed, or "".
func (r rule) find(words string) string {
	for _, at := range r.Pattern.FindAllStringIndex(words, -1) {
		if r.Allowed == nil || !r.allows(words, at) {
			return words[at[0]:at[1]]
		}
	}
	return ""
}

// allows reports whether an allowed form overlaps a match.
func (r rule) allows(words string, at []int) bool {
	for _, ok := range r.Allowed.FindAllStringIndex(words, -1) {
		if ok[0] < at[1] && at[0] < ok[1] {
			return true
		}
	}
	return false
}

var sentenceEnd = regexp.MustCompile(`[.?!:;]["')]?(\s|$)| · `)

// sentences splits a text. A colon and a semicolon end a sentence too.
func sentences(text string) []string { return sentenceEnd.Split(text, -1) }

// checkLines returns the lines of a Go file's comments, or of a page, that are
// too long. Tables, links and code may be.
func checkLines(file string, source []byte) []finding {
	limit, page := maxComment, strings.HasSuffix(file, ".md")
	if page {
		limit = maxPage
	}
	var found []finding
	fenced, output := false, false
	for i, line := range strings.Split(string(source), "\n") {
		trimmed := strings.TrimSpace(line)
		output = isOutput(trimmed) || output && strings.HasPrefix(trimmed, "//")
		if strings.HasPrefix(trimmed, "```") {
			fenced = !fenced
		}
		prose := strings.HasPrefix(trimmed, "// ") && !output
		if page {
			prose = !fenced && !strings.HasPrefix(trimmed, "|") &&
				!strings.HasPrefix(trimmed, "[") && !strings.HasPrefix(trimmed, "<!--")
		}
		width := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
		if prose && width > limit && strings.Contains(strings.TrimPrefix(trimmed, "// "), " ") {
			found = append(found, finding{
				file, i + 1, "long line", fmt.Sprintf("%d columns", width), fmt.Sprintf("at most %d columns", limit),
			})
		}
	}
	return found
}
