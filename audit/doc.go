// Package audit records what happened to each call. It defines the event and
// the sinks that events are written to, and verifies log files.
//
//	g, err := guard.New(guard.WithAudit(audit.Slog(logger)))
//
// Every call leaves one [Terminal] event, whatever ended it. Other events of a
// call share its call ID:
//
//   - [Intent] precedes a call whose risk requires that no run goes unrecorded.
//   - [Asked] records each question to a person.
//   - [Late] follows a handler that returned after its caller had been
//     answered.
//
// [Slog] writes events to a logger. [OpenFile] writes them to a dedicated file,
// and [OpenFolder] to a file in a folder that several processes share. [Verify]
// and [VerifyFolder] later report whether anything in the files was changed:
//
//	sink, err := audit.OpenFile("audit.jsonl")
//	...
//	g, err := guard.New(guard.WithAudit(sink)) // close g first, then sink
//
// # The file
//
// A log consists of lines. Each is the JSON of one [Event] with two more
// members at the end. prev is the hash of the record before it, or 64 zeros for
// the first. hash is the SHA-256 of the line without that last member, in
// lower-case hexadecimal. To hash line 7 by hand:
//
//	sed -n 7p audit.jsonl | sed 's/,"hash":"[0-9a-f]*"}$/}/' | tr -d '\n' | sha256sum
//
// A process that is killed while writing, or a full disk, leaves only the
// beginning of a record, whose Write did not return nil. That torn record stays
// in the file as a line. The hash of the next record covers the torn lines,
// with their line breaks, and the record.
//
// [OpenFolder] writes a file for each process. The prev of its first record is
// the hash of a record in an older file of the folder, if there is one.
//
// # Guarantees
//
// The JSON names of an event's members are stable. An event contains neither
// arguments nor results, only the digest of the arguments. Its data about the
// caller comes from the principal function.
//
// If a record is changed, removed, repeated, moved or inserted, [Verify] names
// the line, unless every later hash was recomputed. An event for which Write
// returned nil is in the file, and an [Intent] is on the disk.
//
// # Deviations and limits
//
// A file's chain has no key. A process that can write the file can cut off its
// end or rewrite all of it, and only a head stored elsewhere reveals that.
// Store [FileSink.Head] out of the server's reach. Zeros that some file systems
// leave in a file after a power loss count as a broken line.
//
// Some strings in an event may be chosen by the caller, such as the name of an
// unknown tool. JSON escapes them, and so does [Slog]; any other sink must too.
package audit
