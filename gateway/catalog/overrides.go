package catalog

import (
	"encoding/json"
	"math"
	"reflect"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/internal/strictjson"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// overridesFormat is the version of the form of [Overrides].
const overridesFormat = 1

// Overrides are the operator's decisions about the tools of servers, usually a
// file that [ParseOverrides] reads. The zero value decides nothing.
//
//	{
//	  "format": 1,
//	  "servers": {
//	    "mail": {
//	      "allTools": {"reason": "Mails contain words of others.", "contentTrust": "prompt-injection-prone"},
//	      "tools": {
//	        "send": {"reason": "Sends outside.", "effect": "external-publication", "confirmation": "always"},
//	        "wipe": {"reason": "No agent needs it.", "veto": true}
//	      }
//	    }
//	  }
//	}
type Overrides struct {
	// Format is the version of this form: 1. Required in a file.
	Format int `json:"format"`
	// Servers has the overrides by [Source.Name].
	Servers map[string]ServerOverrides `json:"servers,omitempty"`
}

// ServerOverrides are the overrides of one server.
type ServerOverrides struct {
	// AllTools applies to every tool of the server, unless the tool's own
	// override sets the same member. Nil: there is none.
	AllTools *Override `json:"allTools,omitempty"`
	// Tools has the overrides of single tools, by the name at the server.
	Tools map[string]Override `json:"tools,omitempty"`
}

// An Override is what the operator decides about a tool. A member that is left
// out overrides nothing. An operator's override counts even if it is weaker
// than what the server declares.
type Override struct {
	// Reason is why the operator decided so, for the next reader. Required.
	Reason string `json:"reason"`
	// Veto forbids the tool. No agent can list or call it, even if the server
	// lists it under another name and declares this one as an alias.
	Veto bool `json:"veto,omitempty"`
	// Risk, Effect, Reversibility, ContentTrust, Confirmation and DryRun replace
	// what the server declares. An effect without a risk has its usual risk. A
	// class is never lower than the effect and the declared side effects imply; an
	// effect without a class gets the class that they imply.
	Risk          risk.Level            `json:"risk,omitzero"`
	Effect        risk.Effect           `json:"effect,omitzero"`
	Reversibility risk.Reversibility    `json:"reversibility,omitzero"`
	ContentTrust  trust.Level           `json:"contentTrust,omitzero"`
	Confirmation  contract.Confirmation `json:"confirmation,omitzero"`
	// DryRun can only be none, because a gateway cannot give a tool a dry run.
	// It accepts that a tool no longer has one.
	DryRun dryrun.Mode `json:"dryRun,omitzero"`
	// Idempotency is the mode. With managed or keyed, the gateway's guard
	// deduplicates calls, even to a server that knows nothing about it.
	Idempotency idempotency.Mode `json:"idempotency,omitzero"`
	// KeyFields are the arguments that identify a managed call. Empty: all of
	// them.
	KeyFields []string `json:"keyFields,omitempty"`
	// Permissions are those that a caller of the gateway needs. An empty list
	// means that none are needed; nil overrides nothing.
	Permissions []string `json:"permissions,omitzero"`
	// RateLimit bounds the calls of one principal at the gateway.
	RateLimit *contract.RateLimit `json:"rateLimit,omitempty"`
	// Timeout bounds a call. It is written in whole milliseconds. Zero
	// overrides nothing.
	Timeout time.Duration `json:"timeoutMs,omitempty"`
	// AuditEvent is the name in the gateway's audit log.
	AuditEvent string `json:"auditEvent,omitempty"`
	// Version replaces the version of the contract.
	Version string `json:"version,omitempty"`
	// Title and Description replace the texts that people and models read.
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// InputSchema replaces the schema of the arguments, for example with one
	// that allows less.
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	// Digest accepts the definition with this [Entry.Digest] and pins it: if the
	// server lists another one, the tool is quarantined.
	Digest string `json:"digest,omitempty"`
}

type plainOverride Override

// MarshalJSON writes the timeout in milliseconds.
func (o Override) MarshalJSON() ([]byte, error) {
	o.Timeout /= time.Millisecond
	return json.Marshal(plainOverride(o))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (o *Override) UnmarshalJSON(data []byte) error {
	var plain plainOverride
	if err := strictjson.Unmarshal(data, &plain); err != nil {
		return err
	}
	const most = math.MaxInt64 / int64(time.Millisecond)
	plain.Timeout = time.Duration(min(max(int64(plain.Timeout), -most), most) * int64(time.Millisecond))
	*o = Override(plain)
	return nil
}

// of returns the override of a tool, and false if there is none.
func (o Overrides) of(server, tool string) (Override, bool) {
	s := o.Servers[server]
	one, ok := s.Tools[tool]
	switch {
	case s.AllTools == nil:
		return one, ok
	case !ok:
		return *s.AllTools, true
	}
	return one.over(*s.AllTools), true
}

// over returns o with the members of base where o has none.
func (o Override) over(base Override) Override {
	if o.Idempotency == 0 { // the key fields are those of the mode
		o.KeyFields = nil
	} else {
		base.KeyFields = nil
	}
	to := reflect.ValueOf(&o).Elem()
	from := reflect.ValueOf(base)
	for i := range to.NumField() {
		if to.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return o
}

// facts returns the facts that o sets.
func (o Override) facts(origin string) *layer {
	l := newLayer()
	d := contract.Document{
		Risk: o.Risk, Effect: o.Effect, Reversibility: o.Reversibility, ContentTrust: o.ContentTrust, Confirmation: o.Confirmation,
		DryRun: o.DryRun, Permissions: o.Permissions, Version: o.Version,
	}
	if o.Idempotency.IsValid() {
		d.Idempotency = &contract.Idempotency{Mode: o.Idempotency, KeyFields: o.KeyFields}
	}
	if o.Veto {
		d.Risk = risk.Forbidden
	}
	for _, kind := range factKinds {
		if kind.text(d) != "" || kind.name == factPermissions && o.Permissions != nil {
			l.take(kind.name, d, origin)
		}
	}
	return l
}
