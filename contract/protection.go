package contract

import (
	"strings"

	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/fieldtag"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

const ruleProtectionPointer = "protection.pointer"

// A protector hides members of raw JSON, found by pointers, as field tags do
// for structs. It publishes this in the schemas.
type protector struct {
	list      []bound.Protection
	found     map[string]bool // pointers that lead to a member
	published map[string]bool // pointers of schemas with a keyword of its own
}

func newProtector(list []bound.Protection) *protector {
	return &protector{list: list, found: map[string]bool{}, published: map[string]bool{}}
}

// publish returns a schema with the keywords of the protections.
func (p *protector) publish(text *tree.Text, dir schema.Direction) *tree.Text {
	if len(p.list) == 0 || text == nil {
		return text
	}
	document, err := text.Document()
	if err != nil {
		return text // reported when it is compiled
	}
	value, err := strictjson.Parse(text.Raw, strictjson.Limits{Elements: max(strictjson.DefaultElements, len(text.Raw))})
	if err != nil {
		return text
	}
	for _, protection := range p.list {
		keyword := schema.SensitiveKeyword
		if protection.Secret {
			keyword = schema.SecretKeyword
		}
		path := pathOf(protection.Pointer)
		if path == nil || protection.Secret && dir == schema.Output {
			continue
		}
		n, direct := memberAt(document.Root, path)
		if n == nil {
			continue
		}
		p.found[protection.Pointer] = true
		if members, ok := valueAt(value, n.Pointer()).(map[string]any); ok && direct {
			members[keyword] = true
			p.published[n.Pointer()] = true
		}
	}
	written, err := strictjson.Marshal(value)
	if err != nil {
		return text
	}
	return tree.NewText(written)
}

// mark hides the members in the arguments. It reports pointers that lead to no
// member of a schema, because a misspelt pointer would protect nothing.
func (p *protector) mark(c *checker, in *fieldtag.Fields) {
	for _, protection := range p.list {
		if !p.found[protection.Pointer] {
			c.bad(ruleProtectionPointer, "WithSensitive, WithSecret", "a pointer leads to no member of the schemas",
				"correct the pointer, such as /value or /items/*/token; a secret is a member of the input")
			continue
		}
		words := fieldtag.Sensitive
		if protection.Secret {
			words = fieldtag.Secret
		}
		in.Mark(pathOf(protection.Pointer), words)
	}
}

// pathOf returns the tokens of a pointer, nil for one that leads to no member.
func pathOf(pointer string) []string {
	tokens, ok := strings.CutPrefix(pointer, "/")
	if !ok || tokens == "" || strings.HasSuffix(pointer, "/*") {
		return nil
	}
	path := strings.Split(tokens, "/")
	for i, token := range path {
		path[i] = strictjson.UnescapeToken(token)
	}
	return path
}

// memberAt returns the schema that declares a member. direct means that no $ref
// was followed, so the schema describes no other member.
func memberAt(n *tree.Node, path []string) (found *tree.Node, direct bool) {
	direct = true
	for _, token := range path {
		for followed := 0; n != nil && followed < 100; followed++ {
			next := n.Ref
			if next == nil {
				next = n.OrNull()
			} else {
				direct = false
			}
			if next == nil {
				break
			}
			n = next
		}
		if n == nil {
			return nil, false
		}
		n = step(n, token)
	}
	return n, direct
}

func step(n *tree.Node, token string) *tree.Node {
	if token != "*" {
		return n.Child("properties", token)
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		if below := n.Below(keyword); len(below) == 1 {
			return below[0]
		}
	}
	return nil
}

// valueAt returns the value that a pointer leads to, nil for none.
func valueAt(value any, pointer string) any {
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = strictjson.UnescapeToken(token)
		switch v := value.(type) {
		case map[string]any:
			value = v[token]
		default:
			return nil
		}
	}
	return value
}
