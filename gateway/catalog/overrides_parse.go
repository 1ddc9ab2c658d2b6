package catalog

import (
	"encoding"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/declare"
	"github.com/toolcontract/toolcontract/internal/enum"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// The rules of an [Error] in an operator's file. Mistakes in the JSON itself
// have rules that begin with "json.".
const (
	fileOverrides = "overrides"

	ruleOverridesFormat      = "overrides.format"      // a format that this version does not read
	ruleOverridesType        = "overrides.type"        // a value of another JSON type than its member has
	ruleOverridesMember      = "overrides.member"      // a member that the file does not have
	ruleOverridesValue       = "overrides.value"       // a value that its member cannot have
	ruleOverridesReason      = "overrides.reason"      // an override without a reason
	ruleOverridesText        = "overrides.text"        // a text that hides or reorders something
	ruleOverridesName        = "overrides.name"        // a name that no server or tool can have
	ruleOverridesServer      = "overrides.server"      // a server that is no source
	ruleOverridesFloor       = "overrides.floor"       // a risk below the floor of the effect
	ruleOverridesKeyFields   = "overrides.keyFields"   // key fields without managed idempotency
	ruleOverridesNothing     = "overrides.nothing"     // an override that overrides nothing
	ruleOverridesPermissions = "overrides.permissions" // a permission that is not a word
)

// fileLimits allows any number of values, because the operator wrote the file.
func fileLimits() strictjson.Limits { return strictjson.Limits{Elements: math.MaxInt} }

// ParseOverrides reads an operator's file strictly. Unknown members, duplicate
// names, bad UTF-8, unknown values and missing reasons are errors. The error
// joins an [*Error] with a pointer for each of them. If the JSON itself is
// wrong, it has only the first mistake.
func ParseOverrides(data []byte) (Overrides, error) {
	tree, err := strictjson.Parse(data, fileLimits())
	if err != nil {
		return Overrides{}, syntaxError(fileOverrides, err)
	}
	r := &overridesReader{}
	r.file(tree)
	if len(r.mistakes) > 0 {
		return Overrides{}, errors.Join(r.mistakes...)
	}
	var o Overrides
	if err := strictjson.Unmarshal(data, &o); err != nil {
		return Overrides{}, syntaxError(fileOverrides, err)
	}
	return o, nil
}

// syntaxError returns an error of the JSON reader as an [Error].
func syntaxError(file string, err error) *Error {
	e := &Error{File: file, Rule: strictjson.RuleSyntax, Message: "must be one JSON value"}
	if syntax, ok := errors.AsType[*strictjson.Error](err); ok {
		e.Rule, e.Where, e.Message = syntax.Rule, syntax.Pointer, syntax.Message
	}
	if e.Rule == strictjson.RuleBind {
		e.Message = "is not a value that this member can have"
	}
	return e
}

// An overridesReader checks the JSON tree of a file.
type overridesReader struct{ mistakes []error }

func (r *overridesReader) bad(rule, where, message, remedy string) {
	r.mistakes = append(r.mistakes, &Error{
		File: fileOverrides, Rule: rule, Where: strictjson.PrintablePointer(where), Message: message, Remedy: remedy,
	})
}

// object returns the members of an object and reports the unknown ones. With a
// nil type, every name is known.
func (r *overridesReader) object(tree any, where string, t reflect.Type) map[string]any {
	members, ok := tree.(map[string]any)
	if !ok {
		r.bad(ruleOverridesType, where, "must be an object", "")
		return nil
	}
	if t == nil {
		return members
	}
	var known []string
	for _, f := range strictjson.FieldsOf(t) {
		known = append(known, f.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if slices.Contains(known, name) {
			continue
		}
		r.bad(ruleOverridesMember, strictjson.Pointer(where, name), "is not a member that is allowed here",
			didYouMean(enum.Closest(name, known), "use one of "+strings.Join(known, ", ")))
	}
	return members
}

// didYouMean returns the remedy for an unknown name: the nearest name if there
// is one, or else otherwise.
func didYouMean(nearest, otherwise string) string {
	if nearest == "" {
		return otherwise
	}
	return `did you mean "` + nearest + `"?`
}

func (r *overridesReader) file(tree any) {
	members := r.object(tree, "", reflect.TypeFor[Overrides]())
	if members == nil {
		return
	}
	if members["format"] != int64(overridesFormat) {
		r.bad(ruleOverridesFormat, "/format", fmt.Sprintf("must be %d", overridesFormat), "")
	}
	servers, ok := members["servers"]
	if !ok {
		return
	}
	byName := r.object(servers, "/servers", nil)
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		where := strictjson.Pointer("/servers", name)
		if !isServerName(name) {
			r.bad(ruleOverridesName, where, "is not the name of a source", serverNameRemedy)
		}
		r.server(byName[name], where)
	}
}

func (r *overridesReader) server(tree any, where string) {
	members := r.object(tree, where, reflect.TypeFor[ServerOverrides]())
	if all, ok := members["allTools"]; ok {
		r.override(all, where+"/allTools")
	}
	tools, ok := members["tools"]
	if !ok {
		return
	}
	byName := r.object(tools, where+"/tools", nil)
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		at := strictjson.Pointer(where+"/tools", name)
		if !declare.IsName(name) {
			r.bad(ruleOverridesName, at, "is not the name of a tool", "write it as its server lists it, without a prefix")
		}
		r.override(byName[name], at)
	}
}

func (r *overridesReader) override(tree any, where string) {
	members := r.object(tree, where, reflect.TypeFor[Override]())
	if members == nil {
		return
	}
	if reason, _ := members["reason"].(string); strings.TrimSpace(reason) == "" {
		r.bad(ruleOverridesReason, where+"/reason", "the override has no reason", "write why it was decided, for the next reader")
	}
	if _, reasoned := members["reason"]; reasoned && len(members) == 1 {
		r.bad(ruleOverridesNothing, where, "the override overrides nothing", "set a member such as veto or risk, or remove it")
	}
	var level risk.Level
	var effect risk.Effect
	r.enum(members, where, "risk", &level)
	r.enum(members, where, "effect", &effect)
	r.enum(members, where, "reversibility", new(risk.Reversibility))
	r.enum(members, where, "contentTrust", new(trust.Level))
	var preview dryrun.Mode
	if r.enum(members, where, "dryRun", &preview); preview > dryrun.None {
		r.bad(ruleOverridesValue, where+"/dryRun", "a gateway cannot give a dry run to a tool",
			"use none, which accepts that the tool has none any more")
	}
	var confirmation contract.Confirmation
	r.enum(members, where, "confirmation", &confirmation)
	if confirmation == contract.ConfirmationWhen || confirmation == contract.ConfirmationUpstream {
		r.bad(ruleOverridesValue, where+"/confirmation", "a gateway cannot leave the decision to the server", "use always or never")
	}
	var mode idempotency.Mode
	r.enum(members, where, "idempotency", &mode)
	if members["keyFields"] != nil && mode != idempotency.Managed {
		r.bad(ruleOverridesKeyFields, where+"/keyFields", "key fields belong to managed idempotency",
			"set idempotency to managed, or remove them")
	}
	if level.IsValid() && effect.IsValid() && !level.AtLeast(effect.Floor()) {
		r.bad(ruleOverridesFloor, where+"/risk", fmt.Sprintf("risk %s is below the floor %s of effect %s", level, effect.Floor(),
			effect), "raise the risk, or leave it out")
	}
	r.texts(members, where)
	r.forms(members, where)
}

// enum reads a member whose value is the text of an enum.
func (r *overridesReader) enum(members map[string]any, where, member string, value encoding.TextUnmarshaler) {
	written, ok := members[member]
	if !ok {
		return
	}
	text, _ := written.(string)
	if unknown, ok := errors.AsType[*enum.UnknownError](value.UnmarshalText([]byte(text))); ok {
		r.bad(ruleOverridesValue, where+"/"+member, "the value is not known",
			didYouMean(unknown.Nearest, "use one of "+strings.Join(unknown.Allowed, ", ")))
	}
}

// texts checks the texts, which people and models read.
func (r *overridesReader) texts(members map[string]any, where string) {
	for _, name := range []string{"reason", "title", "description"} {
		text, _ := members[name].(string)
		if _, hidden := trust.Sanitize(text); hidden > 0 {
			r.bad(ruleOverridesText, where+"/"+name, "the text has characters that hide, reorder it or drive a terminal", "remove them")
		}
	}
}

var (
	digestForm     = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	auditEventForm = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)
)

// forms checks the other members.
func (r *overridesReader) forms(members map[string]any, where string) {
	text := func(name, message, remedy string, isValid func(string) bool) {
		if written, ok := members[name]; ok {
			if value, isText := written.(string); !isText || !isValid(value) {
				r.bad(ruleOverridesValue, where+"/"+name, message, remedy)
			}
		}
	}
	text("version", "the version is not SemVer", "write MAJOR.MINOR.PATCH", func(v string) bool {
		_, err := semver.StrictNewVersion(v)
		return err == nil
	})
	text("digest", "the digest is not that of a definition", "copy it from the catalogue", digestForm.MatchString)
	text("auditEvent", "the name is not 1 to 128 of A-Z a-z 0-9 _ . -", "", auditEventForm.MatchString)
	if schema, ok := members["inputSchema"]; ok {
		r.object(schema, where+"/inputSchema", nil)
	}
	positive := func(members map[string]any, name, where, message string) {
		if n, isInt := members[name].(int64); !isInt || n <= 0 || n > math.MaxInt32 {
			r.bad(ruleOverridesValue, where+"/"+name, message, "")
		}
	}
	if written, ok := members["rateLimit"]; ok {
		if limit := r.object(written, where+"/rateLimit", reflect.TypeFor[contract.RateLimit]()); limit != nil {
			positive(limit, "calls", where+"/rateLimit", "must be a positive integer")
			positive(limit, "perSeconds", where+"/rateLimit", "must be a positive integer")
		}
	}
	if _, ok := members["timeoutMs"]; ok {
		positive(members, "timeoutMs", where, "must be a positive number of milliseconds")
	}
	for _, name := range []string{"permissions", "keyFields"} {
		r.words(members, where, name)
	}
}

func (r *overridesReader) words(members map[string]any, where, member string) {
	written, ok := members[member]
	if !ok {
		return
	}
	list, ok := written.([]any)
	if !ok {
		r.bad(ruleOverridesType, where+"/"+member, "must be a list", "")
	}
	for i, item := range list {
		word, _ := item.(string)
		if member == "permissions" && !isWord(factPermissions, word) || word == "" || slices.Index(list, item) != i {
			r.bad(ruleOverridesPermissions, strictjson.PointerIndex(where+"/"+member, i), "is not a word of its own",
				`use words such as "mail:send", each once`)
		}
	}
}

const serverNameRemedy = "use 1 to 32 lower-case letters, digits and hyphens, and a letter first"

var serverName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

func isServerName(name string) bool { return serverName.MatchString(name) }
