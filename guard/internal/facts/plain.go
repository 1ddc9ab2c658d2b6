package facts

import (
	"context"
	"sync"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/bound"
	"github.com/toolcontract/toolcontract/internal/schema"
	"github.com/toolcontract/toolcontract/risk"
)

// The clauses that a tool without a contract breaks without being refused.
const (
	ClauseInput  = "inputSchema"
	ClauseOutput = "outputSchema"
)

// NewPlain returns the facts about a tool without a contract. Its document has
// only limits and the guard's failures: no version, effect or risk, because
// nobody declared them.
func NewPlain(p *bound.Plain) *ProtectedTool {
	t := &ProtectedTool{Plain: p, Identity: p.Name, Impl: &plainImpl{plain: p}}
	t.Doc = contract.Document{
		Name: p.Name, AuditEvent: p.Name, Cancellable: true, Timeout: p.Timeout,
		MaxArgumentBytes: p.ArgumentBytes, MaxResultBytes: p.ResultBytes, FailureModes: plainModes[p.ReadOnly](),
	}
	if p.Calls > 0 {
		t.Doc.RateLimit = &contract.RateLimit{Calls: p.Calls, Per: p.Per}
	}
	if !p.Strict {
		t.AuditOnly = map[string]bool{ClauseInput: true, ClauseOutput: true}
	}
	t.Audience = &Audience{agents: true, anonymous: true}
	return t
}

// plainModes has the guard's failures by whether the tool is read-only: as the
// contract of a read has them, or of a write about which nothing else is known.
var plainModes = map[bool]func() []contract.FailureMode{
	true:  sync.OnceValue(func() []contract.FailureMode { return modesOf(risk.ReadOnly) }),
	false: sync.OnceValue(func() []contract.FailureMode { return modesOf(risk.LowRiskWrite) }),
}

func modesOf(effect risk.Effect) []contract.FailureMode {
	nothing := func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }
	modes := contract.New("protected.tool", nothing).Description("A tool without a contract.").Version("1.0.0").Effect(effect).
		NoPermissions("The tool has no contract.").MaxConcurrent(1).MustBuild().Document().FailureModes
	for i := range modes {
		if modes[i].Code == contract.CodeInternalError {
			modes[i].Description = "The tool failed. The audit log of the server has the reason."
		}
	}
	return modes
}

// A plainImpl runs a tool without a contract. Its input is the function that
// runs one call. The methods that it does not have are never called, because
// its facts have none of the optional functions, and its results are not
// encoded here.
type plainImpl struct {
	bound.Impl

	plain *bound.Plain
}

var plainFacts bound.Facts

// Facts implements [bound.Impl].
func (*plainImpl) Facts() *bound.Facts { return &plainFacts }

// Hidden implements [bound.Impl].
func (*plainImpl) Hidden(any) []string { return nil }

// Decode implements [bound.Impl]. It takes any arguments, unless they must fit.
func (i *plainImpl) Decode(raw []byte) (*bound.Arguments, []schema.Violation) {
	text := raw
	if len(text) == 0 {
		text = []byte("{}")
	}
	broken := i.plain.CheckInput(text)
	if i.plain.Strict && len(broken) > 0 {
		return nil, broken
	}
	return &bound.Arguments{Canonical: raw, Compared: raw, Misfits: broken}, nil
}

// Run implements [bound.Impl].
func (*plainImpl) Run(ctx context.Context, in any) (any, error) {
	return in.(func(context.Context) (*bound.Passed, error))(ctx) //nolint:forcetypeassert // it is that of the request
}
