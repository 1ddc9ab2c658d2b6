package verify

import (
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// errNotFound means that a tree has no value at a JSON Pointer.
var errNotFound = errors.New("there is no such value")

// appendToken returns a JSON Pointer extended by a member name or an index.
func appendToken(at, token string) string { return string(jsontext.Pointer(at).AppendToken(token)) }

// tokensOf splits a JSON Pointer into tokens. ok is false for any other text.
func tokensOf(at string) (tokens []string, ok bool) {
	if !jsontext.Pointer(at).IsValid() {
		return nil, false
	}
	return slices.Collect(jsontext.Pointer(at).Tokens()), true
}

// lookup returns the value at a JSON Pointer in a tree.
func lookup(tree any, at string) (any, error) {
	tokens, ok := tokensOf(at)
	if !ok {
		return nil, errNotFound
	}
	for _, token := range tokens {
		found := false
		switch within := tree.(type) {
		case map[string]any:
			tree, found = within[token]
		case []any:
			if i, err := strconv.Atoi(token); err == nil && 0 <= i && i < len(within) && strconv.Itoa(i) == token {
				tree, found = within[i], true
			}
		}
		if !found {
			return nil, errNotFound
		}
	}
	return tree, nil
}

// replaceAt returns a copy of a tree with another value at a JSON Pointer. It
// leaves the given tree unchanged.
func replaceAt(tree any, at string, value any) any {
	tokens, ok := tokensOf(at)
	if !ok {
		return tree
	}
	return replacedAt(tree, tokens, value)
}

func replacedAt(tree any, tokens []string, value any) any {
	if len(tokens) == 0 {
		return value
	}
	switch tree := tree.(type) {
	case map[string]any:
		members := maps.Clone(tree)
		if members == nil {
			members = map[string]any{}
		}
		members[tokens[0]] = replacedAt(tree[tokens[0]], tokens[1:], value)
		return members
	case []any:
		items := slices.Clone(tree)
		if i, err := strconv.Atoi(tokens[0]); err == nil && 0 <= i && i < len(items) {
			items[i] = replacedAt(items[i], tokens[1:], value)
		}
		return items
	default:
		return tree
	}
}
