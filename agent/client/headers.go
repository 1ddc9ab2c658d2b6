package client

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A headerRule is an argument that requests over HTTP repeat in a header, so
// that a proxy need not read the body.
type headerRule struct {
	path   []string
	header string
}

const (
	paramPrefix    = "Mcp-Param-"
	maxHeaderDepth = 8
	maxHeaderRules = 64
)

// annotated is the part of a JSON Schema that has header annotations.
type annotated struct {
	Header     string               `json:"x-mcp-header"`
	Properties map[string]annotated `json:"properties"`
}

// headerRules returns the rules for the tools on a page, by tool name. Tools
// without rules are left out.
func headerRules(page json.RawMessage) map[string][]headerRule {
	if !strings.Contains(string(page), "x-mcp-header") {
		return nil
	}
	var list struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if json.Unmarshal(page, &list) != nil {
		return nil
	}
	found := map[string][]headerRule{}
	for _, raw := range list.Tools {
		var t struct {
			Name  string    `json:"name"`
			Input annotated `json:"inputSchema"`
		}
		if json.Unmarshal(raw, &t) != nil {
			continue
		}
		if rules := t.Input.rules(nil, nil); len(rules) > 0 {
			found[t.Name] = rules
		}
	}
	return found
}

func (a annotated) rules(path []string, found []headerRule) []headerRule {
	if len(path) > maxHeaderDepth {
		return found
	}
	for _, name := range slices.Sorted(maps.Keys(a.Properties)) {
		property := a.Properties[name]
		own := append(slices.Clip(path), name)
		if property.Header != "" && isToken(property.Header) && len(found) < maxHeaderRules {
			found = append(found, headerRule{own, paramPrefix + property.Header})
		}
		found = property.rules(own, found)
	}
	return found
}

// isToken reports whether a text from the server can be part of a header name.
func isToken(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool {
		letter := 'a' <= r|0x20 && r|0x20 <= 'z'
		return !letter && (r < '0' || r > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}) < 0
}

// headersOf returns the headers of a call.
func headersOf(rules []headerRule, arguments json.RawMessage) map[string]string {
	headers := map[string]string{}
	for _, rule := range rules {
		if value, ok := headerValue(arguments, rule.path); ok {
			headers[rule.header] = value
		}
	}
	return headers
}

// headerValue returns an argument as the protocol writes it in a header. It
// returns false unless the argument is a string, a boolean or an integer up to
// 2^53.
func headerValue(raw json.RawMessage, path []string) (string, bool) {
	for _, name := range path {
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil || members[name] == nil {
			return "", false
		}
		raw = members[name]
	}
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return "", false
	}
	switch v := value.(type) {
	case string:
		return encodedHeader(v), true
	case bool:
		return strconv.FormatBool(v), true
	case float64:
		const safe = 1<<53 - 1
		if whole := int64(v); v >= -safe && v <= safe && float64(whole) == v {
			return strconv.FormatInt(whole, 10), true
		}
	}
	return "", false
}

// encodedHeader encodes a text so that a header can carry it.
func encodedHeader(text string) string {
	const prefix, suffix = "=?base64?", "?="
	plain := strings.TrimSpace(text) == text && !(strings.HasPrefix(text, prefix) && strings.HasSuffix(text, suffix)) &&
		strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) < 0
	if plain {
		return text
	}
	return prefix + base64.StdEncoding.EncodeToString([]byte(text)) + suffix
}
