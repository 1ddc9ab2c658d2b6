package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/risk"
)

// event returns an event with every member set, so that the suite notices a
// lost one.
func event(kind audit.Kind, callID string) audit.Event {
	return audit.Event{
		Time: time.Date(2026, 11, 21, 1, 40, 0, 123456789, time.UTC), Kind: kind, CallID: callID,
		Tool: "emails.send_external", AuditEvent: "email.external.sent",
		Risk: risk.Critical, Effect: risk.ExternalPublication,
		Confirmation: "always", Permissions: []string{"emails:send", "contacts:read"}, Version: "1.0.0",
		ContractDigest: "sha256:aa", ArgumentsDigest: "hmac-sha256:bb", LookupKey: "sha256:cc",
		OperationID: "op_dd",
		Issuer:      "https://issuer.example", Tenant: "acme", Principal: "bob", Agent: true, Decision: audit.Deny,
		Stage: "admit", Status: "error", Code: "permission_denied", Class: "fatal", Error: "no such grant",
		NotPersisted: true, AuditOnly: []string{"permissions", "rateLimit"}, Removed: []string{"/content/0: control"},
		Duration: 1500 * time.Microsecond,
	}
}

// kinds returns every kind of event.
func kinds() []audit.Kind {
	return []audit.Kind{audit.Intent, audit.Asked, audit.Decided, audit.Terminal, audit.Late, audit.Found}
}

// forgedLine is how a forged line begins.
const forgedLine = "forged line "

// hostile returns an event whose strings try to forge a line, control the
// terminal and hide text.
func hostile(callID string) audit.Event {
	const text = "x\r\n" + forgedLine + "\x1b[2K\u009b1A\u0085\u2028" + forgedLine + "\u202e\u200b\x7f\xff\x00"
	e := event(audit.Terminal, callID)
	for _, s := range []*string{
		&e.Tool, &e.AuditEvent, &e.Confirmation, &e.Version, &e.ContractDigest, &e.ArgumentsDigest, &e.LookupKey,
		&e.OperationID, &e.Issuer, &e.Tenant, &e.Principal, &e.Stage, &e.Status, &e.Code, &e.Class, &e.Error,
	} {
		*s = text
	}
	e.AuditOnly, e.Permissions, e.Removed = []string{text, text}, []string{text}, []string{text}
	return e
}

// id returns the call ID of a goroutine's n-th event.
func id(writer, n int) string { return fmt.Sprintf("storetest-%d-%d", writer, n) }

// same reports whether two events have the same JSON: in UTC, to the
// millisecond.
func same(a, b audit.Event) bool {
	left, err := a.MarshalJSON()
	if err != nil {
		return false
	}
	right, err := b.MarshalJSON()
	return err == nil && string(left) == string(right)
}

// calls returns the call IDs that begin with prefix.
func calls(events []audit.Event, prefix string) []string {
	var ids []string
	for _, e := range events {
		if strings.HasPrefix(e.CallID, prefix) {
			ids = append(ids, e.CallID)
		}
	}
	return ids
}
