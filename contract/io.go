package contract

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/internal/fieldtag"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
)

// An argumentReader reads arguments as strict JSON. It then accepts other forms
// if the contract allows them, fills in defaults, and validates against the
// schema. The members that control a dry run are removed after validation.
// Adapters' checks get the rest of the tree.
type argumentReader struct {
	schema   *schema.Schema
	lenient  *schema.LenientReader // nil: no other forms
	controls controlReader
	checks   []bound.Check
	compares bool // calls are recognised by their arguments
	// durations writes every duration in one form, so that equal calls are
	// recognised. Nil: the input has none.
	durations *schema.LenientReader
}

// read returns the canonical form of raw arguments, from which the input is
// bound, and sets the other fields of args.
//
// If the schema can decide without a tree, none is built, unless the tool has
// such members or checks. If the tool also accepts other forms, that shortcut
// is taken only for arguments that fit.
func (r *argumentReader) read(raw []byte, args *bound.Arguments) (canonical []byte, violations []schema.Violation) {
	if isNone(raw) {
		raw = []byte("{}")
	}
	decided := false
	switch {
	case len(r.controls) > 0: // they are members of the tree
	case r.lenient != nil && r.lenient.DropsAccepted():
	case r.lenient != nil: // arguments that do not fit may fit in another form
		canonical, decided = r.schema.Accept(raw)
	default:
		canonical, violations, decided = r.schema.Check(raw)
	}
	if !decided || len(violations) == 0 && len(r.checks) > 0 {
		return r.readTree(raw, args)
	}
	return canonical, violations
}

// isNone reports whether arguments are absent or null. Both mean that there are
// none.
func isNone(raw []byte) bool {
	return len(raw) == 0 || string(bytes.Trim(raw, " \t\r\n")) == "null"
}

// readTree reads arguments as a tree. It returns their canonical form.
func (r *argumentReader) readTree(raw []byte, args *bound.Arguments) ([]byte, []schema.Violation) {
	tree, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return nil, []schema.Violation{parseViolation(err)}
	}
	tree, args.Readings = r.lenient.Read(tree)
	tree, _ = r.schema.Fill(tree)
	if violations := append(r.schema.Validate(tree), r.controls.misspelt(tree)...); len(violations) > 0 {
		return nil, violations
	}
	r.controls.takeOff(tree, args)
	for _, check := range r.checks {
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

// readPart reads some of the members of arguments, without the others. It
// reports only violations of those members.
func (r *argumentReader) readPart(raw []byte) (*bound.Arguments, []schema.Violation) {
	tree, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return nil, []schema.Violation{parseViolation(err)}
	}
	tree, _ = r.lenient.Read(tree)
	given, _ := tree.(map[string]any)
	broken := slices.DeleteFunc(r.schema.Validate(tree), func(v schema.Violation) bool {
		return !slices.ContainsFunc(slices.Collect(maps.Keys(given)), func(name string) bool {
			return v.Pointer == strictjson.Pointer("", name) || strings.HasPrefix(v.Pointer, strictjson.Pointer("", name)+"/")
		})
	})
	if len(broken) > 0 {
		return nil, broken
	}
	canonical, err := strictjson.Marshal(tree)
	if err != nil {
		return nil, []schema.Violation{parseViolation(err)}
	}
	return &bound.Arguments{Canonical: canonical, Compared: r.compared(canonical)}, nil
}

// compared returns arguments, in canonical form, without the members that equal
// their default, and with every duration in one form, if calls are recognised
// by them.
func (r *argumentReader) compared(canonical []byte) []byte {
	if !r.compares || !r.schema.HasDefaults() && r.durations == nil {
		return canonical
	}
	all := bound.Arguments{Canonical: canonical}
	rest, _ := r.schema.Omit(all.Tree())
	rest, _ = r.durations.Read(rest)
	rest, _ = r.schema.Omit(rest)
	text, err := strictjson.Marshal(rest)
	if err != nil { // cannot happen, because all of the arguments could be written
		return canonical
	}
	return text
}

func parseViolation(err error) schema.Violation {
	if e, ok := errors.AsType[*strictjson.Error](err); ok {
		return schema.Violation{Rule: e.Rule, Pointer: e.Pointer, Message: e.Message}
	}
	return schema.Violation{Rule: strictjson.RuleBind, Message: "cannot be read as what the tool expects"}
}

// copyOf reads an input from the canonical arguments. Each of the tool author's
// functions gets its own, so that one writing to a map, a slice or a pointer of
// its input does not affect the others or the handler.
func copyOf[In any](canonical []byte) (in In, err error) {
	err = read(strictjson.Codec{}, canonical, &in)
	return in, err
}

// read decodes an input and recovers from panics of unmarshalers, which get a
// copy of the text.
func read[In any](codec strictjson.Codec, canonical []byte, in *In) (err error) {
	defer hide(&err)
	defer contain.Recover(&err)
	if codec.CallsMethods() {
		canonical = bytes.Clone(canonical)
	}
	return codec.Unmarshal(canonical, in)
}

// hide removes a panic's value from *err, because methods of argument and
// result types panic with what they read and write.
func hide(err *error) {
	if p, ok := errors.AsType[*contain.PanicError](*err); ok {
		*err = p.Hidden()
	}
}

// A resultWriter writes results and recovers from panics of marshalers.
type resultWriter struct {
	kind       bound.OutputKind
	codec      strictjson.Codec
	limits     strictjson.Limits
	restricted bool             // only exposed fields leave
	previews   bool             // the tool has previews, which results must not look like
	fields     *fieldtag.Fields // of the output
	// fits is the output schema. Structured output that it accepts at once and
	// that has only plain text needs no tree. Nil: there is always a tree.
	fits *schema.Schema
}

func writerOf(kind bound.OutputKind, codec strictjson.Codec, d *Document, fields *fieldtag.Fields,
	fits *schema.Schema) resultWriter {
	return resultWriter{
		kind: kind, codec: codec, limits: resultLimits(d), restricted: d.Risk == risk.Restricted, previews: d.hasDryRun(),
		fields: fields, fits: fits,
	}
}

// write returns a result as JSON and as its tree. JSON with more values than
// allowed comes with a [strictjson.Error] of RuleSize.
func (w *resultWriter) write(out any) (raw []byte, tree any, err error) {
	defer hide(&err)
	defer contain.Recover(&err)
	if v := reflect.ValueOf(out); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, nil, errNilOutput
	}
	switch w.kind {
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
	if raw, err = w.codec.Marshal(out); err != nil {
		return nil, nil, err
	}
	if w.fits != nil && !w.restricted && strictjson.IsPlain(raw) && w.fits.Fits(raw) {
		return raw, bound.Checked{}, nil
	}
	if tree, err = strictjson.Parse(raw, w.limits); err != nil {
		return raw, nil, err
	}
	if w.kind == bound.Untyped && w.previews && looksLikePreview(tree) {
		return nil, nil, errLooksTried
	}
	if w.restricted {
		tree = w.fields.Exposed(tree)
		raw, err = strictjson.Marshal(tree)
	}
	return raw, tree, err
}

var (
	errNilOutput  = errors.New("contract: the handler returned a nil pointer and no error")
	errLooksTried = errors.New("contract: the result has a member dryRun, which marks previews")
)

// looksLikePreview reports whether a result has the member that marks a
// preview.
func looksLikePreview(tree any) bool {
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
func resultLimits(d *Document) strictjson.Limits {
	size := cmp.Or(d.MaxResultBytes, bound.DefaultResultBytes)
	return strictjson.Limits{Elements: max(strictjson.DefaultElements, int(size/2)+1)}
}
