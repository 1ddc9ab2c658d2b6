package audit

import (
	"context"
	"errors"
	"log/slog"
)

// ErrLevelDisabled is returned by the sink of [Slog] for an event whose level the logger drops.
var ErrLevelDisabled = errors.New("audit: logger drops events of this level")

// Slog returns a sink that writes each event as one record of the logger, with the message "audit". A nil
// logger is [slog.Default] at the time of each event.
//
// The record's time is the event's. Its attributes are the other members of the event by their names in
// JSON, in the same order, empty ones left out. Its level is Warn for a refusal, a failure, an outcome that
// could not be recorded, or a clause that was not kept, else Info.
//
// An event is as durable as the logger's handler makes it, and an error of the handler is returned. A
// logger whose level drops an event keeps nothing, so that this is an error too, [ErrLevelDisabled]: give
// the audit a logger that lets Info pass.
//
// A value that cannot be printed on one line as it is, or that starts with a quotation mark, is written
// as [strconv.Quote] writes it, so that no caller can forge a line or drive a terminal, whatever the
// handler does. A handler that does not quote values with blanks still lets a caller forge an attribute
// within the line; those of log/slog do quote.
//
// The sink is safe for concurrent use. Write takes as long as the handler, which is given the context.
func Slog(logger *slog.Logger) Sink { return slogSink{logger} }

type slogSink struct{ logger *slog.Logger }

func (s slogSink) Write(ctx context.Context, e Event) error {
	logger := s.logger
	if logger == nil {
		logger = slog.Default()
	}
	level := slog.LevelInfo
	if e.isTrouble() {
		level = slog.LevelWarn
	}
	// The handler is called directly, for a Logger swallows its errors.
	handler := logger.Handler()
	if !handler.Enabled(ctx, level) {
		return ErrLevelDisabled
	}
	record := slog.NewRecord(e.Time.UTC(), level, "audit", 0)
	record.AddAttrs(attributes(e)...)
	return handler.Handle(ctx, record)
}

// attributes are the members of the event but its time.
func attributes(e Event) []slog.Attr {
	attrs := make([]slog.Attr, 0, 25)
	text := func(key, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(key, oneLine(value)))
		}
	}
	list := func(key string, values []string) {
		if len(values) == 0 {
			return
		}
		lines := make([]string, len(values))
		for i, value := range values {
			lines[i] = oneLine(value)
		}
		attrs = append(attrs, slog.Any(key, lines))
	}
	if e.Kind != UndeclaredKind {
		text("event", e.Kind.String())
	}
	text("callId", e.CallID)
	text("tool", e.Tool)
	text("auditEvent", e.AuditEvent)
	if !e.Risk.IsZero() {
		text("risk", e.Risk.String())
	}
	if !e.Effect.IsZero() {
		text("effect", e.Effect.String())
	}
	text("confirmation", e.Confirmation)
	list("permissions", e.Permissions)
	text("version", e.Version)
	text("contractDigest", e.ContractDigest)
	text("argumentsDigest", e.ArgumentsDigest)
	text("lookupKey", e.LookupKey)
	text("issuer", e.Issuer)
	text("tenant", e.Tenant)
	text("principal", e.Principal)
	attrs = append(attrs, slog.Bool("agent", e.Agent))
	if !e.Decision.IsZero() {
		text("decision", e.Decision.String())
	}
	text("stage", e.Stage)
	text("status", e.Status)
	text("code", e.Code)
	text("class", e.Class)
	text("error", e.Error)
	if e.NotPersisted {
		attrs = append(attrs, slog.Bool("notPersisted", true))
	}
	list("auditOnly", e.AuditOnly)
	if e.hasDuration() {
		attrs = append(attrs, slog.Int64("durationMs", e.durationMs()))
	}
	return attrs
}
