package cli

import (
	"fmt"
	"regexp"
)

// special matches characters that Markdown could read as markup, such as a
// link, an address or a mention.
var special = regexp.MustCompile("[\\\\`*_{}\\[\\]#+!|~:<>&@]|\\.\\b")

// Markdown returns untrusted text as one line of Markdown that displays it
// literally.
func Markdown(text string) string {
	return special.ReplaceAllStringFunc(OneLine(text), func(c string) string {
		switch c {
		case "<", ">", "&", "@": // not every renderer honours a backslash before these
			return fmt.Sprintf("&#%d;", c[0])
		default:
			return "\\" + c
		}
	})
}

var identifier = regexp.MustCompile(`^[A-Za-z0-9_./-]+$`)

// MarkdownCode formats an untrusted identifier as code, and any other text like
// [Markdown].
func MarkdownCode(text string) string {
	if identifier.MatchString(text) {
		return "`" + text + "`"
	}
	return Markdown(text)
}
