package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/risk"
)

func ExampleSlog() {
	sink := audit.Slog(slog.New(slog.NewTextHandler(os.Stdout, nil)))
	err := sink.Write(context.Background(), audit.Event{
		Time: time.Date(2026, 11, 21, 1, 40, 0, 0, time.UTC), Kind: audit.Terminal, CallID: "c1",
		Tool: "emails.send_external", Risk: risk.Critical, Principal: "bob", Agent: true,
		Decision: audit.Deny, Stage: "admit", Status: "error", Code: "permission_denied", Class: "fatal",
		Duration: 3 * time.Millisecond,
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// time=2026-11-21T01:40:00.000Z level=WARN msg=audit event=terminal callId=c1 tool=emails.send_external risk=critical principal=bob agent=true decision=deny stage=admit status=error code=permission_denied class=fatal durationMs=3
}

// recorder is a handler that stores records without quoting anything.
type recorder struct {
	slog.Handler
	min     slog.Level
	err     error
	records []slog.Record
}

func (r *recorder) Enabled(_ context.Context, l slog.Level) bool { return l >= r.min }

func (r *recorder) Handle(_ context.Context, record slog.Record) error {
	r.records = append(r.records, record)
	return r.err
}

// attributes are a record's keys and values, in order.
func attributes(record slog.Record) (keys []string, values map[string]any) {
	values = map[string]any{}
	record.Attrs(func(a slog.Attr) bool {
		keys = append(keys, a.Key)
		values[a.Key] = a.Value.Any()
		return true
	})
	return keys, values
}

func TestSlogWritesTheMembersInTheirOrder(t *testing.T) {
	t.Parallel()
	handler := &recorder{}
	require.NoError(t, audit.Slog(slog.New(handler)).Write(t.Context(), fullEvent()))
	require.Len(t, handler.records, 1)
	record := handler.records[0]
	assert.Equal(t, fullEvent().Time, record.Time)
	assert.Equal(t, "audit", record.Message)

	keys, values := attributes(record)
	line, err := json.Marshal(fullEvent())
	require.NoError(t, err)
	var members map[string]any
	require.NoError(t, json.Unmarshal(line, &members))
	delete(members, "time")
	require.Len(t, keys, len(members))
	at := -1
	for _, key := range keys {
		next := bytes.Index(line, []byte(`"`+key+`":`))
		assert.Greater(t, next, at, "%s stands where it stands in JSON", key)
		at = next
		assert.Equal(t, fmt.Sprint(members[key]), fmt.Sprint(values[key]), key)
	}
}

func TestSlogLeavesEmptyMembersOut(t *testing.T) {
	t.Parallel()
	handler := &recorder{}
	event := audit.Event{Time: time.Date(2026, 11, 21, 2, 40, 0, 0, time.FixedZone("CET", 3600)), Kind: audit.Intent}
	require.NoError(t, audit.Slog(slog.New(handler)).Write(t.Context(), event))
	keys, values := attributes(handler.records[0])
	assert.Equal(t, []string{"event", "agent"}, keys)
	assert.Equal(t, event.Time.UTC(), handler.records[0].Time)
	assert.Equal(t, false, values["agent"])
}

func TestSlogLevels(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		event audit.Event
		want  slog.Level
	}{
		{"an intent", audit.Event{Kind: audit.Intent, Decision: audit.Allow}, slog.LevelInfo},
		{"a success", audit.Event{Kind: audit.Terminal, Decision: audit.Allow, Status: "ok"}, slog.LevelInfo},
		{"a question", audit.Event{Kind: audit.Asked, Decision: audit.Ask, Status: "asked"}, slog.LevelInfo},
		{"a replay of a success", audit.Event{Kind: audit.Terminal, Decision: audit.Replay, Status: "replayed"}, slog.LevelInfo},
		{"a dry run", audit.Event{Kind: audit.Terminal, Decision: audit.DryRun, Status: "dry-run"}, slog.LevelInfo},
		{"a denial", audit.Event{Kind: audit.Terminal, Decision: audit.Deny}, slog.LevelWarn},
		{"a failure", audit.Event{Kind: audit.Terminal, Decision: audit.Allow, Status: "error"}, slog.LevelWarn},
		{
			"a replay of a failure", audit.Event{Kind: audit.Terminal, Decision: audit.Replay, Status: "replayed", Code: "relay_down"},
			slog.LevelWarn,
		},
		{"an error text", audit.Event{Kind: audit.Late, Error: "disk full"}, slog.LevelWarn},
		{
			"a clause that was not kept", audit.Event{Kind: audit.Terminal, Status: "ok", AuditOnly: []string{"rateLimit"}},
			slog.LevelWarn,
		},
		{"a success that was not recorded", audit.Event{Kind: audit.Terminal, Status: "ok", NotPersisted: true}, slog.LevelWarn},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			handler := &recorder{}
			require.NoError(t, audit.Slog(slog.New(handler)).Write(t.Context(), tt.event))
			assert.Equal(t, tt.want, handler.records[0].Level)
		})
	}
}

func TestSlogReturnsAnErrorIfTheEventIsLost(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	broken := &recorder{err: full}
	assert.ErrorIs(t, audit.Slog(slog.New(broken)).Write(t.Context(), fullEvent()), full)

	deaf := &recorder{min: slog.LevelWarn}
	sink := audit.Slog(slog.New(deaf))
	assert.ErrorIs(t, sink.Write(t.Context(), audit.Event{Kind: audit.Intent}), audit.ErrLevelDisabled)
	assert.Empty(t, deaf.records)
	assert.NoError(t, sink.Write(t.Context(), audit.Event{Kind: audit.Terminal, Decision: audit.Deny}))
	assert.Len(t, deaf.records, 1)

	assert.ErrorIs(t, audit.Slog(slog.New(slog.DiscardHandler)).Write(t.Context(), fullEvent()), audit.ErrLevelDisabled)
}

func TestSlogWithoutALoggerUsesTheCurrentDefault(t *testing.T) {
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	sink := audit.Slog(nil)
	for range 2 {
		handler := &recorder{}
		slog.SetDefault(slog.New(handler))
		require.NoError(t, sink.Write(t.Context(), fullEvent()))
		assert.Len(t, handler.records, 1)
	}
}

// hostileEvent has text that forges a line, controls a terminal or hides text
// in every member that a caller may choose.
func hostileEvent() audit.Event {
	const hostile = "x\r\ntime=2026-01-01T00:00:00Z level=INFO msg=audit decision=allow\x1b[2K\u009b1A\u0085\u2028\u202e\x7f\xff"
	event := fullEvent()
	event.Tool, event.Principal, event.Issuer, event.Tenant, event.Error = hostile, hostile, hostile, hostile, hostile
	event.CallID, event.Version, event.Code, event.Stage = hostile, hostile, hostile, hostile
	event.AuditOnly = []string{hostile}
	return event
}

// plainHandler writes values unquoted, like many handlers outside log/slog.
type plainHandler struct {
	recorder
	w io.Writer
}

func (h *plainHandler) Handle(_ context.Context, record slog.Record) error {
	fmt.Fprintf(h.w, "%s %s", record.Level, record.Message)
	record.Attrs(func(a slog.Attr) bool {
		fmt.Fprintf(h.w, " %s=%v", a.Key, a.Value)
		return true
	})
	_, err := fmt.Fprintln(h.w)
	return err
}

func TestThreat93_NoCallerForgesALine(t *testing.T) {
	t.Parallel()
	handlers := map[string]func(io.Writer) slog.Handler{
		"text":     func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) },
		"JSON":     func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) },
		"unquoted": func(w io.Writer) slog.Handler { return &plainHandler{w: w} },
	}
	for name, handler := range handlers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			require.NoError(t, audit.Slog(slog.New(handler(&out))).Write(t.Context(), hostileEvent()))
			line, rest, ended := strings.Cut(out.String(), "\n")
			assert.True(t, ended)
			assert.Empty(t, rest, "one event is one line")
			for _, r := range line {
				assert.True(t, unicode.IsGraphic(r), "%U is in the log", r)
			}
			assert.NotContains(t, line, "\uFFFD", "no byte is lost")
		})
	}
}

func TestSlogQuotesWithoutAmbiguity(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, value, want string }{
		{"a plain text", "no such grant", "no such grant"},
		{"letters of other scripts", "Zoë 東京 👍", "Zoë 東京 👍"},
		{"a quotation mark inside", `say "hi"`, `say "hi"`},
		{"a backslash", `a\nb`, `a\nb`},
		{"a line feed", "a\nb", `"a\nb"`},
		{"what looks like a quoted line feed", `"a\nb"`, `"\"a\\nb\""`},
		{"invalid UTF-8", "a\xffb", `"a\xffb"`},
		{"an override", "a\u202eb", `"a\u202eb"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			handler := &recorder{}
			event := audit.Event{Kind: audit.Terminal, Error: tt.value}
			require.NoError(t, audit.Slog(slog.New(handler)).Write(t.Context(), event))
			_, values := attributes(handler.records[0])
			assert.Equal(t, tt.want, values["error"])
		})
	}
}

func TestSlogIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	sink := audit.Slog(slog.New(slog.NewJSONHandler(&out, nil)))
	var writers sync.WaitGroup
	for range 50 {
		writers.Go(func() { assert.NoError(t, sink.Write(context.Background(), fullEvent())) })
	}
	writers.Wait()
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	assert.Len(t, lines, 50)
	for _, line := range lines {
		assert.True(t, json.Valid([]byte(line)))
	}
}
