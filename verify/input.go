package verify

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest/observe"
)

// An input is what one case calls the tool with.
type input struct {
	name      string
	arguments json.RawMessage
	setup     func(testing.TB)
	as        contract.Principal
}

// inputs returns the given inputs and the drawn ones. The error is from
// drawing.
func (v *verifier) inputs() ([]input, error) {
	v.t.Helper()
	var all []input
	for i, c := range v.config.cases {
		arguments, err := encodeInput(c.Input)
		if err != nil {
			v.t.Fatalf("verify: %s: case %d: %v", v.doc.Name, i+1, err)
		}
		name := c.Name
		if name == "" {
			name = fmt.Sprintf("case %d", i+1)
		}
		all = append(all, input{name: name, arguments: arguments, setup: c.Setup, as: c.As})
	}
	if v.config.drawn == 0 {
		return all, nil
	}
	schema, err := v.generator()
	if err != nil {
		return all, err
	}
	for i, arguments := range distinct(schema, v.config.drawn) {
		all = append(all, input{name: fmt.Sprintf("drawn %d", i+1), arguments: v.withCanaries(arguments)})
	}
	return all, nil
}

// maxRepeated is how many repeats in a row make a schema count as exhausted.
const maxRepeated = 200

// distinct returns count different values of a schema, starting with its
// samples. It returns fewer if the schema seems to have no more.
func distinct(schema *observe.Arguments, count int) []json.RawMessage {
	var all []json.RawMessage
	seen := map[string]bool{}
	repeated := 0
	add := func(value observe.Value) {
		if repeated++; seen[string(value.JSON)] || len(all) == count {
			return
		}
		repeated = 0
		seen[string(value.JSON)] = true
		all = append(all, value.JSON)
	}
	for _, sample := range schema.Samples() {
		add(sample)
	}
	repeated = 0
	for seed := uint64(0); len(all) < count && repeated < maxRepeated; seed++ {
		add(schema.Valid(observe.Random(seed)))
	}
	return all
}

// encodeInput returns an input as JSON. Nil means no input.
func encodeInput(given any) (json.RawMessage, error) {
	if raw, isRaw := given.(json.RawMessage); isRaw || given == nil {
		return raw, nil
	}
	return observe.Marshal(given)
}

// withMember returns arguments with one more member. Arguments that are not an
// object stay as they are, and the guard refuses them.
func withMember(arguments json.RawMessage, name string, value any) json.RawMessage {
	members := map[string]any{}
	var own map[string]json.RawMessage // as written, with exact numbers
	if err := json.Unmarshal([]byte(cmp.Or(string(arguments), "{}")), &own); err != nil {
		return arguments
	}
	for member, raw := range own {
		members[member] = raw
	}
	members[name] = value
	return json.RawMessage(encodedJSON(members))
}

// dryRunToken returns a preview's token, or "" if it has none.
func dryRunToken(preview json.RawMessage) string {
	var p struct {
		DryRunToken string `json:"dryRunToken"`
	}
	_ = json.Unmarshal(preview, &p) // the guard wrote it
	return p.DryRunToken
}

// generator returns the generator of arguments. It is built once, because it
// first has to find out what the schema accepts.
func (v *verifier) generator() (*observe.Arguments, error) {
	if v.schema == nil && v.noSchema == nil {
		v.schema, v.noSchema = observe.ArgumentsOf(v.tool)
	}
	return v.schema, v.noSchema
}

// maxInvalid caps the invalid arguments to try.
const maxInvalid = 12

// invalid returns arguments that each break one keyword of the schema, with the
// keyword and its place.
func (v *verifier) invalid() ([]observe.Broken, error) {
	schema, err := v.generator()
	if err != nil {
		return nil, err
	}
	var all []observe.Broken
	seen := map[string]bool{}
	for seed := uint64(0); len(all) < maxInvalid && seed < 4*maxInvalid; seed++ {
		b := schema.Broken(observe.Random(seed))
		if at := b.Keyword + b.Pointer; !seen[at] {
			seen[at] = true
			all = append(all, b)
		}
	}
	return all, nil
}

// canary returns a string that appears nowhere else.
func canary(n int) string { return fmt.Sprintf("canary-%d-%s", n, strings.Repeat("7q3x", 3)) }

// withCanaries replaces the strings of protected fields with ones that are easy
// to find, if the tool accepts them.
func (v *verifier) withCanaries(arguments json.RawMessage) json.RawMessage {
	found := v.protected(arguments)
	if len(found) == 0 {
		return arguments
	}
	tree, err := observe.Parse(arguments)
	if err != nil {
		return arguments
	}
	for i, p := range found {
		if _, isText := p.Value.(string); isText {
			tree = replaceAt(tree, p.Pointer, canary(i+1))
		}
	}
	changed, err := observe.Marshal(tree)
	if err != nil || !accepts(v.tool, changed) {
		return arguments
	}
	return changed
}
