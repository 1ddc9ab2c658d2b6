package contract

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/toolcontract/toolcontract/contract/internal/bound"
	"github.com/toolcontract/toolcontract/contract/internal/coerce"
	"github.com/toolcontract/toolcontract/contract/internal/fieldtag"
	"github.com/toolcontract/toolcontract/contract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/panics"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
)

// decoder reads arguments as strict JSON. It then reads other forms if the
// contract allows them, fills in defaults, and validates against the schema.
// The members that control a dry run are removed after validation. The checks
// of adapters get the rest of the tree, and the input is bound from it.
//
// If the schema decides about the arguments at once, no tree is built, unless
// the tool has such members or checks. If the tool also reads other forms, the
// tree is saved only for arguments that fit.
func decoder[In any](s *schema.Schema, lenient *coerce.Reader, controls controlReader, checks []bound.Check) func([]byte) (*bound.Arguments, []schema.Violation) {
	codec := strictjson.CodecOf(reflect.TypeFor[In]())
	return func(raw []byte) (*bound.Arguments, []schema.Violation) {
		args := &bound.Arguments{}
		if isNone(raw) {
			raw = []byte("{}")
		}
		var canonical []byte
		var violations []schema.Violation
		var decided bool
		switch {
		case len(controls) > 0: // they are members of the tree
		case lenient != nil: // arguments that do not fit may fit in another form
			canonical, decided = s.Accept(raw)
		default:
			canonical, violations, decided = s.Check(raw)
		}
		if !decided || len(violations) == 0 && len(checks) > 0 {
			canonical, violations = readTree(raw, s, lenient, controls, checks, args)
		}
		if len(violations) > 0 {
			return nil, violations
		}
		in := new(In)
		if err := read(codec, canonical, in); err != nil {
			broken := []schema.Violation{parseViolation(err)}
			if p, ok := errors.AsType[*panics.Error](err); ok {
				return &bound.Arguments{Panic: p}, broken
			}
			return nil, broken
		}
		args.In, args.Canonical = in, canonical
		return args, nil
	}
}

// isNone reports whether arguments are absent or null. Both mean that there are
// none.
func isNone(raw []byte) bool {
	return len(raw) == 0 || string(bytes.Trim(raw, " \t\r\n")) == "null"
}

// readTree reads arguments as a tree. It returns their canonical form.
func readTree(raw []byte, s *schema.Schema, lenient *coerce.Reader, controls controlReader, checks []bound.Check, args *bound.Arguments) ([]byte, []schema.Violation) {
	tree, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return nil, []schema.Violation{parseViolation(err)}
	}
	tree, args.Readings = lenient.Read(tree)
	tree, _ = s.Fill(tree)
	if violations := append(s.Validate(tree), controls.misspelt(tree)...); len(violations) > 0 {
		return nil, violations
	}
	controls.takeOff(tree, args)
	for _, check := range checks {
		if violations := check(tree); len(violations) > 0 {
			return nil, violations
		}
	}
	canonical, err := strictjson.Marshal(tree)
	if err != nil {
		return nil, []schema.Violation{parseViolation(err)}
	}
	return canonical, nil
}

func parseViolation(err error) schema.Violation {
	if e, ok := errors.AsType[*strictjson.Error](err); ok {
		return schema.Violation{Rule: e.Rule, Pointer: e.Pointer, Message: e.Message}
	}
	return schema.Violation{Rule: strictjson.RuleBind, Message: "cannot be read as what the tool expects"}
}

// copyOf reads an input from the canonical arguments. Each function of the tool
// author gets an input of its own. If one of them writes into a map, a slice or
// a pointer of its input, the others and the handler do not see it.
func copyOf[In any](canonical []byte) (in In, err error) {
	err = read(strictjson.Codec{}, canonical, &in)
	return in, err
}

// read decodes an input and recovers from panics of unmarshalers, which get a
// copy of the text.
func read[In any](codec strictjson.Codec, canonical []byte, in *In) (err error) {
	defer hide(&err)
	defer panics.Recover(&err)
	if codec.CallsMethods() {
		canonical = bytes.Clone(canonical)
	}
	return codec.Unmarshal(canonical, in)
}

// hide removes the value of a panic from *err, because methods of the types of
// arguments and results panic with what they read and write.
func hide(err *error) {
	if p, ok := errors.AsType[*panics.Error](*err); ok {
		*err = p.Hidden()
	}
}

// encoder writes results and recovers from panics of marshalers.
//
// Structured output that the schema accepts at once and that has only plain
// text needs no tree. Fits is the output schema, or nil if there is always a
// tree.
func encoder(kind bound.OutputKind, codec strictjson.Codec, d Document, fields *fieldtag.Fields, fits *schema.Schema) func(any) ([]byte, any, error) {
	lim := resultLimits(d)
	return func(out any) (raw []byte, tree any, err error) {
		defer hide(&err)
		defer panics.Recover(&err)
		if v := reflect.ValueOf(out); v.Kind() == reflect.Pointer && v.IsNil() {
			return nil, nil, errNilOutput
		}
		switch kind {
		case bound.Empty:
			return nil, nil, nil
		case bound.Text:
			return nil, out, nil
		case bound.Structured:
		case bound.Untyped:
			if text, ok := out.(json.RawMessage); ok && isNothing(text) {
				return nil, nil, nil
			}
		}
		if raw, err = codec.Marshal(out); err != nil {
			return nil, nil, err
		}
		if fits != nil && d.Risk != risk.Restricted && strictjson.IsPlain(raw) && fits.Fits(raw) {
			return raw, bound.Checked{}, nil
		}
		if tree, err = strictjson.Parse(raw, lim); err != nil {
			return nil, nil, err
		}
		if kind == bound.Untyped && d.hasDryRun() && looksTried(tree) {
			return nil, nil, errLooksTried
		}
		if d.Risk == risk.Restricted {
			tree = fields.Exposed(tree)
			raw, err = strictjson.Marshal(tree)
		}
		return raw, tree, err
	}
}

var (
	errNilOutput  = errors.New("contract: the handler returned a nil pointer and no error")
	errLooksTried = errors.New("contract: the result has a member dryRun, which marks previews")
)

// looksTried reports whether a result has the member that marks a preview.
func looksTried(tree any) bool {
	members, _ := tree.(map[string]any)
	_, has := members[memberDryRun]
	return has
}

// isNothing reports whether a raw result is empty or null.
func isNothing(raw json.RawMessage) bool {
	text := bytes.TrimSpace(raw)
	return len(text) == 0 || string(text) == "null"
}

// resultLimits returns limits that allow as many values as fit into the size
// limit of the contract. A value beside others takes at least two bytes.
func resultLimits(d Document) strictjson.Limits {
	size := cmp.Or(d.MaxResultBytes, DefaultMaxResultBytes)
	return strictjson.Limits{Elements: max(strictjson.DefaultElements, int(size/2)+1)}
}
