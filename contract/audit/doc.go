// Package audit is the record of what became of each call: the event, and the sinks that keep it.
//
//	g, err := guard.New(guard.WithAudit(audit.Slog(logger)))
//
// A call leaves one [Terminal] event, whatever ended it. Before it there may be an [Intent], written
// before a call whose risk demands that no run goes unrecorded, and an [Asked] for each question put to
// a person; after it a [Late], where the handler ended when the caller had its answer already. All of a
// call share a call id.
//
// # Guarantees
//
// The names of an event's members in JSON are stable. An event holds no argument and no result, but the
// digest of the arguments; what it names of the caller comes from whoever authenticated it.
//
// # Deviations and limits
//
// Strings in an event may have been chosen by the caller, such as the name of an unknown tool. JSON
// escapes them; a sink with another form must. [Slog] does.
package audit
