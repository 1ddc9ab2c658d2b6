package audit_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/risk"
)

// fullEvent is an event with every field set.
func fullEvent() audit.Event {
	return audit.Event{
		Time:            time.Date(2026, 11, 21, 1, 40, 0, 123456789, time.UTC),
		Kind:            audit.Terminal,
		CallID:          "c1",
		Tool:            "emails.send_external",
		AuditEvent:      "email.external.sent",
		Risk:            risk.Critical,
		Effect:          risk.ExternalPublication,
		Confirmation:    "always",
		Permissions:     []string{"emails:send", "contacts:read"},
		Version:         "1.0.0",
		ContractDigest:  "sha256:aa",
		ArgumentsDigest: "hmac:bb",
		LookupKey:       "sha256:cc",
		OperationID:     "op_dd",
		Issuer:          "https://issuer.example",
		Tenant:          "acme",
		Principal:       "bob",
		Agent:           true,
		Decision:        audit.Deny,
		Stage:           "admit",
		Status:          "error",
		Code:            "permission_denied",
		Class:           "fatal",
		Error:           "no such grant",
		NotPersisted:    true,
		AuditOnly:       []string{"permissions", "rateLimit"},
		Removed:         []string{"/content/0: control"},
		Duration:        1500 * time.Microsecond,
	}
}

func TestEventHasTheMembersOfTheAuditLogInOrder(t *testing.T) {
	t.Parallel()
	event := reflect.ValueOf(fullEvent())
	for i := range event.NumField() {
		require.False(t, event.Field(i).IsZero(), "the test sets %s", event.Type().Field(i).Name)
	}
	line, err := json.Marshal(fullEvent())
	require.NoError(t, err)
	assert.Equal(t, `{"time":"2026-11-21T01:40:00.123456789Z","event":"terminal","callId":"c1",`+
		`"tool":"emails.send_external","auditEvent":"email.external.sent","risk":"critical","effect":"external-publication",`+
		`"confirmation":"always","permissions":["emails:send","contacts:read"],"version":"1.0.0",`+
		`"contractDigest":"sha256:aa","argumentsDigest":"hmac:bb","lookupKey":"sha256:cc","operationId":"op_dd",`+
		`"issuer":"https://issuer.example","tenant":"acme","principal":"bob","agent":true,"decision":"deny",`+
		`"stage":"admit","status":"error","code":"permission_denied","class":"fatal","error":"no such grant",`+
		`"notPersisted":true,"auditOnly":["permissions","rateLimit"],"removed":["/content/0: control"],"durationMs":1}`, string(line))
}

func TestEventLeavesEmptyMembersOut(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 2, 40, 0, 0, time.FixedZone("CET", 3600))
	tests := []struct {
		name  string
		event audit.Event
		want  string
	}{
		{
			"an intent",
			audit.Event{Time: now, Kind: audit.Intent, Agent: true},
			`{"time":"2026-11-21T01:40:00Z","event":"intent","agent":true}`,
		},
		{
			"a false agent is written",
			audit.Event{Time: now, Kind: audit.Asked},
			`{"time":"2026-11-21T01:40:00Z","event":"asked","agent":false}`,
		},
		{
			"a terminal event always has a duration",
			audit.Event{Time: now, Kind: audit.Terminal, Duration: time.Microsecond},
			`{"time":"2026-11-21T01:40:00Z","event":"terminal","agent":false,"durationMs":0}`,
		},
		{
			"so has a late one, and a negative duration is none",
			audit.Event{Time: now, Kind: audit.Late, Duration: -time.Hour},
			`{"time":"2026-11-21T01:40:00Z","event":"late","agent":false,"durationMs":0}`,
		},
		{
			"a list of no clauses is empty",
			audit.Event{Time: now, Kind: audit.Intent, AuditOnly: []string{}, Permissions: []string{}},
			`{"time":"2026-11-21T01:40:00Z","event":"intent","agent":false}`,
		},
		{
			"another event has a known duration",
			audit.Event{Time: now, Kind: audit.Asked, Duration: time.Second},
			`{"time":"2026-11-21T01:40:00Z","event":"asked","agent":false,"durationMs":1000}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			line, err := json.Marshal(tt.event)
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(line))
		})
	}
}

func TestInvalidEventCannotBeMarshalled(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 1, 40, 0, 0, time.UTC)
	tests := map[string]audit.Event{
		"zero value":       {},
		"no time":          {Kind: audit.Intent},
		"no kind":          {Time: now},
		"unknown kind":     {Time: now, Kind: "gone"},
		"unknown risk":     {Time: now, Kind: audit.Intent, Risk: 9},
		"unknown effect":   {Time: now, Kind: audit.Intent, Effect: 99},
		"unknown decision": {Time: now, Kind: audit.Intent, Decision: "maybe"},
		"year 10000":       {Time: now.AddDate(8000, 0, 0), Kind: audit.Intent},
	}
	for name, event := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := json.Marshal(event)
			assert.Error(t, err)
		})
	}
}

func TestEventRoundTrip(t *testing.T) {
	t.Parallel()
	want := fullEvent()
	line, err := json.Marshal(want)
	require.NoError(t, err)
	var got audit.Event
	require.NoError(t, json.Unmarshal(line, &got))
	want.Duration = want.Duration.Truncate(time.Millisecond)
	assert.Equal(t, want, got)

	require.NoError(t, json.Unmarshal([]byte(`{"time":"2026-11-21T02:40:00+01:00","event":"late","agent":true,"hash":"x"}`), &got))
	assert.Equal(t, audit.Event{
		Time: time.Date(2026, 11, 21, 1, 40, 0, 0, time.UTC), Kind: audit.Late, Agent: true,
	}, got, "nothing is left of what the receiver held")
}

func TestMalformedEventLeavesTheReceiverUnchanged(t *testing.T) {
	t.Parallel()
	const time = `"time":"2026-11-21T01:40:00Z"`
	tests := map[string]string{
		"not JSON":          `{`,
		"null":              `null`,
		"an array":          `[]`,
		"no time":           `{"event":"intent"}`,
		"no kind":           `{` + time + `}`,
		"unknown kind":      `{` + time + `,"event":"hunter2"}`,
		"unknown decision":  `{` + time + `,"event":"intent","decision":"hunter2"}`,
		"unknown effect":    `{` + time + `,"event":"intent","effect":"hunter2"}`,
		"a clause alone":    `{` + time + `,"event":"intent","auditOnly":"hunter2"}`,
		"a clause of none":  `{` + time + `,"event":"intent","auditOnly":[1]}`,
		"unknown risk":      `{` + time + `,"event":"intent","risk":"hunter2"}`,
		"malformed time":    `{"time":"hunter2","event":"intent"}`,
		"time out of range": `{"time":"0000-01-01T00:00:00+01:00","event":"intent"}`,
		"wrong type":        `{` + time + `,"event":"intent","agent":"hunter2"}`,
		"fraction":          `{` + time + `,"event":"intent","durationMs":1.5}`,
		"negative duration": `{` + time + `,"event":"intent","durationMs":-1}`,
		"huge duration":     `{` + time + `,"event":"intent","durationMs":9223372036855}`,
	}
	for name, line := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := fullEvent()
			err := got.UnmarshalJSON([]byte(line))
			require.Error(t, err)
			assert.Equal(t, fullEvent(), got)
			assert.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestEventJSONCanBeShownOnATerminal(t *testing.T) {
	t.Parallel()
	event := audit.Event{Time: fullEvent().Time, Kind: audit.Terminal}
	event.Tool = "a\r\nb\x1b[31m\u009b\x7f\u202e\u2028\U000E0041é👍"
	line, err := json.Marshal(event)
	require.NoError(t, err)
	assert.Contains(t, string(line), `"tool":"a\r\nb\u001b[31m\u009b\u007f\u202e\u2028\udb40\udc41é👍"`)
	var got audit.Event
	require.NoError(t, json.Unmarshal(line, &got))
	assert.Equal(t, event.Tool, got.Tool)
}

// FuzzEventJSON checks that every event that can be read can be written, and is
// then read as the same event.
func FuzzEventJSON(f *testing.F) {
	line, err := json.Marshal(fullEvent())
	require.NoError(f, err)
	f.Add(line)
	f.Add([]byte(`{"time":"2026-11-21T01:40:00Z","event":"late","agent":true,"tool":"\u009b"}`))
	f.Add([]byte(`{"time":"2026-11-21T01:40:00Z","event":"late","effect":"read-only","auditOnly":[]}`))
	f.Add([]byte(`{"time":"2026-11-21T01:40:00Z","event":"late","auditOnly":[null,"\ud800"]}`))
	f.Add([]byte(`{"time":"0000-01-01T00:00:00Z","event":"intent","durationMs":9223372036854}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var event, again audit.Event
		if json.Unmarshal(line, &event) != nil {
			return
		}
		written, err := json.Marshal(event)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(written, &again))
		assert.Equal(t, event, again)
	})
}
