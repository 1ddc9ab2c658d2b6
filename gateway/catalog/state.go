package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/declare"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// stateFormat is the version of the form of a savedState.
const stateFormat = 1

// A savedState is what a catalogue remembers between cycles. The zero value
// remembers nothing.
type savedState struct {
	// Format is stateFormat.
	Format int `json:"format"`
	// Cycle is the number of the last cycle.
	Cycle int64 `json:"cycle"`
	// Tools has all tools ever seen, sorted by server and tool.
	Tools []seenTool `json:"tools"`
}

// A seenTool is what a catalogue remembers about one tool.
type seenTool struct {
	// Server and Tool are the names of the source and of its tool. Name is the
	// name in the catalogue, which no other tool gets.
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Name   string `json:"name"`
	// Gone is true if the server did not list the tool in its last list.
	Gone bool `json:"gone,omitempty"`
	// Digest is that of the definition first seen, or accepted since.
	Digest string `json:"digest"`
	// Definition is that definition as JSON, to report what has changed. Nil: it
	// is too long to keep.
	Definition json.RawMessage `json:"definition,omitempty"`
	// Listed is the digest of the definition in the last list. Empty: that is the
	// accepted one.
	Listed string `json:"listed,omitempty"`
	// Weaker has the reported downgrades: values by fact.
	Weaker map[string]string `json:"weaker,omitempty"`
	// Risk, Effect, Reversibility, ContentTrust, Confirmation, DryRun and
	// Idempotency are the effective facts of the last cycle. If the server
	// declares weaker ones, these stay until the operator records an override.
	// Reversibility is remembered only once the server or the operator has
	// declared it, or all that it follows from. Until then, its first
	// declaration is not a downgrade.
	Risk          risk.Level            `json:"risk"`
	Effect        risk.Effect           `json:"effect"`
	Reversibility risk.Reversibility    `json:"reversibility,omitzero"`
	ContentTrust  trust.Level           `json:"contentTrust"`
	Confirmation  contract.Confirmation `json:"confirmation"`
	DryRun        dryrun.Mode           `json:"dryRun,omitzero"`
	Idempotency   idempotency.Mode      `json:"idempotency,omitzero"`
	// Version is the version of the contract. Empty: there is none.
	Version string `json:"version,omitempty"`
}

// facts returns the remembered facts.
func (s seenTool) facts() *layer {
	l := newLayer()
	d := contract.Document{Risk: s.Risk, Effect: s.Effect, Reversibility: s.Reversibility, ContentTrust: s.ContentTrust,
		Confirmation: s.Confirmation, DryRun: s.DryRun, Version: s.Version}
	if s.Idempotency.IsValid() {
		d.Idempotency = &contract.Idempotency{Mode: s.Idempotency}
	}
	for _, kind := range factKinds {
		if kind.text(d) != "" {
			l.take(kind.name, d, fromMemory)
		}
	}
	return l
}

// The rules of an [Error] in a state file.
const (
	fileState = "state"

	ruleStateFormat = "state.format" // a format that this version does not read
	ruleStateDigest = "state.digest" // a state that was changed by another program
	ruleStateTool   = "state.tool"   // a tool whose names or facts are not whole
	ruleStateTwice  = "state.twice"  // a tool or a name that stands twice
	ruleStateFile   = "state.file"   // a file that cannot be read or written, or that others can change
	ruleStateShared = "state.shared" // a file that another process has written
)

const stateRemedy = "restore it from a backup; only if you accept whatever the servers declare now, delete it"

// plainState is a savedState without its methods.
type plainState savedState

// sealedState is a state as it is written to a file.
type sealedState struct {
	plainState

	// Digest is the SHA-256 of the state without it.
	Digest string `json:"digest"`
}

func (s savedState) digest() (string, error) {
	raw, err := json.Marshal(plainState(s))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(raw)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

func (s savedState) sort() {
	slices.SortFunc(s.Tools, func(a, b seenTool) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool))
	})
}

// MarshalJSON writes the state with a digest, which lets parseState tell
// whether it is complete. Equal states have equal bytes.
func (s savedState) MarshalJSON() ([]byte, error) {
	s.Format = cmp.Or(s.Format, stateFormat)
	s.Tools = slices.Clone(s.Tools)
	if s.Tools == nil {
		s.Tools = []seenTool{}
	}
	s.sort()
	digest, err := s.digest()
	if err != nil {
		return nil, fmt.Errorf("catalog: state: %w", err)
	}
	return json.Marshal(sealedState{plainState(s), digest})
}

// parseState reads a state strictly, as [ParseOverrides] reads an operator's
// file. A state with a missing or wrong digest was torn or edited and is an
// error.
func parseState(data []byte) (savedState, error) {
	var read sealedState
	if _, err := strictjson.Parse(data, fileLimits()); err != nil {
		return savedState{}, stateError(err)
	}
	if err := strictjson.Unmarshal(data, &read); err != nil {
		return savedState{}, stateError(err)
	}
	s := savedState(read.plainState)
	if s.Format != stateFormat {
		return savedState{}, &Error{File: fileState, Rule: ruleStateFormat, Where: "/format", Message: fmt.Sprintf("must be %d",
			stateFormat), Remedy: stateRemedy}
	}
	if s.Tools == nil {
		s.Tools = []seenTool{}
	}
	if err := s.check(); err != nil {
		return savedState{}, err
	}
	if digest, err := s.digest(); err != nil || digest != read.Digest {
		return savedState{}, &Error{File: fileState, Rule: ruleStateDigest, Where: "/digest",
			Message: "the state was changed by another program", Remedy: stateRemedy + "; decisions belong in the operator's file"}
	}
	s.sort()
	return s, nil
}

func stateError(err error) error {
	e := syntaxError(fileState, err)
	e.Remedy = stateRemedy
	return e
}

// check reports tools that no catalogue could have written.
func (s savedState) check() error {
	var errs []error
	tools, names := map[[2]string]bool{}, map[string]bool{}
	for i, t := range s.Tools {
		where := strictjson.PointerIndex("/tools", i)
		if !isServerName(t.Server) || !declare.IsName(t.Tool) || !declare.IsName(t.Name) || !digestForm.MatchString(t.Digest) ||
			t.Listed != "" && !digestForm.MatchString(t.Listed) || s.Cycle < 1 ||
			!t.Risk.IsValid() || !t.Effect.IsValid() || !t.ContentTrust.IsValid() || t.Confirmation == 0 {
			errs = append(errs, &Error{File: fileState, Rule: ruleStateTool, Where: where,
				Message: "is not a tool that a catalogue remembers", Remedy: stateRemedy})
		}
		key := [2]string{t.Server, t.Tool}
		if tools[key] || names[foldName(t.Name)] {
			errs = append(errs, &Error{File: fileState, Rule: ruleStateTwice, Where: where, Message: "stands twice", Remedy: stateRemedy})
		}
		tools[key], names[foldName(t.Name)] = true, true
	}
	return errors.Join(errs...)
}
