package enum

import (
	"slices"
	"strings"
)

// maxCompared caps the words that are compared with a name, which may come from
// a caller.
const maxCompared = 100

// Closest returns the word that name most likely misspells, or "". A word that
// differs only in case comes first. Only the first 100 words are compared.
func Closest(name string, words []string) string {
	words = words[:min(len(words), maxCompared)]
	if i := slices.IndexFunc(words, func(word string) bool { return strings.EqualFold(name, word) }); i >= 0 {
		return words[i]
	}
	return Nearest(name, words)
}

// DidYouMean returns an ending for a message about an unknown name: the
// [Closest] word as ` (did you mean "word"?)`, or "".
func DidYouMean(name string, words []string) string {
	if word := Closest(name, words); word != "" {
		return ` (did you mean "` + word + `"?)`
	}
	return ""
}

// maxWord is the longest word that is compared, in bytes: computing a distance
// costs the product of both lengths.
const maxWord = 64

// Nearest returns the candidate with the smallest edit distance to word, the
// first if several tie. It returns "" if that distance is larger than 3 or than
// a third of the word, or if word is longer than 64 bytes.
func Nearest(word string, candidates []string) string {
	if len(word) > maxWord {
		return ""
	}
	best := ""
	bestDistance := min(3, max(1, len(word)/3)) + 1
	for _, c := range candidates {
		if len(c) > maxWord {
			continue
		}
		if d := distance(word, c); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// distance returns the Levenshtein distance, counting a swap of neighbours as
// one edit.
func distance(a, b string) int {
	var previous []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], previous[j-2]+1)
			}
		}
		previous, row = row, next
	}
	return row[len(b)]
}
