package audit

import (
	"context"
	"errors"
	"log/slog"
)

var errLevelDisabled = errors.New("audit: logger drops events of this level")

// Slog returns a sink that writes each event as one log record with the message
// "audit". A nil logger means [slog.Default] at the time of each event.
//
// The record has the event's time. Its attributes are the other members of the
// event, named and ordered as in JSON, without empty ones. Its level is Warn
// for a refusal, a failure, an outcome that could not be recorded, and a broken
// clause that is audited but not enforced. Otherwise it is Info.
//
// An event is as durable as the logger's handler makes it. Write returns the
// handler's error. If the logger's level drops the event, Write returns an
// error, because the event is lost: use a logger that passes Info.
//
// A value that does not print on one line, or that starts with a quotation
// mark, is quoted with [strconv.Quote]. So no caller can forge a line or
// control a terminal, whatever the handler does. A handler that does not quote
// values with spaces lets a caller forge an attribute within the line;
// log/slog's handlers quote them.
//
// The sink is safe for concurrent use. Write takes as long as the handler does,
// and passes it the context.
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
	// A Logger would discard the errors of its handler.
	handler := logger.Handler()
	if !handler.Enabled(ctx, level) {
		return errLevelDisabled
	}
	record := slog.NewRecord(e.Time.UTC(), level, "audit", 0)
	record.AddAttrs(attributes(e)...)
	return handler.Handle(ctx, record)
}

// attributes returns the members of the event except its time.
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
	text("event", string(e.Kind))
	text("callId", e.CallID)
	text("tool", e.Tool)
	text("auditEvent", e.AuditEvent)
	if e.Risk != 0 {
		text("risk", e.Risk.String())
	}
	if e.Effect != 0 {
		text("effect", e.Effect.String())
	}
	text("confirmation", e.Confirmation)
	list("permissions", e.Permissions)
	text("version", e.Version)
	text("contractDigest", e.ContractDigest)
	text("argumentsDigest", e.ArgumentsDigest)
	text("lookupKey", e.LookupKey)
	text("operationId", e.OperationID)
	text("issuer", e.Issuer)
	text("tenant", e.Tenant)
	text("principal", e.Principal)
	attrs = append(attrs, slog.Bool("agent", e.Agent))
	text("decision", string(e.Decision))
	text("stage", e.Stage)
	text("status", e.Status)
	text("code", e.Code)
	text("class", e.Class)
	text("error", e.Error)
	if e.NotPersisted {
		attrs = append(attrs, slog.Bool("notPersisted", true))
	}
	list("auditOnly", e.AuditOnly)
	list("removed", e.Removed)
	if e.hasDuration() {
		attrs = append(attrs, slog.Int64("durationMs", e.durationMs()))
	}
	return attrs
}
