package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/contract/internal/schemadoc"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/internal/suggest"
)

// lint reports the keywords of each schema that cannot be enforced, in any
// order.
func lint(document *schemadoc.Document, lenient bool) []Problem {
	l := linter{lenient: lenient}
	for _, n := range document.All {
		for keyword := range n.Keywords {
			l.keyword(n, keyword)
		}
	}
	return l.problems
}

type linter struct {
	lenient  bool
	problems []Problem
}

func (l *linter) add(rule string, n *schemadoc.Node, keyword, message, remedy string) {
	l.problems = append(l.problems, Problem{rule, jsonptr.Append(n.Pointer, keyword), message, remedy})
}

func (l *linter) keyword(n *schemadoc.Node, keyword string) {
	switch keyword {
	case "$schema":
		l.dialect(n)
	case "$id":
		if n.Pointer != "" {
			l.add(RuleRef, n, keyword, "changes what references within it mean", "remove $id from subschemas")
		}
	case "$ref":
		if n.Ref == nil {
			l.add(RuleRef, n, keyword, "leads to no schema of this document",
				`refer to "#" or "#/$defs/…"; nothing is loaded from the network or from disk`)
		}
	case "pattern":
		l.pattern(n, n.Keywords[keyword], keyword)
	case "patternProperties":
		patterns, _ := n.Keywords[keyword].(map[string]any)
		for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
			l.pattern(n, pattern, keyword)
		}
	case "format":
		l.format(n)
	case "contentEncoding":
		if encoding := n.Keywords[keyword]; encoding != "base64" && !l.lenient {
			l.add(RuleFormat, n, keyword, "is an encoding that nothing checks", "use base64")
		}
	case "contentSchema":
		if n.Keywords["contentMediaType"] != "application/json" && !l.lenient {
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

func (l *linter) dialect(n *schemadoc.Node) {
	dialect, ok := n.Keywords["$schema"].(string)
	if !ok || strings.TrimSuffix(dialect, "#") != "https://json-schema.org/draft/2020-12/schema" {
		l.add(RuleDialect, n, "$schema", "is not draft 2020-12", "remove $schema and write the schema in draft 2020-12")
	}
}

func (l *linter) pattern(n *schemadoc.Node, value any, keyword string) {
	pattern, ok := value.(string)
	if !ok {
		return
	}
	if _, err := compilePattern(pattern); err != nil {
		l.add(RulePattern, n, keyword, fmt.Sprintf("%q is not a regular expression of RE2", cut(pattern, maxQuotedText)),
			"see https://golang.org/s/re2syntax; there is no look-ahead, no look-behind and no back-reference")
	}
}

func (l *linter) format(n *schemadoc.Node) {
	format, ok := n.Keywords["format"].(string)
	if !ok || l.lenient || slices.Contains(knownFormats, format) {
		return
	}
	l.add(RuleFormat, n, "format", fmt.Sprintf("%q is a format that nothing checks%s", cut(format, maxListedText), suggest.DidYouMean(format, knownFormats)),
		"use one of: "+strings.Join(knownFormats, ", ")+"; or a pattern")
}

func (l *linter) unknown(n *schemadoc.Node, keyword string) {
	if schemadoc.IsKeyword(keyword) || l.lenient || strings.HasPrefix(keyword, "x-") {
		return
	}
	l.add(RuleUnknown, n, keyword,
		"is not a keyword of JSON Schema"+suggest.DidYouMean(keyword, schemadoc.Keywords()),
		"correct it, or begin its name with x-")
}
