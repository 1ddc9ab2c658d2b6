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
	headerKeyword  = "x-mcp-header"
	paramPrefix    = "Mcp-Param-"
	maxHeaderDepth = 8
	maxHeaderRules = 64
)

// toolHeaders are the header annotations of one tool.
type toolHeaders struct {
	rules []headerRule
	// wrong means that an annotation is invalid. The protocol forbids such a tool
	// over HTTP (MCP 2026-07-28, transports, "Custom Headers").
	wrong bool
}

// toolHeadersOn returns the annotations of the tools on a page, by tool name.
// It leaves out tools without any.
func toolHeadersOn(page json.RawMessage) map[string]toolHeaders {
	if !strings.Contains(string(page), headerKeyword) {
		return nil
	}
	var list struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if json.Unmarshal(page, &list) != nil {
		return nil
	}
	found := map[string]toolHeaders{}
	for _, raw := range list.Tools {
		var t struct {
			Name  string          `json:"name"`
			Input json.RawMessage `json:"inputSchema"`
		}
		if json.Unmarshal(raw, &t) != nil {
			continue
		}
		var h toolHeaders
		h.read(t.Input, nil)
		if h.wrong || len(h.rules) > 0 {
			found[t.Name] = h
		}
	}
	return found
}

// read adds the annotations of a schema found at a path of members.
func (h *toolHeaders) read(schema json.RawMessage, path []string) {
	var s struct {
		Header     json.RawMessage            `json:"x-mcp-header"`
		Type       any                        `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if len(path) > maxHeaderDepth || json.Unmarshal(schema, &s) != nil {
		return
	}
	if s.Header != nil {
		h.add(s.Header, s.Type, path)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		h.read(s.Properties[name], append(slices.Clip(path), name))
	}
}

func (h *toolHeaders) add(raw json.RawMessage, kind any, path []string) {
	var name string
	isTaken := func(r headerRule) bool { return strings.EqualFold(r.header, paramPrefix+name) }
	if json.Unmarshal(raw, &name) != nil || name == "" || !isToken(name) || !isPlain(kind) || slices.ContainsFunc(h.rules, isTaken) {
		h.wrong = true
		return
	}
	if len(h.rules) < maxHeaderRules {
		h.rules = append(h.rules, headerRule{path, paramPrefix + name})
	}
}

// isPlain reports whether a header can hold values of a type. A schema without
// a type may have such values.
func isPlain(kind any) bool {
	if several, ok := kind.([]any); ok {
		return slices.ContainsFunc(several, isPlain)
	}
	return kind == nil || kind == "string" || kind == "integer" || kind == "boolean"
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
