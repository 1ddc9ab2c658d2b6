package definition

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/toolcontract/toolcontract/internal/declare"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/trust"
)

// capabilityPattern has no dot, so that the ID of a tool's definition is
// everything before the last dot of the tool's name.
var capabilityPattern = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// Validate checks a definition built in Go as [Parse] checks one that it reads.
// The error joins an [Error] for every mistake.
func (d Definition) Validate() error {
	c := &checker{}
	c.check(d)
	return c.err(d)
}

// A checker collects the mistakes in a definition. It reports nothing about
// parts that could not be read, because the reader already did.
type checker struct {
	mistakes []*Error
	unread   map[string]bool // by pointer
}

func (c *checker) bad(rule, pointer, message string) {
	for at := pointer; ; at = at[:strings.LastIndexByte(at, '/')] {
		if c.unread[at] {
			return
		}
		if at == "" {
			break
		}
	}
	c.mistakes = append(c.mistakes, &Error{Rule: rule, Where: pointer, Message: message})
}

// err joins the mistakes in the order of their pointers.
func (c *checker) err(d Definition) error {
	slices.SortStableFunc(c.mistakes, func(a, b *Error) int { return comparePointers(a.Where, b.Where) })
	errs := make([]error, len(c.mistakes))
	for i, m := range c.mistakes {
		if declare.IsName(d.ID) {
			m.ID = d.ID
		}
		m.Where = strictjson.PrintablePointer(m.Where)
		errs[i] = m
	}
	return errors.Join(errs...)
}

// comparePointers compares pointers name by name, and indexes as numbers.
func comparePointers(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), func(a, b string) int {
		i, notA := strconv.Atoi(a)
		j, notB := strconv.Atoi(b)
		if notA == nil && notB == nil && i != j {
			return cmp.Compare(i, j)
		}
		return cmp.Compare(a, b)
	})
}

func (c *checker) check(d Definition) {
	if c.notBlank("/id", d.ID) && !declare.IsName(d.ID) {
		c.bad(ruleID, "/id", "must have 1 to 128 of A-Z a-z 0-9 _ . - and no empty part")
	}
	c.requiredText("/name", d.Name)
	c.requiredText("/description", d.Description)
	if c.notBlank("/version", d.Version) {
		if _, err := semver.StrictNewVersion(d.Version); err != nil {
			c.bad(ruleVersion, "/version", "must be MAJOR.MINOR.PATCH by SemVer 2.0.0")
		}
	}
	if len(d.Capabilities) == 0 {
		c.bad(ruleMissing, "/capabilities", "must have at least one capability")
	}
	seen := map[string]bool{}
	for i, capability := range d.Capabilities {
		pointer := strictjson.PointerIndex("/capabilities", i)
		c.capability(pointer, d.ID, capability)
		c.unique(pointer+"/name", capability.Name, seen)
	}
	if !d.SecurityLevel.IsValid() {
		c.bad(ruleSecurityLevel, "/securityLevel", "must be an integer from 0 to 10")
	}
	c.metadata(d.Metadata)
}

func (c *checker) capability(pointer, id string, capability Capability) {
	if at := pointer + "/name"; c.notBlank(at, capability.Name) {
		switch {
		case !capabilityPattern.MatchString(capability.Name):
			c.bad(ruleCapability, at, "must have only A-Z a-z 0-9 _ -, and no dot")
		case len(id)+len(".")+len(capability.Name) > declare.MaxName:
			c.bad(ruleCapability, at, "is too long: the name of the tool, id.capability, may have 128 characters")
		}
	}
	c.requiredText(pointer+"/description", capability.Description)
	seen := map[string]bool{}
	for i, p := range capability.Parameters {
		at := strictjson.PointerIndex(pointer+"/parameters", i)
		c.parameter(at, p)
		c.unique(at+"/name", p.Name, seen)
	}
	if r := capability.Return; r != nil {
		c.optionalText(pointer+"/return/description", r.Description)
		if r.Schema != nil {
			c.schema(pointer+"/return/schema", r.Schema)
		}
	}
}

func (c *checker) parameter(pointer string, p Parameter) {
	c.requiredText(pointer+"/name", p.Name)
	if len(p.Name) > declare.MaxName {
		c.bad(ruleParameter, pointer+"/name", "must have at most 128 bytes")
	}
	c.optionalText(pointer+"/description", p.Description)
	switch {
	case p.Type == "":
		c.bad(ruleMissing, pointer+"/type", "must be given")
	case !p.Type.isKnown():
		c.bad(ruleParameterType, pointer+"/type", "must be string, number, boolean, object, array or any")
	}
}

// schema accepts any schema that compiles. Bind checks whether it describes an
// object, because only a structured result has to be one.
func (c *checker) schema(pointer string, raw json.RawMessage) {
	_, problems := schema.Compile(raw, schema.CompileOptions{Direction: schema.Output})
	for _, p := range problems {
		switch p.Rule {
		case schema.RuleRoot:
		case schema.RulePattern: // the problem's own message quotes the pattern
			c.bad(p.Rule, pointer+p.Field, "is not an RE2 regular expression")
		case schema.RuleFormat:
			c.bad(p.Rule, pointer+p.Field, "is a format or an encoding that is not checked")
		default:
			c.bad(p.Rule, pointer+p.Field, p.Message)
		}
	}
}

func (c *checker) metadata(values map[string]any) {
	if values == nil {
		return
	}
	plain, err := declare.PlainMetadata(values)
	if err != nil {
		c.bad(ruleMetadata, "/metadata", "must be plain data, with integers of at most 64 bits")
		return
	}
	c.dataTexts("/metadata", plain)
}

func (c *checker) dataTexts(pointer string, tree any) {
	switch v := tree.(type) {
	case string:
		c.visible(pointer, v)
	case []any:
		for i, item := range v {
			c.dataTexts(strictjson.PointerIndex(pointer, i), item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			at := strictjson.Pointer(pointer, name)
			c.visible(at, name)
			c.dataTexts(at, v[name])
		}
	}
}

// notBlank reports whether text is not blank, and records a mistake if it is.
func (c *checker) notBlank(pointer, text string) bool {
	if strings.TrimSpace(text) == "" {
		c.bad(ruleMissing, pointer, "must be given")
		return false
	}
	return true
}

func (c *checker) requiredText(pointer, text string) {
	if c.notBlank(pointer, text) {
		c.visible(pointer, text)
	}
}

func (c *checker) optionalText(pointer, text string) {
	if text != "" && strings.TrimSpace(text) == "" {
		c.bad(ruleText, pointer, "is blank; leave it out")
		return
	}
	c.visible(pointer, text)
}

// visible records a mistake if text has characters that a contract must not
// publish.
func (c *checker) visible(pointer, text string) {
	if _, removed := trust.Sanitize(text); removed > 0 {
		c.bad(ruleText, pointer, "has characters that hide or reorder text, or control a terminal")
	}
}

func (c *checker) unique(pointer, name string, seen map[string]bool) {
	if name != "" && seen[name] {
		c.bad(ruleDuplicate, pointer, "is there twice")
	}
	seen[name] = true
}
