package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// lint reports the keywords that can't be enforced, up to maxProblems of them.
func lint(document *tree.Document, lenient bool) []Problem {
	l := linter{lenient: lenient}
	for _, n := range document.All {
		for _, keyword := range n.Names() {
			if l.isFull() {
				return l.problems
			}
			l.keyword(n, keyword)
		}
	}
	return l.problems
}

// UnknownKeywords reports the keywords that JSON Schema doesn't have and that
// don't begin with x-, up to a limit. Nothing checks them.
func UnknownKeywords(document *tree.Document) []Problem {
	var l linter
	for _, n := range document.All {
		for _, keyword := range n.Names() {
			l.unknown(n, keyword)
		}
	}
	return l.problems
}

type linter struct {
	lenient  bool
	problems []Problem
}

func (l *linter) isFull() bool { return len(l.problems) >= maxProblems }

func (l *linter) add(rule string, n *tree.Node, keyword, message, remedy string) {
	if !l.isFull() {
		l.problems = append(l.problems, Problem{rule, strictjson.Pointer(n.Pointer(), keyword), message, remedy})
	}
}

func (l *linter) keyword(n *tree.Node, keyword string) {
	switch keyword {
	case "$schema":
		l.dialect(n)
	case "$id":
		if !n.IsRoot() {
			l.add(RuleRef, n, keyword, "changes what references within it mean", "remove $id from subschemas")
		}
	case "$ref":
		if n.Ref == nil {
			l.add(RuleRef, n, keyword, "leads to no schema of this document",
				`refer to "#" or "#/$defs/…"; nothing is loaded from the network or from disk`)
		}
	case "pattern":
		l.pattern(n, n.Value(keyword), keyword)
	case "patternProperties":
		patterns, _ := n.Value(keyword).(map[string]any)
		for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
			l.pattern(n, pattern, keyword)
		}
	case "format":
		l.format(n)
	case MinimumKeyword, MaximumKeyword:
		l.durationBound(n, keyword)
	case "contentEncoding":
		if encoding := n.Value(keyword); encoding != "base64" && !l.lenient {
			l.add(RuleFormat, n, keyword, "is an encoding that nothing checks", "use base64")
		}
	case "contentSchema":
		if n.Value("contentMediaType") != "application/json" && !l.lenient {
			l.add(RuleFormat, n, keyword, "applies to JSON only", `add "contentMediaType": "application/json"`)
		}
	case "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor":
		l.add(RuleRef, n, keyword, "makes a reference depend on how a schema was reached", "use $ref")
	case "dependencies":
		l.add(RuleDialect, n, keyword, "is a keyword of older drafts", "use dependentRequired or dependentSchemas")
	case "additionalItems":
		l.add(RuleDialect, n, keyword, "is a keyword of older drafts", "use prefixItems and items")
	default:
		l.unknown(n, keyword)
	}
}

func (l *linter) dialect(n *tree.Node) {
	dialect, ok := n.Value("$schema").(string)
	if !ok || !isCurrent(dialect) {
		l.add(RuleDialect, n, "$schema", "is not draft 2020-12", "remove $schema and write the schema in draft 2020-12")
	}
}

func isCurrent(dialect string) bool {
	return strings.TrimSuffix(dialect, "#") == "https://json-schema.org/draft/2020-12/schema"
}

func (l *linter) pattern(n *tree.Node, value any, keyword string) {
	pattern, ok := value.(string)
	if !ok {
		return
	}
	if _, err := tree.Regexp(pattern); err != nil {
		l.add(RulePattern, n, keyword, fmt.Sprintf("%q is not a regular expression of RE2", cut(pattern, maxQuotedText)),
			"see https://golang.org/s/re2syntax; there is no look-ahead, no look-behind and no back-reference")
	}
}

func (l *linter) format(n *tree.Node) {
	format, ok := n.Value("format").(string)
	if !ok || l.lenient || slices.Contains(knownFormats, format) {
		return
	}
	l.add(RuleFormat, n, "format", fmt.Sprintf("%q is a format that nothing checks%s", cut(format, maxListedText),
		enum.DidYouMean(format, knownFormats)),
		"use one of: "+strings.Join(knownFormats, ", ")+"; or a pattern")
}

func (l *linter) durationBound(n *tree.Node, keyword string) {
	if l.lenient || n.Value("format") != durationFormat {
		return // an annotation
	}
	high, isBound := DurationBound(n, keyword)
	low, hasMinimum := DurationBound(n, MinimumKeyword)
	switch {
	case !isBound:
		l.add(RuleCompile, n, keyword, "is not a duration of fixed length",
			"write a duration such as PT1H30M, without years and months")
	case hasMinimum && low > high:
		l.add(RuleCompile, n, keyword, "the maximum is below the minimum, so that no duration is accepted",
			"raise the maximum, or lower the minimum")
	}
}

func (l *linter) unknown(n *tree.Node, keyword string) {
	if tree.IsKeyword(keyword) || l.lenient || strings.HasPrefix(keyword, "x-") {
		return
	}
	l.add(RuleUnknown, n, keyword,
		"is not a keyword of JSON Schema"+enum.DidYouMean(keyword, tree.Keywords()),
		"correct it, or begin its name with x-")
}
