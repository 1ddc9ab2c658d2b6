package listing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
)

// A property is the part of a JSON Schema that matters for x-mcp-header.
type property struct {
	Type       json.RawMessage     `json:"type"`
	Header     json.RawMessage     `json:"x-mcp-header"`
	Properties map[string]property `json:"properties"`
}

// checkHeaders checks the x-mcp-header annotations of the input schema against
// the protocol (SEP-2243). It also refuses them in a tool with aliases: a
// caller of an alias has not seen the schema and cannot know which headers to
// send. The error joins a [contract.DeclarationError] for each mistake.
func checkHeaders(doc contract.Document) error {
	if !mayHaveHeaders(doc.InputSchema) {
		return nil
	}
	var root property
	if json.Unmarshal(doc.InputSchema, &root) != nil {
		return nil //nolint:nilerr // no header is ever read from such a schema
	}
	bad := func(message, remedy string) error {
		return &contract.DeclarationError{Rule: "serve.header", Tool: doc.Name, Where: "inputSchema", Message: message, Remedy: remedy}
	}
	var errs []error
	seen := map[string]bool{}
	if err := root.check("", seen); err != nil {
		errs = append(errs, bad("an x-mcp-header annotation is not valid: "+err.Error(),
			"annotate primitive properties, with distinct header names"))
	}
	if len(doc.Aliases) > 0 && root.hasHeader() {
		errs = append(errs, bad("a tool with aliases has x-mcp-header annotations", "remove the annotations or the aliases"))
	}
	return errors.Join(errs...)
}

// mayHaveHeaders reports whether the text of a schema may have x-mcp-header
// annotations. The name can be escaped, and encoding/json ignores its case.
func mayHaveHeaders(inputSchema json.RawMessage) bool {
	return bytes.Contains(inputSchema, []byte(`\u`)) || bytes.Contains(bytes.ToLower(inputSchema), []byte("x-mcp-header"))
}

// check returns the first mistake in the properties of p. seen has the headers
// so far, in lower case.
func (p property) check(prefix string, seen map[string]bool) error {
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		member, path := p.Properties[name], prefix+name
		if member.Header != nil {
			if err := member.checkHeader(seen); err != nil {
				return fmt.Errorf("property %q: %w", path, err)
			}
		}
		if err := member.check(path+".", seen); err != nil {
			return err
		}
	}
	return nil
}

func (p property) checkHeader(seen map[string]bool) error {
	if !p.isPrimitive() {
		return fmt.Errorf("x-mcp-header can only be applied to primitive types (integer, string, boolean), got %s", p.typeText())
	}
	header, ok := p.header()
	if !ok {
		return errors.New("x-mcp-header must be a non-empty string")
	}
	if i := strings.IndexFunc(header, isNotTokenChar); i >= 0 {
		return fmt.Errorf("x-mcp-header value %q contains invalid character %q", header, []rune(header[i:])[0])
	}
	lower := strings.ToLower(header)
	if seen[lower] {
		return fmt.Errorf("duplicate x-mcp-header value %q (case-insensitive)", header)
	}
	seen[lower] = true
	return nil
}

// header returns the name of the header, and false if it is not a string.
func (p property) header() (name string, ok bool) {
	err := json.Unmarshal(p.Header, &name)
	return name, err == nil && name != ""
}

// hasHeader reports whether a property at any depth names a header.
func (p property) hasHeader() bool {
	for _, member := range p.Properties {
		if _, ok := member.header(); ok || member.hasHeader() {
			return true
		}
	}
	return false
}

// HasHeaders reports whether an input schema has x-mcp-header annotations.
func HasHeaders(inputSchema json.RawMessage) bool {
	var root property
	return mayHaveHeaders(inputSchema) && json.Unmarshal(inputSchema, &root) == nil && root.hasHeader()
}

// types returns the types that the property declares.
func (p property) types() []string {
	var one string
	if json.Unmarshal(p.Type, &one) == nil {
		return []string{one}
	}
	var several []string
	if json.Unmarshal(p.Type, &several) != nil {
		return nil
	}
	return several
}

func (p property) isPrimitive() bool {
	types := p.types()
	return len(types) > 0 && !slices.ContainsFunc(types, func(t string) bool {
		return t != "string" && t != "integer" && t != "boolean"
	})
}

func (p property) typeText() string {
	switch types := p.types(); {
	case len(types) == 1:
		return strconv.Quote(types[0])
	case len(types) > 1:
		return "[" + strings.Join(types, ", ") + "]"
	case len(p.Type) == 0:
		return "no declared type"
	default:
		return string(p.Type)
	}
}

// isNotTokenChar reports whether c is not allowed in an HTTP header name (RFC
// 9110 §5.6.2).
func isNotTokenChar(c rune) bool {
	isAlphanumeric := '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
	return !isAlphanumeric && !strings.ContainsRune("!#$%&'*+-.^_`|~", c)
}
