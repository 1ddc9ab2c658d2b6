package contract

import "github.com/toolcontract/toolcontract/contract/internal/structtag"

// A tagPair is one key:"value" of a struct tag.
type tagPair struct{ key, value string }

// parseStructTag reads a struct tag as [structtag.Parse] does.
func parseStructTag(tag string) ([]tagPair, string) {
	parsed, message := structtag.Parse(tag)
	pairs := make([]tagPair, 0, len(parsed))
	for _, p := range parsed {
		pairs = append(pairs, tagPair{p.Key, p.Value})
	}
	return pairs, message
}
