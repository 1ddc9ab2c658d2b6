package contract

import (
	"encoding"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract/internal/metadata"
	"github.com/toolcontract/toolcontract/risk"
)

// factKeys maps each key of a Facts tag to what it says. It is never written to.
var factKeys = map[string]func(*tagReader, tagPair){
	"name":        func(r *tagReader, p tagPair) { r.facts.name.say(p.value) },
	"title":       func(r *tagReader, p tagPair) { r.facts.title.say(p.value) },
	"description": func(r *tagReader, p tagPair) { r.facts.description.say(p.value) },
	"category":    func(r *tagReader, p tagPair) { r.facts.category.say(p.value) },
	"version":     func(r *tagReader, p tagPair) { r.facts.version.say(p.value) },
	"auditEvent":  func(r *tagReader, p tagPair) { r.facts.auditEvent.say(p.value) },
	"flatName":    func(r *tagReader, p tagPair) { sayParsed(r, p, &r.facts.flatName, parseBool, boolRemedy) },
	"metadata": func(r *tagReader, p tagPair) {
		sayParsed(r, p, &r.facts.metadata, parseObject, "write a JSON object, each name once")
	},
	"aliases": func(r *tagReader, p tagPair) { r.facts.aliases.say(r.list(p)) },
	"risk":    func(r *tagReader, p tagPair) { sayText(r, p, &r.facts.risk) },
	"effect":  func(r *tagReader, p tagPair) { sayText(r, p, &r.facts.effect) },
	"trust":   func(r *tagReader, p tagPair) { sayText(r, p, &r.facts.contentTrust) },
	"securityLevel": func(r *tagReader, p tagPair) {
		sayParsed(r, p, &r.facts.securityLevel, risk.ParseSecurityLevel, "write a number from 0 to 10")
	},
	"autonomous": func(r *tagReader, p tagPair) { sayParsed(r, p, &r.facts.autonomous, parseBool, boolRemedy) },
	"permissions": func(r *tagReader, p tagPair) {
		r.facts.permissions.value.list = r.list(p)
		r.facts.permissions.ok = true
	},
	"noPermissions":    (*tagReader).noPermissions,
	"otherErrors":      func(r *tagReader, p tagPair) { sayText(r, p, &r.facts.otherErrors) },
	"discoverWith":     func(r *tagReader, p tagPair) { r.facts.discoverWith.say(r.list(p)) },
	"dryRun":           func(r *tagReader, p tagPair) { sayText(r, p, &r.facts.dryRun) },
	"timeout":          func(r *tagReader, p tagPair) { sayParsed(r, p, &r.facts.timeout, time.ParseDuration, durationRemedy) },
	"cancellable":      func(r *tagReader, p tagPair) { sayParsed(r, p, &r.facts.cancellable, parseBool, boolRemedy) },
	"maxConcurrent":    func(r *tagReader, p tagPair) { sayParsed(r, p, &r.facts.maxConcurrent, strconv.Atoi, numberRemedy) },
	"maxResultBytes":   func(r *tagReader, p tagPair) { sayParsed(r, p, &r.facts.maxResultBytes, parseInt64, numberRemedy) },
	"maxArgumentBytes": func(r *tagReader, p tagPair) { sayParsed(r, p, &r.facts.maxArgumentBytes, parseInt64, numberRemedy) },
	"rateLimit":        func(r *tagReader, p tagPair) { sayParsed(r, p, &r.facts.rateLimit, parseRate, rateRemedy) },
	"totalRateLimit":   func(r *tagReader, p tagPair) { sayParsed(r, p, &r.facts.totalRateLimit, parseRate, rateRemedy) },

	// Clauses of several keys, put together by finish.
	"deprecatedSince":    func(r *tagReader, p tagPair) { r.part("deprecated"); r.deprecated.Since = p.value },
	"replacedBy":         func(r *tagReader, p tagPair) { r.part("deprecated"); r.deprecated.ReplacedBy = p.value },
	"deprecationNote":    func(r *tagReader, p tagPair) { r.part("deprecated"); r.deprecated.Note = p.value },
	"confirmation":       func(r *tagReader, p tagPair) { r.part("confirmation"); r.text(p, &r.confirmation.mode) },
	"confirmationReason": func(r *tagReader, p tagPair) { r.part("confirmation"); r.confirmation.reason = p.value },
	"stepUpWhen":         func(r *tagReader, p tagPair) { r.part("stepUp"); r.stepUp.When = p.value },
	"stepUpACR":          func(r *tagReader, p tagPair) { r.part("stepUp"); r.stepUp.ACR = p.value },
	"stepUpMaxAge":       func(r *tagReader, p tagPair) { r.part("stepUp"); r.seconds(p, &r.stepUp.MaxAgeSeconds) },
	"idempotency":        func(r *tagReader, p tagPair) { r.part("idempotency"); r.text(p, &r.idempotency.Mode) },
	"idempotencyKey":     func(r *tagReader, p tagPair) { r.part("idempotency"); r.idempotency.KeyFields = r.list(p) },
	"clientKey":          func(r *tagReader, p tagPair) { r.part("idempotency"); r.boolean(p, &r.idempotency.ClientKey) },
	"retention":          func(r *tagReader, p tagPair) { r.part("idempotency"); r.seconds(p, &r.idempotency.RetentionSeconds) },
	"onUnknown":          func(r *tagReader, p tagPair) { r.part("idempotency"); r.text(p, &r.idempotency.OnUnknown) },
}

const (
	boolRemedy     = "write true or false"
	durationRemedy = "write a duration such as 30s"
	numberRemedy   = "write a whole number"
	rateRemedy     = "write calls/time, such as 20/1m"
)

func factKeyNames() []string { return slices.Sorted(maps.Keys(factKeys)) }

// finish says the clauses that several keys make up together.
func (r *tagReader) finish() {
	if r.has["deprecated"] {
		r.facts.deprecated.say(r.deprecated)
	}
	if r.has["confirmation"] {
		r.facts.confirmation.say(r.confirmation)
	}
	if r.has["stepUp"] {
		r.facts.stepUp.say(r.stepUp)
	}
	if r.has["idempotency"] {
		r.facts.idempotency.say(r.idempotency)
	}
}

func (r *tagReader) part(clause string) {
	if r.has == nil {
		r.has = map[string]bool{}
	}
	r.has[clause] = true
}

func (r *tagReader) noPermissions(p tagPair) {
	v := &r.facts.permissions.value
	v.none, v.noneReason = true, p.value
	r.facts.permissions.ok = true
}

// list splits at commas; blanks around an element are dropped, an empty
// element is a mistake.
func (r *tagReader) list(p tagPair) []string {
	parts := strings.Split(p.value, ",")
	for i, part := range parts {
		parts[i] = strings.TrimSpace(part)
		if parts[i] == "" {
			r.badValue(p.key, "an element of the list is empty", "separate elements by single commas")
			return nil
		}
	}
	return parts
}

func (r *tagReader) text(p tagPair, into encoding.TextUnmarshaler) bool {
	if err := into.UnmarshalText([]byte(p.value)); err != nil {
		r.badValue(p.key, err.Error(), "write one of the allowed values")
		return false
	}
	return true
}

func (r *tagReader) boolean(p tagPair, into *bool) {
	v, err := parseBool(p.value)
	if err != nil {
		r.badValue(p.key, "the value is not a boolean", boolRemedy)
		return
	}
	*into = v
}

func (r *tagReader) seconds(p tagPair, into *int64) {
	d, err := time.ParseDuration(p.value)
	if err != nil || d%time.Second != 0 {
		r.badValue(p.key, "the value is not a duration of whole seconds", durationRemedy)
		return
	}
	*into = int64(d / time.Second)
}

// sayText says an enum clause from its text.
func sayText[T any, P interface {
	*T
	encoding.TextUnmarshaler
}](r *tagReader, p tagPair, clause *said[T]) {
	var v T
	if r.text(p, P(&v)) {
		clause.say(v)
	}
}

// sayParsed says a clause from its text by a parser.
func sayParsed[T any](r *tagReader, p tagPair, clause *said[T], parse func(string) (T, error), remedy string) {
	v, err := parse(p.value)
	if err != nil {
		r.badValue(p.key, "the value cannot be read", remedy)
		return
	}
	clause.say(v)
}

// parseBool takes the two spellings of JSON alone.
func parseBool(s string) (bool, error) {
	switch s {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, strconv.ErrSyntax
}

func parseInt64(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) }

func parseObject(s string) (map[string]any, error) { return metadata.Parse([]byte(s)) }

func parseRate(s string) (rateLimitClause, error) {
	calls, per, ok := strings.Cut(s, "/")
	if !ok {
		return rateLimitClause{}, strconv.ErrSyntax
	}
	n, err := strconv.Atoi(calls)
	if err != nil {
		return rateLimitClause{}, err
	}
	d, err := time.ParseDuration(per)
	return rateLimitClause{calls: n, per: d}, err
}
