package suggest

import (
	"slices"
	"strings"
)

// maxCompared is how many words are compared with a name, which may come from a
// caller.
const maxCompared = 100

// Closest returns the word that name is most likely a misspelling of, or "". A
// word that differs only in case comes first. Only the first 100 words are
// compared.
func Closest(name string, words []string) string {
	words = words[:min(len(words), maxCompared)]
	if i := slices.IndexFunc(words, func(word string) bool { return strings.EqualFold(name, word) }); i >= 0 {
		return words[i]
	}
	return Nearest(name, words)
}

// DidYouMean ends a message about an unknown name: it returns the [Closest]
// word as ` (did you mean "word"?)`, or "".
func DidYouMean(name string, words []string) string {
	if word := Closest(name, words); word != "" {
		return ` (did you mean "` + word + `"?)`
	}
	return ""
}
