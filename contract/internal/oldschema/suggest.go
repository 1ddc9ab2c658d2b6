package oldschema

import (
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/suggest"
)

// maxCompared bounds how many words an unknown name, which may be a caller's, is compared with.
const maxCompared = 100

// closest returns the word that name is most likely a misspelling of, or "". Its work is bounded, whatever it is given.
func closest(name string, words []string) string {
	words = words[:min(len(words), maxCompared)]
	if i := slices.IndexFunc(words, func(word string) bool { return strings.EqualFold(name, word) }); i >= 0 {
		return words[i]
	}
	return suggest.Nearest(name, words)
}

// didYouMean is the end of a message about an unknown name: empty, or " (did you mean …?)".
func didYouMean(name string, words []string) string {
	if word := closest(name, words); word != "" {
		return ` (did you mean "` + word + `"?)`
	}
	return ""
}
