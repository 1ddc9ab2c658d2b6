package contract

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

	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/jsonptr"
	"github.com/toolcontract/toolcontract/trust"
)

// capabilityPattern has no dot, so that a tool's name says where the ID ends.
var capabilityPattern = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// Validate checks a definition that was made in Go as [ParseDefinition] checks
// one that it reads. The error joins a [DefinitionError] for every mistake.
func (d Definition) Validate() error {
	c := &definitionChecker{}
	c.check(d)
	return c.err(d)
}

// A definitionChecker collects what is wrong with a definition. It says nothing
// of what could not be read.
type definitionChecker struct {
	mistakes []*DefinitionError
	unread   map[string]bool
}

func (c *definitionChecker) bad(rule, pointer, message string) {
	for at := pointer; ; at = at[:strings.LastIndexByte(at, '/')] {
		if c.unread[at] {
			return
		}
		if at == "" {
			break
		}
	}
	c.mistakes = append(c.mistakes, &DefinitionError{Rule: rule, Pointer: pointer, Message: message})
}

// err joins the mistakes in the order of their pointers.
func (c *definitionChecker) err(d Definition) error {
	slices.SortStableFunc(c.mistakes, func(a, b *DefinitionError) int { return comparePointers(a.Pointer, b.Pointer) })
	errs := make([]error, len(c.mistakes))
	for i, m := range c.mistakes {
		if validName(d.ID) {
			m.ID = d.ID
		}
		m.Pointer = jsonptr.Printable(m.Pointer)
		errs[i] = m
	}
	return errors.Join(errs...)
}

// comparePointers orders the items of an array by their numbers.
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

func (c *definitionChecker) check(d Definition) {
	if c.given("/id", d.ID) && !validName(d.ID) {
		c.bad(RuleDefinitionID, "/id", "must be 1 to 128 of A-Z a-z 0-9 _ . - with no empty part")
	}
	c.requiredText("/name", d.Name)
	c.requiredText("/description", d.Description)
	if c.given("/version", d.Version) {
		if _, err := semver.StrictNewVersion(d.Version); err != nil {
			c.bad(RuleDefinitionVersion, "/version", "must be MAJOR.MINOR.PATCH by SemVer 2.0.0")
		}
	}
	if len(d.Capabilities) == 0 {
		c.bad(RuleDefinitionMissing, "/capabilities", "must have at least one capability")
	}
	seen := map[string]bool{}
	for i, capability := range d.Capabilities {
		pointer := jsonptr.AppendIndex("/capabilities", i)
		c.capability(pointer, d.ID, capability)
		c.unique(pointer+"/name", capability.Name, seen)
	}
	if !d.SecurityLevel.IsValid() {
		c.bad(RuleDefinitionSecurityLevel, "/securityLevel", "must be an integer from 0 to 10")
	}
	c.metadata(d.Metadata)
}

func (c *definitionChecker) capability(pointer, id string, capability Capability) {
	if at := pointer + "/name"; c.given(at, capability.Name) {
		switch {
		case !capabilityPattern.MatchString(capability.Name):
			c.bad(RuleDefinitionCapability, at, "must be of A-Z a-z 0-9 _ -, without a dot")
		case len(id)+len(".")+len(capability.Name) > maxNameLength:
			c.bad(RuleDefinitionCapability, at, "is too long: the tool's name, id.capability, has at most 128 characters")
		}
	}
	c.requiredText(pointer+"/description", capability.Description)
	seen := map[string]bool{}
	for i, p := range capability.Parameters {
		at := jsonptr.AppendIndex(pointer+"/parameters", i)
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

func (c *definitionChecker) parameter(pointer string, p Parameter) {
	c.requiredText(pointer+"/name", p.Name)
	if len(p.Name) > maxNameLength {
		c.bad(RuleDefinitionParameter, pointer+"/name", "must have at most 128 bytes")
	}
	c.optionalText(pointer+"/description", p.Description)
	switch {
	case p.Type.IsZero():
		c.bad(RuleDefinitionMissing, pointer+"/type", "must be given")
	case !p.Type.IsValid():
		c.bad(RuleDefinitionParameterType, pointer+"/type", "must be string, number, boolean, object, array or any")
	}
}

// schema takes any schema that compiles. That a tool's result is an object is
// for Bind to demand: text is told as text.
func (c *definitionChecker) schema(pointer string, raw json.RawMessage) {
	_, problems := schema.Compile(raw, schema.CompileOptions{})
	for _, p := range problems {
		switch p.Rule {
		case schema.RuleRoot:
		case schema.RulePattern: // the message quotes it
			c.bad(p.Rule, pointer+p.Field, "is not a regular expression of RE2")
		case schema.RuleFormat:
			c.bad(p.Rule, pointer+p.Field, "is a format or an encoding that nothing checks")
		default:
			c.bad(p.Rule, pointer+p.Field, p.Message)
		}
	}
}

func (c *definitionChecker) metadata(metadata map[string]any) {
	if metadata == nil {
		return
	}
	plain, err := plainMetadata(metadata)
	if err != nil {
		c.bad(RuleDefinitionMetadata, "/metadata", "must be plain data, with integers of at most 64 bits")
		return
	}
	c.dataTexts("/metadata", plain)
}

func (c *definitionChecker) dataTexts(pointer string, tree any) {
	switch v := tree.(type) {
	case string:
		c.shown(pointer, v)
	case []any:
		for i, item := range v {
			c.dataTexts(jsonptr.AppendIndex(pointer, i), item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			at := jsonptr.Append(pointer, name)
			c.shown(at, name)
			c.dataTexts(at, v[name])
		}
	}
}

// given reports whether there is a text that is not blank.
func (c *definitionChecker) given(pointer, text string) bool {
	if strings.TrimSpace(text) == "" {
		c.bad(RuleDefinitionMissing, pointer, "must be given")
		return false
	}
	return true
}

func (c *definitionChecker) requiredText(pointer, text string) {
	if c.given(pointer, text) {
		c.shown(pointer, text)
	}
}

func (c *definitionChecker) optionalText(pointer, text string) {
	if text != "" && strings.TrimSpace(text) == "" {
		c.bad(RuleDefinitionText, pointer, "is blank; leave it out")
		return
	}
	c.shown(pointer, text)
}

// shown holds a text to the form in which a contract publishes it.
func (c *definitionChecker) shown(pointer, text string) {
	if _, removed := trust.Sanitize(text); removed > 0 {
		c.bad(RuleDefinitionText, pointer, "has characters that hide, reorder it or drive a terminal")
	}
}

func (c *definitionChecker) unique(pointer, name string, seen map[string]bool) {
	if name != "" && seen[name] {
		c.bad(RuleDefinitionDuplicate, pointer, "stands twice")
	}
	seen[name] = true
}
