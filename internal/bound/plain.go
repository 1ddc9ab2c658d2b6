package bound

import (
	"context"
	"time"

	"github.com/toolcontract/toolcontract/internal/schema"
)

// A Plain is a tool without a contract whose calls a guard limits, contains and
// audits, and otherwise leaves as they are.
type Plain struct {
	// Name is the name of the tool.
	Name string
	// ReadOnly means that the tool's author says it changes nothing. It decides
	// only whether an error tells the caller to retry.
	ReadOnly bool
	// Timeout bounds a call, without the time that a person takes to answer.
	Timeout time.Duration
	// Calls and Per bound the calls of one caller. Zero: the guard's limit.
	Calls int
	Per   time.Duration
	// Concurrent is how many calls of one caller may run at once, of all such
	// tools together.
	Concurrent int
	// ArgumentBytes and ResultBytes bound both directions.
	ArgumentBytes, ResultBytes int64
	// CheckInput and CheckOutput return how arguments and structured content
	// break the tool's schemas.
	CheckInput, CheckOutput func(text []byte) []schema.Violation
	// Strict refuses arguments and results that do not fit. Otherwise they are
	// reported.
	Strict bool
}

// A Passed is an SDK's own answer that a guard hands on as it is.
type Passed struct {
	// Value is the result of the SDK. Nil: Err is the answer.
	Value any
	// Err is a JSON-RPC error that the handler chose for its caller.
	Err error
	// IsError and Asks say what kind of result it is: of a failed call, or one
	// that asks the client for input.
	IsError, Asks bool
	// Bytes is roughly the size of the result on the wire.
	Bytes int64
	// Structured is the structured content as JSON. Nil: there is none.
	Structured []byte
}

// pauseKey is the context key of the function that [Pause] calls.
type pauseKey struct{}

// WithPause returns a context in which [Pause] calls pause.
func WithPause(ctx context.Context, pause func() (resume func())) context.Context {
	return context.WithValue(ctx, pauseKey{}, pause)
}

// Pause stops the clock of the call that ctx belongs to until resume is called,
// because a person is being asked. It does nothing for other contexts.
func Pause(ctx context.Context) (resume func()) {
	if pause, ok := ctx.Value(pauseKey{}).(func() func()); ok {
		return pause()
	}
	return func() {}
}
