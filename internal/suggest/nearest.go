// Package suggest finds the word that was probably meant.
package suggest

// maxWord bounds what is compared, for the distance costs the product of the
// two lengths.
const maxWord = 64

// Nearest returns the candidate with the smallest edit distance to word, the
// first of equals, if that distance is at most a third of the word and 3; else
// "". Words over 64 bytes have no nearest one.
func Nearest(word string, candidates []string) string {
	if len(word) > maxWord {
		return ""
	}
	best, bestDistance := "", min(3, max(1, len(word)/3))+1
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

// distance is Levenshtein's, with an exchange of neighbours counting as one.
func distance(a, b string) int {
	previous, row := []int(nil), make([]int, len(b)+1)
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
