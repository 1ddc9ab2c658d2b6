package scan

import (
	"regexp"
	"unicode"

	"github.com/toolcontract/toolcontract/internal/schema/defaults"
	"github.com/toolcontract/toolcontract/internal/schema/tree"
	"github.com/toolcontract/toolcontract/internal/strictjson"
)

// A Scanner checks texts against one schema. It is immutable and safe for
// concurrent use. The nil Scanner accepts nothing.
type Scanner struct{ root *check }

// A Validator has the checks that a [Scanner] can't do itself.
type Validator struct {
	// Fits returns a function that reports whether a value from
	// strictjson.Parse fits a schema. It returns nil if the schema can't be
	// checked alone.
	Fits func(n *tree.Node) func(value any) bool
	// Format returns the check for a format.
	Format func(name string) func(value any) error
	// Pattern compiles a regular expression. It returns an error if the
	// validator wouldn't accept the expression.
	Pattern func(pattern string) (*regexp.Regexp, error)
	// Text returns the check for a keyword that bounds strings beside the
	// schema's format, or nil if the keyword bounds nothing.
	Text func(n *tree.Node, keyword string) func(text string) (within, sure bool)
	// Unique is the keyword that stands for uniqueItems.
	Unique string
}

// New returns the Scanner for a schema and the defaults that are filled into
// its values. It returns nil if a default is at a position where the Scanner
// can't fill it in.
func New(root *tree.Node, fill *defaults.Plan, by Validator) *Scanner {
	c := compiler{Validator: by, checks: map[place]*check{}}
	compiled := c.check(root, fill)
	if c.gaveUp {
		return nil
	}
	return &Scanner{compiled}
}

// A place is a schema with the defaults of its values.
type place struct {
	node *tree.Node
	fill *defaults.Plan
}

type compiler struct {
	Validator

	checks map[place]*check
	gaveUp bool
}

// check compiles one schema.
func (c *compiler) check(n *tree.Node, fill *defaults.Plan) *check {
	at := place{n, fill}
	if known, ok := c.checks[at]; ok {
		return known
	}
	k := free()
	k.schema = n.Index()
	c.checks[at] = k
	if !c.compile(k, n, fill) {
		*k = check{foreign: c.Fits(n)}
		if k.foreign == nil || !fill.IsEmpty() {
			c.gaveUp = true
		}
	}
	return k
}

// compile reports whether it knows all keywords of a schema.
func (c *compiler) compile(k *check, n *tree.Node, fill *defaults.Plan) bool {
	if n.Form() != tree.Object {
		return false // true, false, or not a schema at all
	}
	if n.Ref != nil {
		if !n.OnlyAnnotates("$ref") {
			return false
		}
		k.same = c.check(n.Ref, fill)
		return true
	}
	if branch := n.OrNull(); branch != nil {
		if !n.OnlyAnnotates("anyOf") {
			return false
		}
		k.same = c.check(branch, fill)
		k.orNull = true
		return true
	}
	for keyword, value := range n.Keywords() { // in any order, since each sets its own part of k
		if !c.keyword(k, n, keyword, value) {
			return false
		}
	}
	return c.array(k, n, fill) && c.object(k, n, fill)
}

// keyword compiles a keyword without subschemas.
func (c *compiler) keyword(k *check, n *tree.Node, keyword string, value any) bool {
	switch keyword {
	case "type":
		var ok bool
		k.kinds, ok = n.Types()
		return ok
	case "enum":
		list, ok := value.([]any)
		return ok && k.setEnum(keyword, list)
	case "const":
		return n.Value("enum") == nil && k.setEnum(keyword, []any{value})
	case "format":
		name, ok := value.(string)
		k.formats = c.Format(name)
		return ok && k.formats != nil
	case "minLength":
		return size(value, &k.minLength)
	case "maxLength":
		return size(value, &k.maxLength)
	case "minItems":
		return size(value, &k.minItems)
	case "maxItems":
		return size(value, &k.maxItems)
	case "minProperties":
		return size(value, &k.minProperties)
	case "maxProperties":
		return size(value, &k.maxProperties)
	case "uniqueItems", c.Unique:
		k.unique = k.unique || value == true
		return true
	case "pattern":
		source, ok := value.(string)
		if !ok {
			return false
		}
		var err error
		k.pattern, err = c.Pattern(source)
		return err == nil
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		b, ok := newBound(keyword, value)
		k.bounds = append(k.bounds, b)
		return ok
	case "multipleOf":
		k.multipleOf = newMultiple(value)
		return k.multipleOf != nil
	case "items", "properties", "required", "additionalProperties":
		return true // arrays and objects handle it
	default:
		if admits := c.Text(n, keyword); admits != nil {
			k.texts = append(k.texts, textBound{keyword, admits})
			return true
		}
		return tree.Annotates(keyword)
	}
}

func (k *check) setEnum(keyword string, list []any) bool {
	k.values = keyword
	k.enum = make(map[string]struct{}, len(list))
	for _, value := range list {
		canonical, err := strictjson.Marshal(value)
		if err != nil {
			return false
		}
		k.enum[string(canonical)] = struct{}{}
	}
	return true
}

// size sets the value of a counting keyword.
func size(value any, to *int) bool {
	n, ok := tree.SizeOf(value)
	*to = n
	return ok
}

func (c *compiler) array(k *check, n *tree.Node, fill *defaults.Plan) bool {
	switch n.Value("items").(type) {
	case nil:
		return true
	case map[string]any:
		k.items = c.check(n.Child("items", ""), fill.Item(0))
		return true
	default:
		return false
	}
}

func (c *compiler) object(k *check, n *tree.Node, fill *defaults.Plan) bool {
	properties := n.Below("properties")
	if len(properties) > maxMembers {
		return false
	}
	k.members = make(map[string]*member, len(properties))
	for _, p := range properties { // sorted by name
		name := p.Step().Name
		if !isPlain(name) {
			return false
		}
		m := &member{name: []byte(name), index: len(k.members), check: c.check(p, fill.Member(name))}
		if text := fill.Default(name); text != nil {
			m.filled = append([]byte(`"`+name+`":`), text...)
			k.defaults = append(k.defaults, m)
		}
		k.members[name] = m
	}
	for _, name := range n.List("required") {
		text, _ := name.(string)
		m := k.members[text]
		if m == nil {
			return false
		}
		k.required.add(m.index)
	}
	switch additional := n.Value("additionalProperties").(type) {
	case nil:
	case bool:
		if !additional {
			k.others = nil
			return true
		}
	case map[string]any:
		k.others = c.check(n.Child("additionalProperties", ""), fill.Others())
		return true
	default:
		return false
	}
	k.others = everyValue
	return fill.Others().IsEmpty()
}

// isPlain reports whether a name is its own canonical form: printable ASCII
// without quotes and backslashes. Such names sort by their bytes.
func isPlain(name string) bool {
	for i := range len(name) {
		if c := name[i]; c < ' ' || c > unicode.MaxASCII || c == '"' || c == '\\' {
			return false
		}
	}
	return len(name) <= strictjson.DefaultNameLength
}
