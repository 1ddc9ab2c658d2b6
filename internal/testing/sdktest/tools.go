package sdktest

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// Empty is the input of a tool that takes no arguments.
type Empty struct{}

// AddIn is the input of calc.add.
type AddIn struct {
	A int64 `json:"a" jsonschema:"maximum=9223372036854775806"`
	B int64 `json:"b,omitempty"`
}

// AddOut is the result of calc.add and of the note tools.
type AddOut struct {
	Sum int64 `json:"sum"`
}

// NoteIn is the input of the note tools.
type NoteIn struct {
	Text string `json:"text" jsonschema:"maxLength=100"`
}

// OptionalIn is the input of notes.read.
type OptionalIn struct {
	Text string `json:"text,omitempty"`
}

// Tools builds the tools most tests serve. The counters count runs.
type Tools struct {
	Adds, Notes, Keys atomic.Int64
}

// Add returns a tool that needs no permission.
func (n *Tools) Add() *contract.Builder[AddIn, AddOut] {
	return contract.New("calc.add", func(_ context.Context, in AddIn) (AddOut, error) {
		n.Adds.Add(1)
		return AddOut{in.A + in.B}, nil
	}).Title("Add").Description("Adds two <integers>.").Version("1.2.3").
		Effect(risk.ReadOnly).Trust(trust.Trusted).Aliases("calc.plus")
}

// Note returns a tool that needs the permission notes:write. Its handler calls
// run, unless that is nil.
func (n *Tools) Note(run func(context.Context, string) error) *contract.Builder[NoteIn, AddOut] {
	return contract.New("notes.write", func(ctx context.Context, in NoteIn) (AddOut, error) {
		n.Notes.Add(1)
		if run != nil {
			if err := run(ctx, in.Text); err != nil {
				return AddOut{}, err
			}
		}
		return AddOut{int64(len(in.Text))}, nil
	}).Description("Writes a note.").Version("1.0.0").Effect(risk.LowRiskWrite).Trust(trust.Trusted).
		Permissions("notes:write").Aliases("notes.add")
}

// Key returns a forbidden tool.
func (n *Tools) Key() *contract.Builder[Empty, string] {
	return contract.New("keys.read", func(context.Context, Empty) (string, error) {
		n.Keys.Add(1)
		return "-----BEGIN", nil
	}).Description("Reads the private key.").Version("1.0.0").Risk(risk.Forbidden).Effect(risk.ReadOnly).Trust(trust.Sensitive).
		Permissions("keys:read")
}

// All returns the tools of Add, Note and Key.
func (n *Tools) All() []*contract.Tool {
	return []*contract.Tool{n.Add().MustBuild(), n.Note(nil).MustBuild(), n.Key().MustBuild()}
}

// Send returns a tool that asks before every call.
func (n *Tools) Send() *contract.Tool {
	return contract.New("notes.send", n.noted).Description("Sends a note.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Permissions("notes:write").ConfirmAlways().MustBuild()
}

// CloseNote returns a tool that needs a recent strong authentication.
func (n *Tools) CloseNote() *contract.Tool {
	return contract.New("notes.close", n.noted).Description("Closes a note.").Version("1.0.0").
		Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("notes:write").
		StepUp(contract.StepUp{MaxAge: 5 * time.Minute, ACR: "mfa"}).MustBuild()
}

func (n *Tools) noted(_ context.Context, in NoteIn) (AddOut, error) {
	n.Notes.Add(1)
	return AddOut{int64(len(in.Text))}, nil
}

// Optional returns a tool whose only argument is optional.
func (n *Tools) Optional() *contract.Builder[OptionalIn, string] {
	return contract.New("notes.read", func(context.Context, OptionalIn) (string, error) {
		n.Notes.Add(1)
		return "a note", nil
	}).Description("Reads a note.").Version("1.0.0").Effect(risk.ReadOnly).Trust(trust.Trusted)
}

// Verify returns the principal for each of the tests' bearer tokens. None of
// them is a human.
func Verify(_ context.Context, token string) (guard.Principal, error) {
	switch token {
	case "alice":
		return guard.Principal{Issuer: "test", Subject: "alice", Permissions: []string{"notes:write", "keys:read"}}, nil
	case "bob":
		return guard.Principal{Issuer: "test", Subject: "bob", Permissions: []string{"contacts:read"}}, nil
	case "anonymous":
		return guard.Principal{Permissions: []string{"notes:write"}}, nil
	case "down":
		return guard.Principal{}, guard.ErrUnavailable
	default:
		return guard.Principal{}, errors.New("unknown token")
	}
}

// Rules returns the rule and tool of each declaration error, in order.
func Rules(err error) []string {
	var all []string
	for _, e := range contract.DeclarationErrors(err) {
		all = append(all, strings.TrimSpace(e.Rule+" "+e.Tool))
	}
	return all
}
