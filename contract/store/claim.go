package store

import (
	"errors"
	"fmt"
	"time"
)

// A Claim asks for the right to execute.
type Claim struct {
	// Key is the record's.
	Key Key
	// Owner is who will execute. Repeating a claim with the same owner is harmless.
	Owner Owner
	// Fingerprint is that of the arguments.
	Fingerprint Digest
	// Lease is how long the owner is believed to live without a renewal. It is positive.
	Lease time.Duration
	// Retention is how long the record exists from now, unless a renewal or the completion moves its end.
	// It is not shorter than Lease.
	Retention time.Duration
	// Start marks the execution as started in the same step.
	Start bool
	// Rerun takes over a record that was abandoned. It stays one whose execution was started, for the earlier
	// one's outcome is still unknown.
	Rerun bool
	// Nonce is spent by the owner in the same step, where the record is claimed. The zero Nonce is none.
	Nonce Nonce
	// Budget is looked up in the same step, where the record would be taken: a claim that its owner repeats is
	// not held to it again. The zero Budget is none. It is for stores that are a [Counter] too.
	Budget Budget
}

// A Verdict is the answer to a [Claim].
type Verdict uint8

const (
	// UndeclaredVerdict is the zero value; no answer has it.
	UndeclaredVerdict Verdict = 0
	// Claimed means that the record is the claim's owner's: nobody else executes while the lease lasts.
	Claimed Verdict = 1
	// Running means that another owner holds the record; [Answer.LeaseLeft] says for how long at least.
	Running Verdict = 2
	// Finished means that an outcome is on record: [Answer.State] and [Answer.Result].
	Finished Verdict = 3
	// Abandoned means that an earlier execution may or may not have had its effect.
	Abandoned Verdict = 4
	// Conflicting means that the record was claimed with another fingerprint. Nothing of it is disclosed.
	Conflicting Verdict = 5
	// NonceSpent means that the record could have been claimed, but another owner had spent the nonce.
	NonceSpent Verdict = 6
	// Exhausted means that the record could have been claimed, but the budget was used up. No nonce was spent.
	Exhausted Verdict = 7
)

// String returns the verdict in lower case, "undeclared" for the zero value, and a form such as
// "verdict(42)" for a number that is no verdict.
func (v Verdict) String() string {
	switch v {
	case UndeclaredVerdict:
		return "undeclared"
	case Claimed:
		return "claimed"
	case Running:
		return "running"
	case Finished:
		return "finished"
	case Abandoned:
		return "abandoned"
	case Conflicting:
		return "conflicting"
	case NonceSpent:
		return "nonce spent"
	case Exhausted:
		return "exhausted"
	default:
		return fmt.Sprintf("verdict(%d)", uint8(v))
	}
}

// An Answer is what a store says to a [Claim].
type Answer struct {
	// Verdict says whether the record is the claim's owner's.
	Verdict Verdict
	// State is Completed or Failed where Verdict is Finished, else the zero State.
	State State
	// Result is what was recorded where Verdict is Finished. Nil: it was not kept.
	Result []byte
	// LeaseLeft is what is left of the other owner's lease where Verdict is Running.
	LeaseLeft time.Duration
}

// Judge returns the verdict on a claim that finds this record, and this highest count of any kind under the
// key of its budget, apart from its nonce: the rules that every [Store] keeps, in one place.
//
// Another fingerprint, in any state: Conflicting. An outcome: Finished. In progress: Claimed for the owner
// itself, Running for others while the lease lasts. Abandoned: Abandoned, but for a Rerun. What is left can be
// taken: no record, one whose lease was over before the start, an abandoned one for a Rerun. Exhausted where
// the budget is used up, else Claimed.
func (c Claim) Judge(r Record, highest int64) Verdict {
	switch {
	case !r.State.IsZero() && r.Fingerprint != c.Fingerprint:
		return Conflicting
	case r.State.IsFinished():
		return Finished
	case r.State == InProgress && r.Owner == c.Owner:
		return Claimed
	case r.State == InProgress && r.LeaseLeft > 0:
		return Running
	case r.IsAbandoned() && !c.Rerun:
		return Abandoned
	case c.Budget.IsUsedUp(highest):
		return Exhausted
	default:
		return Claimed
	}
}

// Answer returns the whole answer to a claim that finds this record and gets this verdict.
func (r Record) Answer(v Verdict) Answer {
	switch v {
	case Finished:
		return Answer{Verdict: v, State: r.State, Result: r.Result}
	case Running:
		return Answer{Verdict: v, LeaseLeft: r.LeaseLeft}
	default: // the others disclose nothing
		return Answer{Verdict: v}
	}
}

// Validate returns an error that wraps [ErrInvalid] where the claim breaks the rules of its fields. Every
// store refuses such a claim, and changes nothing.
func (c Claim) Validate() error {
	switch {
	case c.Key.IsZero():
		return fmt.Errorf("%w: claim: the key is zero", ErrInvalid)
	case c.Owner.IsZero():
		return fmt.Errorf("%w: claim: the owner is zero", ErrInvalid)
	case c.Lease <= 0:
		return fmt.Errorf("%w: claim: the lease is not positive", ErrInvalid)
	case c.Retention < c.Lease:
		return fmt.Errorf("%w: claim: the retention is shorter than the lease", ErrInvalid)
	case !c.Nonce.IsZero() && c.Nonce.Key.Partition != c.Key.Partition:
		return fmt.Errorf("%w: claim: the nonce is of another partition than the key", ErrInvalid)
	case !c.Budget.IsZero() && c.Budget.Key.Partition != c.Key.Partition:
		return fmt.Errorf("%w: claim: the budget is of another partition than the key", ErrInvalid)
	}
	if !c.Nonce.IsZero() {
		if err := c.Nonce.Validate(); err != nil {
			return err
		}
	}
	if !c.Budget.IsZero() {
		return c.Budget.Validate()
	}
	return nil
}

// A Completion records how an execution ended.
type Completion struct {
	// Key is the record's.
	Key Key
	// Owner is who claimed it.
	Owner Owner
	// State is Completed, Failed or Unknown.
	State State
	// Result is what replays return, opaque to the store; an empty one is kept as such. Nil: none is kept.
	// An Unknown has none.
	Result []byte
	// Retention is how long the record exists from now. Zero or less removes it at once, so that the next
	// claim executes again; a repetition of this completion then gets [ErrLost].
	Retention time.Duration
	// Forget is the key of counts that are forgotten in the same step, as by [Counter.Reset]. It shares the
	// partition of Key. The zero Key is none. It is for stores that are a [Counter] too.
	Forget Key
}

// Validate returns an error that wraps [ErrInvalid] where the completion breaks the rules of its fields.
// Every store refuses such a completion, and changes nothing.
func (c Completion) Validate() error {
	switch {
	case c.Key.IsZero():
		return fmt.Errorf("%w: completion: the key is zero", ErrInvalid)
	case c.Owner.IsZero():
		return fmt.Errorf("%w: completion: the owner is zero", ErrInvalid)
	case !c.State.IsFinished() && c.State != Unknown:
		return fmt.Errorf("%w: completion: the state is not completed, failed or unknown", ErrInvalid)
	case c.State == Unknown && c.Result != nil:
		return fmt.Errorf("%w: completion: an unknown outcome has a result", ErrInvalid)
	case !c.Forget.IsZero() && c.Forget.Partition != c.Key.Partition:
		return fmt.Errorf("%w: completion: what is forgotten is of another partition than the key", ErrInvalid)
	}
	return nil
}

// The errors that stores return. Any other means that the store could not be reached or did not answer,
// and that the operation may or may not have taken place.
var (
	// ErrInvalid: the request breaks the rules of its fields. Nothing changed.
	ErrInvalid = errors.New("idempotency: invalid request")
	// ErrLost: the record is not the owner's, or no longer, or there is none. Nothing changed.
	ErrLost = errors.New("idempotency: the record is not the owner's")
	// ErrFull: there is no room for what would be new. Nothing changed.
	ErrFull = errors.New("idempotency: the store is full")
	// ErrNotFound: there is no such record.
	ErrNotFound = errors.New("idempotency: no such record")
	// ErrNotUnknown: the outcome of the record is not unknown. Nothing changed.
	ErrNotUnknown = errors.New("idempotency: the outcome is not unknown")
)
