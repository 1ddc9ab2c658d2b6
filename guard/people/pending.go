package people

import (
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/risk"
)

// A PendingQuestion is a question that waits for a person to decide outside the
// client.
type PendingQuestion struct {
	// Token names the question for People.OpenQuestion and People.Decide. It
	// has some 150 letters, digits, dots, hyphens and underscores. It is not
	// secret: deciding takes an authorized principal, and the content is
	// sealed.
	Token string
	// Question is the text for the person. Show all of it.
	Question Question
	// Tool is the tool's name, and Risk its level.
	Tool string
	Risk risk.Level
	// Principal is the party on whose behalf the call is made.
	Principal PrincipalName
	// CallID is the call's id in the audit log.
	CallID string
	// Issued is when the question was first asked. From Expires on, an answer
	// no longer counts.
	Issued, Expires time.Time
	// Decision is the person's answer. Nil: the question is undecided.
	Decision *Ruling
	// ClientSends means that the client will ask its user to open the address
	// that the approver returns, so the approver need not bring the person
	// there.
	ClientSends bool
}

// A Ruling is a person's answer to a [PendingQuestion].
type Ruling struct {
	// Approved is true if the call may run, and false if it was declined.
	Approved bool
	// By is the person who decided.
	By PrincipalName
	// At is the time of the decision.
	At time.Time
}

// The errors of questions outside the client.
var (
	// ErrNoQuestion is returned for a token that names no question of this
	// guard, or an expired one.
	ErrNoQuestion = errors.New("guard: there is no such question, or it has expired")
	// ErrDecided is returned for a question that already has an answer.
	ErrDecided = errors.New("guard: the question has been decided")
	// ErrWrongWord is returned for an approval of a question with a word to
	// type, if that word was not typed. Nothing is decided.
	ErrWrongWord = errors.New("guard: the word that approves the call was not typed")
	// ErrMayNotDecide is returned for a principal that may neither see nor
	// decide a question.
	ErrMayNotDecide = errors.New("guard: the principal may not decide about this call")
)
