package contract

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"

	"github.com/toolcontract/toolcontract/contract/internal/toolname"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

var (
	codePattern = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
)

// A checker turns merged facts into a document and collects what is wrong.
// Each method reads one concern, in the document's order.
type checker struct {
	facts facts
	doc   Document
	has   functions
}

// functions says which of a builder's function verbs were called, and whether
// with a function.
type functions struct {
	confirmWhen, preview         bool
	resolveSaid, resolve         bool
	replayUntilSaid, replayUntil bool
}

func (c *checker) bad(rule, clause, message, remedy string) {
	c.facts.mistake(rule, clause, message, remedy)
}

func (c *checker) check() {
	c.doc.Format = Format
	c.identity()
	c.levels()
	c.trust()
	c.permissions()
	c.confirmation()
	c.stepUp()
	c.forbidden()
	c.sideEffects()
	c.idempotency()
	c.dryRun()
	c.limits()
	c.failures()
	c.texts()
}

func (c *checker) identity() {
	f, d := &c.facts, &c.doc
	d.Name = f.name.value
	switch {
	case d.Name == "":
		c.bad(ruleNameMissing, "name", "the tool has no name", `call it "domain.verb"`)
	case !toolname.IsValid(d.Name):
		c.bad(ruleNameForm, "name", "the name has a character, a length or an empty part that is not allowed", "use 1 to 128 of A-Z a-z 0-9 _ . - with no empty part")
	case !strings.Contains(d.Name, ".") && !f.flatName.value:
		c.bad(ruleNameFlat, "name", "the name has no domain", `call it "domain.verb", or say FlatName`)
	}
	d.Title, d.Description, d.Category = f.title.value, f.description.value, f.category.value
	if strings.TrimSpace(d.Description) == "" {
		c.bad(ruleDescriptionMissing, "description", "the tool has no description", "say what it does, for people and models")
	}
	c.metadata()
	d.Version = f.version.value
	if d.Version == "" {
		c.bad(ruleVersionMissing, "version", "the contract has no version", "start with 1.0.0")
	} else if _, err := semver.StrictNewVersion(d.Version); err != nil {
		c.bad(ruleVersionForm, "version", "the version is not SemVer", "write MAJOR.MINOR.PATCH")
	}
	if f.deprecated.ok {
		dep := f.deprecated.value
		if _, err := semver.StrictNewVersion(dep.Since); err != nil {
			c.bad(ruleDeprecatedSince, "deprecated", "since is not a SemVer version", "name the contract's version that deprecated the tool")
		}
		if dep.ReplacedBy != "" && !toolname.IsValid(dep.ReplacedBy) {
			c.bad(ruleDeprecatedBy, "deprecated", "replacedBy is not formed as a name", "name the tool to use instead, or leave it out")
		}
		d.Deprecated = &dep
	}
	d.Aliases = f.aliases.value
	seen := map[string]bool{}
	for _, alias := range d.Aliases {
		if !toolname.IsValid(alias) {
			c.bad(ruleAliasForm, "aliases", "an alias is not formed as a name", "use 1 to 128 of A-Z a-z 0-9 _ . - with no empty part")
		} else if seen[alias] {
			c.bad(ruleAliasDuplicate, "aliases", "the alias "+alias+" stands twice", "remove it")
		}
		seen[alias] = true
	}
	d.AuditEvent = d.Name
	if f.auditEvent.ok {
		d.AuditEvent = f.auditEvent.value
		if !toolname.IsValid(d.AuditEvent) {
			c.bad(ruleAuditEvent, "auditEvent", "the name has a character, a length or an empty part that is not allowed", "use 1 to 128 of A-Z a-z 0-9 _ . - with no empty part")
		}
	}
}

func (c *checker) levels() {
	f, d := &c.facts, &c.doc
	d.Risk, d.Effect, d.SecurityLevel = f.risk.value, f.effect.value, f.securityLevel.value
	if !d.SecurityLevel.IsValid() {
		c.bad(ruleSecurityRange, "securityLevel", "the level is over 10", "use 0 to 10")
	}
	known := true
	if f.risk.ok && !d.Risk.IsValid() {
		c.bad(ruleRiskUnknown, "risk", "the level is none of the known ones", "use a constant of package risk")
		known = false
	}
	if f.effect.ok && !d.Effect.IsValid() {
		c.bad(ruleEffectUnknown, "effect", "the effect is none of the known ones", "use a constant of package risk")
		known = false
	}
	if !known {
		return
	}
	if !f.effect.ok {
		if !f.risk.ok || !d.Risk.AtLeast(risk.Critical) {
			c.bad(ruleEffectMissing, "effect", "the tool does not say what it changes", "declare an Effect, such as risk.ReadOnly")
			return
		}
		d.Effect = risk.Destructive
	}
	if !f.risk.ok {
		d.Risk = d.Effect.DefaultLevel()
	} else if floor := d.Effect.Floor(); !d.Risk.AtLeast(floor) {
		c.bad(ruleRiskFloor, "risk", fmt.Sprintf("risk %s is below the floor %s of effect %s", d.Risk, floor, d.Effect), "raise the risk, or leave it out")
	}
}

func (c *checker) trust() {
	c.doc.ContentTrust = c.facts.contentTrust.value
	if c.facts.contentTrust.ok && !c.doc.ContentTrust.IsValid() {
		c.bad(ruleTrustUnknown, "contentTrust", "the level is none of the known ones", "use a constant of package trust")
		c.doc.ContentTrust = trust.Undeclared
	}
}

func (c *checker) permissions() {
	f, d := &c.facts, &c.doc
	p := f.permissions.value
	d.Permissions, d.NoPermissions, d.DiscoverWith = p.list, p.noneReason, f.discoverWith.value
	granted := c.words("permissions", d.Permissions)
	c.words("discoverWith", d.DiscoverWith)
	switch {
	case p.none && len(p.list) > 0:
		c.bad(rulePermsContradiction, "permissions", "permissions are declared and NoPermissions too", "say one of them")
	case p.none && strings.TrimSpace(p.noneReason) == "":
		c.bad(rulePermsMissing, "permissions", "NoPermissions gives no reason", "say why the tool needs none")
	case !p.none && len(p.list) == 0 && d.Risk.IsValid() && d.Risk.AtLeast(risk.Medium):
		c.bad(rulePermsMissing, "permissions", fmt.Sprintf("a tool at %s declares no permissions", d.Risk), "declare Permissions, or NoPermissions with the reason")
	}
	if d.SecurityLevel >= 4 && len(p.list) == 0 {
		c.bad(ruleSecurityPerms, "securityLevel", "from level 4 up permissions are checked and none are declared", "declare Permissions")
	}
	for _, w := range d.DiscoverWith {
		if !granted[w] {
			c.bad(ruleDiscover, "discoverWith", w+" is not one of the permissions", "list some of the permissions")
		}
	}
}

// words checks a list of permissions and returns them as a set.
func (c *checker) words(clause string, list []string) map[string]bool {
	seen := map[string]bool{}
	for _, w := range list {
		if w == "" || strings.ContainsFunc(w, func(r rune) bool { return r <= ' ' || r == ',' || r > '~' }) {
			c.bad(rulePermsForm, clause, "a permission is empty, or has something else than printable ASCII without blanks and commas", `use words such as "emails:send"`)
		} else if seen[w] {
			c.bad(rulePermsForm, clause, w+" stands twice", "remove one")
		}
		seen[w] = true
	}
	return seen
}

// confirmationBasis is the level that decides whether a person is asked: a
// restricted tool asks as its effect demands.
func (d Document) confirmationBasis() risk.Level {
	if d.Risk == risk.Restricted {
		return d.Effect.DefaultLevel()
	}
	return d.Risk
}

func (c *checker) confirmation() {
	f, d := &c.facts, &c.doc
	said, basis := f.confirmation.value, d.confirmationBasis()
	verify := d.SecurityLevel >= 8 && !f.stepUp.ok
	levelKnown := d.Risk.IsValid() // where it is not, that is the one mistake to report
	d.Confirmation, d.ConfirmationReason = said.mode, said.reason
	switch {
	case !f.confirmation.ok && (basis.AtLeast(risk.High) || verify):
		d.Confirmation = ConfirmationAlways
	case !f.confirmation.ok:
		d.Confirmation = ConfirmationNever
	case !said.mode.IsValid():
		c.bad(ruleConfirmUnknown, "confirmation", "the value is none of the known ones", "use never, when or always")
	case said.mode == ConfirmationAlways, !levelKnown:
	case basis.AtLeast(risk.Critical):
		c.bad(ruleConfirmCritical, "confirmation", fmt.Sprintf("risk %s always asks, confirmation %s is declared", basis, said.mode), "remove the confirmation, or lower the risk if the effect allows it")
	case verify:
		c.bad(ruleSecurityVerify, "securityLevel", fmt.Sprintf("security level %d demands a confirmation or a step-up, confirmation %s is declared", d.SecurityLevel, said.mode), "declare StepUp, or remove the confirmation")
	case said.mode == ConfirmationNever && basis.AtLeast(risk.High) && strings.TrimSpace(said.reason) == "":
		c.bad(ruleConfirmReason, "confirmation", "a tool at high that never asks gives no reason", "say why")
	}
	if d.Confirmation == ConfirmationWhen && !c.has.confirmWhen {
		c.bad(ruleConfirmWhen, "confirmation", "there is no function that decides", "call ConfirmWhen with one")
	}
	// A function that is overruled by a later verb is simply not called.
	d.Autonomous = d.Confirmation == ConfirmationNever && d.Risk != risk.Forbidden
	if f.autonomous.ok && levelKnown && f.autonomous.value != d.Autonomous {
		c.bad(ruleAutonomous, "autonomous", fmt.Sprintf("autonomous %t contradicts risk %s with confirmation %s", f.autonomous.value, d.Risk, d.Confirmation), "remove the assertion, or change risk or confirmation")
	}
}

func (c *checker) stepUp() {
	if !c.facts.stepUp.ok {
		return
	}
	s := c.facts.stepUp.value
	if s.MaxAgeSeconds < 0 || s.MaxAgeSeconds > math.MaxInt64/int64(time.Second) {
		c.bad(ruleLimitRange, "stepUp", "the age is out of range", "use a positive number of seconds")
	} else if s.MaxAgeSeconds == 0 && s.ACR == "" {
		c.bad(ruleStepUpEmpty, "stepUp", "the step-up demands nothing", "set MaxAgeSeconds or ACR")
	}
	if strings.ContainsFunc(s.ACR, func(r rune) bool { return r <= ' ' || r == '"' || r == '\\' || r > '~' }) {
		c.bad(ruleStepUpACR, "stepUp/acr", "the class has something else than printable ASCII without blanks, quotes and backslashes", "name one class, as the authorization server does")
	}
	c.doc.StepUp = &s
}

func (c *checker) forbidden() {
	if c.doc.Risk != risk.Forbidden {
		return
	}
	if len(c.doc.Aliases) > 0 {
		c.bad(ruleForbiddenListed, "aliases", "risk forbidden is never listed nor called by a name, aliases are declared", "remove the aliases")
	}
	if len(c.doc.DiscoverWith) > 0 {
		c.bad(ruleForbiddenListed, "discoverWith", "risk forbidden is never listed, discoverWith is declared", "remove it")
	}
}

func (c *checker) sideEffects() {
	d := &c.doc
	d.SideEffects = c.facts.sideEffects.value
	if d.Effect == risk.ReadOnly && len(d.SideEffects) > 0 {
		c.bad(ruleEffectsReadOnly, "sideEffects", "effect read-only contradicts a declared side effect", "remove it, or declare a write")
	}
	for i, s := range d.SideEffects {
		clause := fmt.Sprintf("sideEffects/%d", i)
		if strings.TrimSpace(s.Description) == "" {
			c.bad(ruleEffectsDescription, clause, "the side effect has no description", "say what changes")
		}
		if !s.Reach.IsZero() && !s.Reach.IsValid() || !s.Undo.IsZero() && !s.Undo.IsValid() {
			c.bad(ruleEffectsUnknown, clause, "reach or undo is none of the known values", "use the package's constants")
		}
	}
}

func (c *checker) idempotency() {
	f := &c.facts
	if c.has.replayUntilSaid && (!c.has.replayUntil || f.idempotency.value.Mode != idempotency.Managed) {
		c.bad(ruleReplayUntil, "idempotency", "ReplayUntil has no function, or the tool is not managed", "give it a function and declare managed idempotency")
	}
	if !f.idempotency.ok {
		return
	}
	i := f.idempotency.value
	switch i.Mode {
	case idempotency.Managed:
		if i.ClientKey && len(i.KeyFields) > 0 {
			c.bad(ruleIdemKey, "idempotency", "a client key and key fields are declared", "choose one: declared key fields always win")
		}
		if i.RetentionSeconds < 0 || i.RetentionSeconds > math.MaxInt64/int64(time.Second) {
			c.bad(ruleIdemRetention, "idempotency", "the retention is out of range", "use a positive number of seconds")
		}
		if i.RetentionSeconds == 0 {
			i.RetentionSeconds = int64(DefaultRetention / time.Second)
		}
		if i.OnUnknown.IsZero() {
			i.OnUnknown = idempotency.Rerun
			if c.doc.Risk.AtLeast(risk.High) {
				i.OnUnknown = idempotency.Refuse
			}
		}
	case idempotency.Native, idempotency.None:
		if i.ClientKey || len(i.KeyFields) > 0 || i.RetentionSeconds != 0 || !i.OnUnknown.IsZero() {
			c.bad(ruleIdemUnmanaged, "idempotency", fmt.Sprintf("mode %s has a key, a retention or onUnknown", i.Mode), "declare managed, or remove them")
		}
		if i.Mode == idempotency.None {
			return
		}
	default:
		c.bad(ruleIdemMode, "idempotency", "the mode is none of the known ones", "use a constant of package idempotency")
		return
	}
	c.doc.Idempotency = &i
}

func (c *checker) dryRun() {
	f := &c.facts
	if !f.dryRun.ok || f.dryRun.value == dryrun.None {
		return
	}
	if !c.has.preview {
		c.bad(ruleDryRunFunction, "dryRun", "there is no function that previews", "call DryRun with dryrun.By(preview)")
	}
	c.doc.DryRun = f.dryRun.value
}

func (c *checker) rateLimits() {
	d := &c.doc
	d.RateLimit = c.rateLimit("rateLimit", c.facts.rateLimit)
	d.TotalRateLimit = c.rateLimit("totalRateLimit", c.facts.totalRateLimit)
	if one, all := d.RateLimit, d.TotalRateLimit; one != nil && all != nil && one.Admits(*all) && !all.Admits(*one) {
		c.bad(ruleLimitTotal, "totalRateLimit", fmt.Sprintf("all callers together have %d calls in %d s, which is below the rateLimit of one, %d in %d s", all.Calls, all.PerSeconds, one.Calls, one.PerSeconds), "raise it, or lower the rateLimit")
	}
}

func (c *checker) rateLimit(clause string, s said[rateLimitClause]) *RateLimit {
	if !s.ok {
		return nil
	}
	if s.value.calls <= 0 || s.value.per <= 0 || s.value.per%time.Second != 0 {
		c.bad(ruleLimitRange, clause, "the limit is not a positive number of calls in whole seconds", "say, for instance, 20 in a time.Minute")
		return nil
	}
	return &RateLimit{Calls: s.value.calls, PerSeconds: int64(s.value.per / time.Second)}
}

func (c *checker) limits() {
	f, d := &c.facts, &c.doc
	c.rateLimits()
	if f.timeout.ok {
		d.TimeoutMs = int64(f.timeout.value / time.Millisecond)
		if f.timeout.value <= 0 || f.timeout.value%time.Millisecond != 0 {
			c.bad(ruleLimitRange, "timeoutMs", "the timeout is not a positive number of milliseconds", "say, for instance, Timeout(5*time.Second)")
		}
	}
	d.Cancellable = f.cancellable.value
	if f.maxConcurrent.ok && f.maxConcurrent.value <= 0 {
		c.bad(ruleLimitRange, "maxConcurrent", "the limit is not positive", "leave it out for none")
	}
	d.MaxConcurrent = f.maxConcurrent.value
	for _, size := range []struct {
		clause string
		said   said[int64]
		into   *int64
	}{
		{"maxResultBytes", f.maxResultBytes, &d.MaxResultBytes},
		{"maxArgumentBytes", f.maxArgumentBytes, &d.MaxArgumentBytes},
	} {
		switch {
		case size.said.ok && size.said.value <= 0:
			c.bad(ruleLimitRange, size.clause, "the limit is not positive", "leave it out for the default")
		case size.said.value > MaxBytes:
			c.bad(ruleLimitRange, size.clause, "the limit is over 1 GiB", "allow at most contract.MaxBytes")
		}
		*size.into = size.said.value
	}
	if c.has.resolveSaid && !c.has.resolve {
		c.bad(ruleResolveNil, "resolve", "Resolve was given no function", "give it one, or leave it out")
	}
}
