package contract

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/internal/fieldtag"
)

// Tags marks a blank field of an input type whose struct tag declares clauses
// of the contract. A tag cannot span lines, so the field may be repeated;
// declaring a key twice is a mistake. The keys are named after the verbs of
// [Builder], unless noted:
//
//	name, title, description, category, version, auditEvent
//	flatName:"true"  metadata:"{\"team\":\"mail\"}"  aliases:"a.b,c.d"
//	deprecatedSince, deprecatedReplacedBy, deprecatedNote
//	risk, effect, trust, delimit:"never", sanitize:"text", securityLevel:"4", autonomous:"false"
//	reads:"private,untrusted", sends:"true"
//	confirmation:"always"  confirmation:"never" with confirmationReason
//	confirmation:"when"    with the function given to Builder.ConfirmWhen
//	confirmTyping:"true"   with the function given to Builder.ConfirmTyping
//	stepUpWhen, stepUpMaxAge:"5m", stepUpACR
//	permissions:"a:b,c:d"  noPermissions:"reason"  discoverWith:"a:b"
//	authorize:"true"       with the function given to Builder.Authorize
//	idempotency:"native"   idempotency:"managed" with keyFields:"fileId,expiresAt"
//	  or clientKey:"true" or keyRequired:"true", retention:"24h", onUnknown:"refuse"
//	idempotency:"keyed"    with keyRequired, retention, onUnknown
//	idempotency:"managed" with argumentsRetention:"15m", atomic:"true"
//	otherErrors:"retryable"
//	lenient:"null-as-absent,text-as-number,text-as-boolean,single-as-list,
//	        text-as-json,empty-as-absent,host-member"
//	dryRun:"supported"     with the function given to Builder.DryRun
//	rateLimit:"20/1m", totalRateLimit:"1000/1m", retryBudget:"3/5m"
//	timeout:"5s", cancellable:"true", maxConcurrent:"4"
//	maxResultBytes:"1048576", maxArgumentBytes:"65536"
//
// Build refuses an unknown key, a value that it cannot read, and a tag that is
// not a list of key:"value" pairs.
type Tags struct{}

// SideEffectTag marks a blank field whose struct tag declares one [SideEffect].
// Its keys are:
//
//	description, reach, undo, onRepeat, affects
type SideEffectTag struct{}

// FailureTag marks a blank field whose struct tag declares one [Failure]. Its
// keys are:
//
//	code, class, description, effectPossible:"true"
//
// The handler returns errors of a Failure with the same code. The tag's class
// and description apply.
type FailureTag struct{}

const (
	ruleTagMarker    = "tag.marker"
	ruleTagSyntax    = "tag.syntax"
	ruleTagKey       = "tag.key"
	ruleTagValue     = "tag.value"
	ruleTagDuplicate = "tag.duplicate"
	ruleTagStray     = "tag.stray"
)

func tagRules() []BuildRule {
	return []BuildRule{
		{ID: ruleTagMarker, Summary: "A marker field is blank."},
		{ID: ruleTagSyntax, Summary: `A struct tag is a list of key:"value" pairs.`},
		{ID: ruleTagKey, Summary: "A key of a marker tag is known."},
		{ID: ruleTagValue, Summary: "A value of a marker tag can be read."},
		{ID: ruleTagDuplicate, Summary: "A clause is declared once."},
		{ID: ruleTagStray, Summary: "Marker fields are direct fields of the input type."},
	}
}

var (
	tagsType       = reflect.TypeFor[Tags]()
	sideEffectType = reflect.TypeFor[SideEffectTag]()
	failureType    = reflect.TypeFor[FailureTag]()
)

func isMarker(t reflect.Type) bool {
	return t == tagsType || t == sideEffectType || t == failureType
}

func hasMarkers(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for f := range t.Fields() {
		if isMarker(f.Type) {
			return true
		}
	}
	return false
}

// readTags returns the declarations of t's marker fields. Only a struct's
// direct fields count. The keys of a Tags field are those of the given clauses.
func readTags(t reflect.Type, all []clause) layer {
	var l layer
	if !hasMarkers(t) {
		return l
	}
	r := tagReader{layer: &l, keys: keysOf(all)}
	for field := range t.Fields() {
		if !isMarker(field.Type) {
			continue
		}
		r.field = fieldtag.TypeName(t) + "." + field.Name
		r.marker = field.Type
		if field.Name != "_" {
			l.mistake(ruleTagMarker, r.field, "a marker field has a name", "call the field _")
			continue
		}
		pairs, message := fieldtag.Pairs(string(field.Tag))
		if message != "" {
			l.mistake(ruleTagSyntax, r.field, message, "mend the tag")
		}
		switch field.Type {
		case tagsType:
			r.readTags(pairs)
		case sideEffectType:
			add(declaredSideEffects, &l, []SideEffect{readFields(&r, pairs, sideEffectKeys())})
		case failureType:
			f := readFields(&r, pairs, failureKeys())
			add(declaredFailures, &l, []*Failure{&f})
		}
	}
	return l
}

// tagKeys maps the keys of a Tags field to functions that read their values
// into the layer.
type tagKeys map[string]func(*tagReader)

// keysOf returns the keys of the given clauses.
func keysOf(all []clause) tagKeys {
	keys := tagKeys{}
	for _, c := range all {
		maps.Copy(keys, c.keys)
	}
	return keys
}

// A tagReader reads the marker fields of one type into a layer.
type tagReader struct {
	*layer
	keys      tagKeys
	seen      []string       // the keys of Tags fields so far
	explained []reflect.Type // the markers whose keys a mistake lists already

	field, key, value string // the type and field that the reader reads
	marker            reflect.Type
}

func (r *tagReader) readTags(pairs []fieldtag.Pair) {
	for _, p := range pairs {
		read, ok := r.keys[p.Key]
		if !ok {
			r.unknownKey(p.Key, slices.Sorted(maps.Keys(r.keys)))
			continue
		}
		if slices.Contains(r.seen, p.Key) {
			r.mistake(ruleTagDuplicate, r.field+" "+p.Key, "an earlier marker field declares the clause", "declare it once")
			continue
		}
		r.seen = append(r.seen, p.Key)
		r.key, r.value = p.Key, p.Value
		read(r)
	}
}

// readFields reads a tag that declares a value of type T: each key sets one
// field.
func readFields[T any](r *tagReader, pairs []fieldtag.Pair, keys map[string]func(*T, *tagReader)) T {
	var v T
	for _, p := range pairs {
		read, ok := keys[p.Key]
		if !ok {
			r.unknownKey(p.Key, slices.Sorted(maps.Keys(keys)))
			continue
		}
		r.key, r.value = p.Key, p.Value
		read(&v, r)
	}
	return v
}

// unknownKey reports an unknown key. Only the first such report for a kind of
// marker lists the known keys.
func (r *tagReader) unknownKey(key string, known []string) {
	remedy := "correct it, or remove it"
	if near := enum.Nearest(key, known); near != "" {
		remedy = "did you mean " + near + "?"
	}
	if !slices.Contains(r.explained, r.marker) {
		r.explained = append(r.explained, r.marker)
		remedy = strings.TrimPrefix(remedy+" known keys are "+strings.Join(known, ", "), "correct it, or remove it ")
	}
	r.mistake(ruleTagKey, r.field, "unknown key "+key, remedy)
}

func (r *tagReader) badValue(message, remedy string) {
	r.mistake(ruleTagValue, r.field+" "+r.key, message, remedy)
}

// strayMarkers reports marker fields that nothing reads, in types reachable
// from in, out and the data of a preview (nil if there is none). Only direct
// fields of in are read.
func (c *checker) strayMarkers(in, out, data reflect.Type) {
	s := strayReader{checker: c, read: in, seen: map[reflect.Type]bool{}}
	s.walk(in)
	s.walk(out)
	if data != nil {
		s.walk(data)
	}
}

type strayReader struct {
	*checker
	read reflect.Type // its own marker fields are read
	seen map[reflect.Type]bool
}

func (s *strayReader) walk(t reflect.Type) {
	if s.seen[t] || t.PkgPath() == "time" {
		return
	}
	s.seen[t] = true
	switch t.Kind() { //nolint:exhaustive // the other kinds hold no fields
	case reflect.Map:
		s.walk(t.Key())
		s.walk(t.Elem())
	case reflect.Pointer, reflect.Slice, reflect.Array:
		s.walk(t.Elem())
	case reflect.Struct:
		if t != s.read && hasMarkers(t) {
			s.bad(ruleTagStray, fieldtag.TypeName(t), "marker fields have no meaning in an embedded or nested struct, or in a result",
				"move them to the input type itself, or share clauses by contract.Base")
		}
		for f := range t.Fields() {
			s.walk(f.Type)
		}
	}
}
