package agent

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
)

// A SentCall is a call that may have reached its server, in a form that can be
// stored as JSON. A host stores one before the call, with the arguments, and
// deletes it once it has stored what became of the call. After a restart it
// passes what is left to [Continue].
//
// Nothing else of the session is needed after a restart: tools are listed and
// quarantined anew.
type SentCall struct {
	// Key is the idempotency key of the call. Every attempt carries it.
	Key string `json:"key"`
	// Definition identifies the tool definition that the decision was based on.
	// A tool with another definition is another tool.
	Definition string `json:"definition,omitempty"`
	// At is when the call was first sent. A server remembers outcomes only for
	// a while.
	At time.Time `json:"at"`
	// OperationID names the operation of the call, if an answer did; see
	// [Step.OperationID]. With it the agent can ask what became of a call that
	// must not be sent again.
	OperationID string `json:"operationId,omitempty"`
}

// Sent returns the record of a call that is about to be sent, with the key that
// is passed to [WithKey].
func (t Tool) Sent(key string) SentCall {
	return SentCall{Key: key, Definition: t.digest, At: time.Now().UTC()}
}

// Repeatable reports whether, by the tool's contract, the call can be sent
// again without a second effect. A server that deduplicates calls forgets them
// after the retention. The hints of a tool without a contract promise nothing.
func (s SentCall) Repeatable(t Tool) bool {
	d := t.Contract.Effective()
	switch {
	case !t.hasContract() || s.Definition != t.digest:
		return false
	case d.Effect == risk.ReadOnly || d.Idempotency.Mode == idempotency.Native:
		return true
	case d.Idempotency.Mode.Deduplicates():
		age := time.Since(s.At)
		return age >= 0 && age < t.remembers()
	}
	return false
}

// remembers returns how long the server surely remembers a call that it
// deduplicates.
func (t Tool) remembers() time.Duration {
	i := t.Contract.Effective().Idempotency
	if i.ClientKey {
		return i.Retention
	}
	return cmp.Or(i.ArgumentsRetention, i.Retention)
}

var errNotRepeatable = errors.New("the contract does not make a repetition of the call safe")

// resume prepares a call that may have reached its server before.
func (c *call) resume() error {
	if c.sent == nil || c.tool.reads() {
		return nil
	}
	c.lost = true
	if c.tool.takesKey() && (c.sent.Key == "" || c.key != c.sent.Key) {
		return errNotRepeatable // the server would not recognise the call
	}
	trusted := c.agent.options.TrustedHints && !c.tool.hasContract() && c.sent.Definition == c.tool.digest && c.mayRepeat()
	if !trusted && !c.sent.Repeatable(c.tool) {
		return errNotRepeatable
	}
	return nil
}

// KeyOf returns an idempotency key for a call in a run. Equal calls in one run
// get the same key, however their arguments are written.
func KeyOf(run, tool string, arguments json.RawMessage) string {
	sum := sha256.Sum256([]byte(run + "\x00" + tool + "\x00" + string(canonical(arguments))))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// canonical returns the same bytes for equal arguments. Integers stay exact,
// unless strictjson refuses the arguments: then all numbers are rounded.
// Arguments that aren't JSON are returned unchanged.
func canonical(arguments json.RawMessage) []byte {
	if exact, err := strictjson.Canonical(arguments); err == nil {
		return exact
	}
	rounded := jsontext.Value(arguments).Clone()
	if rounded.Canonicalize() != nil {
		return arguments
	}
	return rounded
}
