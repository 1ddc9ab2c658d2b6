package contract

import (
	"reflect"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/internal/suggest"
)

// Facts marks a blank field of an input type whose struct tag says clauses of
// the contract. A tag cannot span lines, so the field may be repeated; saying
// one clause twice is a mistake. Keys and the verbs they stand for:
//
//	name, title, description, category, version, auditEvent
//	flatName:"true"  metadata:"{\"team\":\"mail\"}"  aliases:"a.b,c.d"
//	deprecatedSince, replacedBy, deprecationNote
//	risk, effect, trust, securityLevel:"4", autonomous:"false"
//	confirmation:"always"  confirmation:"never" with confirmationReason
//	stepUpWhen, stepUpMaxAge:"5m", stepUpACR
//	permissions:"a:b,c:d"  noPermissions:"reason"  discoverWith:"a:b"
//	idempotency:"native"   idempotency:"managed" with idempotencyKey:"fileId,expiresAt"
//	  or clientKey:"true", retention:"24h", onUnknown:"refuse"
//	otherErrors:"retryable"
//	dryRun:"supported"     with the function given to Builder.DryRun
//	rateLimit:"20/1m", totalRateLimit:"1000/1m"
//	timeout:"5s", cancellable:"true", maxConcurrent:"4"
//	maxResultBytes:"1048576", maxArgumentBytes:"65536"
//
// An unknown key, a value that does not parse, and a tag that is not a list of
// key:"value" pairs are errors of Build.
type Facts struct{}

// SideEffectTag marks a blank field whose struct tag declares one
// [SideEffect]: description, reach, undo, onRepeat, affects.
type SideEffectTag struct{}

// FailureTag marks a blank field whose struct tag declares one [Failure]:
// code, class, description, effectPossible:"true". The handler makes its
// errors with the package function [Errorf].
type FailureTag struct{}

var (
	factsType      = reflect.TypeFor[Facts]()
	sideEffectType = reflect.TypeFor[SideEffectTag]()
	failureType    = reflect.TypeFor[FailureTag]()
)

func isMarker(t reflect.Type) bool {
	return t == factsType || t == sideEffectType || t == failureType
}

// hasMarkers reports whether t is a struct with marker fields.
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

// factsFromTags reads the marker fields of In.
func factsFromTags[In any]() facts {
	var f facts
	t := reflect.TypeFor[In]()
	if !hasMarkers(t) {
		f.mistake(ruleTagNone, t.String(), "the input type has no marker fields", "add a blank field of type contract.Facts, or use contract.New")
		return f
	}
	r := tagReader{facts: &f}
	for field := range t.Fields() {
		if !isMarker(field.Type) {
			continue
		}
		r.field = t.String() + "." + field.Name
		if field.Name != "_" {
			f.mistake(ruleTagMarker, r.field, "a marker field has a name", "call the field _")
			continue
		}
		pairs, message := parseStructTag(string(field.Tag))
		if message != "" {
			f.mistake(ruleTagSyntax, r.field, message, "mend the tag")
		}
		switch field.Type {
		case factsType:
			r.readFacts(pairs)
		case sideEffectType:
			r.readSideEffect(pairs)
		case failureType:
			r.readFailure(pairs)
		}
	}
	r.finish()
	return f
}

// A tagReader carries what several marker fields of one type say together.
type tagReader struct {
	facts *facts
	field string
	said  []string // keys of Facts tags

	confirmation confirmationClause
	stepUp       StepUp
	deprecated   Deprecation
	idempotency  Idempotency
	has          map[string]bool // clauses spread over several keys
}

func (r *tagReader) badValue(key, message, remedy string) {
	r.facts.mistake(ruleTagValue, r.field+" "+key, message, remedy)
}

func (r *tagReader) unknownKey(key string, known []string) {
	remedy := "known keys are " + strings.Join(known, ", ")
	if near := suggest.Nearest(key, known); near != "" {
		remedy = "did you mean " + near + "? " + remedy
	}
	r.facts.mistake(ruleTagKey, r.field, "unknown key "+key, remedy)
}

func (r *tagReader) readSideEffect(pairs []tagPair) {
	var s SideEffect
	for _, p := range pairs {
		switch p.key {
		case "description":
			s.Description = p.value
		case "reach":
			r.text(p, &s.Reach)
		case "undo":
			r.text(p, &s.Undo)
		case "onRepeat":
			s.OnRepeat = p.value
		case "affects":
			s.Affects = p.value
		default:
			r.unknownKey(p.key, []string{"affects", "description", "onRepeat", "reach", "undo"})
		}
	}
	r.facts.sideEffects.say(append(r.facts.sideEffects.value, s))
}

func (r *tagReader) readFailure(pairs []tagPair) {
	f := &Failure{}
	for _, p := range pairs {
		switch p.key {
		case "code":
			f.code = p.value
		case "class":
			r.text(p, &f.class)
		case "description":
			f.description = p.value
		case "effectPossible":
			r.boolean(p, &f.effectPossible)
		default:
			r.unknownKey(p.key, []string{"class", "code", "description", "effectPossible"})
		}
	}
	r.facts.failures.say(append(r.facts.failures.value, f))
}

func (r *tagReader) readFacts(pairs []tagPair) {
	for _, p := range pairs {
		read, ok := factKeys[p.key]
		if !ok {
			r.unknownKey(p.key, factKeyNames())
			continue
		}
		if slices.Contains(r.said, p.key) {
			r.facts.mistake(ruleTagDuplicate, r.field+" "+p.key, "the clause was said by an earlier marker field", "say it once")
			continue
		}
		r.said = append(r.said, p.key)
		read(r, p)
	}
}
