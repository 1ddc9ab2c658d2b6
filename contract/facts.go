package contract

import (
	"slices"
	"time"

	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A said is a clause that may have been left unsaid, so that one layer of
// declarations can lie over another.
type said[T any] struct {
	value T
	ok    bool
}

func (s *said[T]) say(v T) { s.value, s.ok = v, true }

// over keeps what s says, else what under says.
func (s *said[T]) over(under said[T]) {
	if !s.ok {
		*s = under
	}
}

// facts is one layer of a contract's declarations: a Base, the tags of the
// input type, or a builder's calls.
type facts struct {
	name, title, description, category, version, auditEvent said[string]

	flatName         said[bool]
	metadata         said[map[string]any]
	deprecated       said[Deprecation]
	aliases          said[[]string]
	risk             said[risk.Level]
	effect           said[risk.Effect]
	securityLevel    said[risk.SecurityLevel]
	contentTrust     said[trust.Level]
	autonomous       said[bool]
	confirmation     said[confirmationClause]
	stepUp           said[StepUp]
	permissions      said[permissionClause]
	discoverWith     said[[]string]
	sideEffects      said[[]SideEffect]
	idempotency      said[Idempotency]
	dryRun           said[dryrun.Mode]
	otherErrors      said[Class]
	failures         said[[]*Failure]
	rateLimit        said[rateLimitClause]
	totalRateLimit   said[rateLimitClause]
	timeout          said[time.Duration]
	cancellable      said[bool]
	maxConcurrent    said[int]
	maxResultBytes   said[int64]
	maxArgumentBytes said[int64]
	mistakes         []*DeclarationError
}

type confirmationClause struct {
	mode   Confirmation
	reason string
}

// A permissionClause is either a list or the reason why there is none; saying
// one in an upper layer replaces the other below.
type permissionClause struct {
	list       []string
	noneReason string
	none       bool
}

type rateLimitClause struct {
	calls int
	per   time.Duration
}

// over lays f over under, clause by clause. Mistakes of both layers count.
func (f *facts) over(under facts) {
	f.name.over(under.name)
	f.flatName.over(under.flatName)
	f.title.over(under.title)
	f.description.over(under.description)
	f.category.over(under.category)
	f.metadata.over(under.metadata)
	f.version.over(under.version)
	f.deprecated.over(under.deprecated)
	f.aliases.over(under.aliases)
	f.risk.over(under.risk)
	f.effect.over(under.effect)
	f.securityLevel.over(under.securityLevel)
	f.contentTrust.over(under.contentTrust)
	f.autonomous.over(under.autonomous)
	f.confirmation.over(under.confirmation)
	f.stepUp.over(under.stepUp)
	f.permissions.over(under.permissions)
	f.discoverWith.over(under.discoverWith)
	f.sideEffects.over(under.sideEffects)
	f.idempotency.over(under.idempotency)
	f.dryRun.over(under.dryRun)
	f.auditEvent.over(under.auditEvent)
	f.failures.over(under.failures)
	f.otherErrors.over(under.otherErrors)
	f.rateLimit.over(under.rateLimit)
	f.totalRateLimit.over(under.totalRateLimit)
	f.timeout.over(under.timeout)
	f.cancellable.over(under.cancellable)
	f.maxConcurrent.over(under.maxConcurrent)
	f.maxResultBytes.over(under.maxResultBytes)
	f.maxArgumentBytes.over(under.maxArgumentBytes)
	f.mistakes = append(slices.Clip(f.mistakes), under.mistakes...)
}

// mistake records what a layer got wrong; the tool's name is filled in by Build.
func (f *facts) mistake(rule, clause, message, remedy string) {
	f.mistakes = append(f.mistakes, &DeclarationError{Rule: rule, Clause: clause, Message: message, Remedy: remedy})
}
