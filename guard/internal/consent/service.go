package consent

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/ledger"
	"github.com/toolcontract/toolcontract/guard/internal/recorder"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/internal/contain"
	"github.com/toolcontract/toolcontract/internal/keyring"
	"github.com/toolcontract/toolcontract/risk"
)

// Settings configure how people are asked.
type Settings struct {
	// Pending passes a question to the approver and returns the address at
	// which a person decides. Nil: there is no approver.
	Pending func(context.Context, people.PendingQuestion) (address string, err error)
	// Decides narrows which people may decide. Nil: every person of the tenant
	// may, so a client can send its user to the approver's address.
	Decides func(ctx context.Context, by contract.Principal, q people.PendingQuestion) error
	// ApproverFrom is the risk level from which only the approver's answers
	// count. Undeclared: no level.
	ApproverFrom risk.Level
	// Page returns the address at which a person authenticates. Nil: there is
	// none.
	Page func(context.Context, people.StepUpRequest) (address string, err error)
	// QuestionTimeout bounds a question within a call, and QuestionTTL the
	// lifetime of every other question.
	QuestionTimeout, QuestionTTL time.Duration
	// DeclineMemory is how long a declined question is remembered.
	DeclineMemory time.Duration
}

// A Config sets up a service. The functions of its settings contain those of
// authors. A service does not call Decides.
type Config struct {
	Settings

	// Ledger records questions and rulings. Recorder takes the audit events.
	Ledger   *ledger.Ledger
	Recorder *recorder.Recorder
	// GaveUp is closed when the guard stops waiting for calls.
	GaveUp <-chan struct{}
	// NoteError copies an error of a client.
	NoteError func(error) error
	// Panicked reports a panic of a client.
	Panicked contain.PanicFunc
}

// A Service asks people for one guard. It is safe for concurrent use. [New]
// makes one.
type Service struct {
	Config

	waiting         waiting
	answers         answerMemory
	tokens          *keyring.Sealer
	states          ledger.ValueSealer[QuestionState]
	questions       ledger.ValueSealer[storedForm]
	rulings         ledger.ValueSealer[storedRuling]
	stepUpIDs       ledger.ValueSealer[stepUpClaims]
	stepUpTexts     ledger.ValueSealer[people.Question]
	authentications ledger.ValueSealer[Authenticated]
}

// New returns the service of a guard.
func New(c Config) *Service {
	return &Service{
		Config:          c,
		waiting:         waiting{slots: contain.NewSlots(questionsOfAll, c.NoteError, c.Panicked), counts: map[string]int{}},
		answers:         answerMemory{byCall: map[string]keptAnswers{}},
		tokens:          c.Ledger.Sealer(ledger.Approvals),
		states:          ledger.SealerOf[QuestionState](c.Ledger, ledger.States, nil),
		questions:       ledger.SealerOf[storedForm](c.Ledger, ledger.Approvals, nil),
		rulings:         ledger.SealerOf[storedRuling](c.Ledger, ledger.Approvals, nil),
		stepUpIDs:       ledger.SealerOf[stepUpClaims](c.Ledger, ledger.StepUps, nil),
		stepUpTexts:     ledger.SealerOf[people.Question](c.Ledger, ledger.StepUps, nil),
		authentications: ledger.SealerOf[Authenticated](c.Ledger, ledger.StepUps, nil),
	}
}

// isClosing reports whether the guard has stopped waiting for calls.
func (svc *Service) isClosing() bool {
	select {
	case <-svc.GaveUp:
		return true
	default:
		return false
	}
}

// ttlBeyond returns how long to remember something that must outlast a
// question, even if the clocks of replicas differ.
func (svc *Service) ttlBeyond(expires time.Time) time.Duration {
	return max(time.Until(expires), 0) + svc.QuestionTTL
}

// maxAddress bounds the address of a page, in bytes.
const maxAddress = 2 << 10

// isAddress reports whether a client may be sent to an address: it is absolute,
// http or https, and without credentials.
func isAddress(address string) bool {
	if len(address) > maxAddress || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return false
	}
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && u.User == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// refuseUnanswered returns the refusal of a call that got no answer from a
// person.
func (svc *Service) refuseUnanswered(err error) *answer.Refusal {
	switch {
	case svc.isClosing():
		return answer.Closing().Because(err)
	case errors.Is(err, contain.ErrNoSlot):
		return answer.Unavailable("too many questions wait for their answers").Because(err)
	}
	return refuseDeclined("no person answered the question").Because(err)
}

// refuseDeclined returns the refusal of a declined call. Models tend to try
// again, so the hint names the alternative.
func refuseDeclined(message string) *answer.Refusal {
	return &answer.Refusal{
		Code: contract.CodeConfirmationDeclined, Message: message,
		Hint: "Do not repeat the call. Ask the user what to do instead.",
	}
}
