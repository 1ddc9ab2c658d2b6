// Package audit is the record of what became of each call: the event, and the sinks that keep it.
//
//	g, err := guard.New(guard.WithAudit(audit.Slog(logger)))
//
// A call leaves one [Terminal] event, whatever ended it. Before it there may be an [Intent], written
// before a call whose risk demands that no run goes unrecorded, and an [Asked] for each question put to
// a person; after it a [Late], where the handler ended when the caller had its answer already. All of a
// call share a call id.
//
// [Slog] writes events to a logger. [OpenFile] keeps them in a file of its own, and [Verify] tells later
// whether anything in it was changed:
//
//	sink, err := audit.OpenFile("audit.jsonl")
//	...
//	g, err := guard.New(guard.WithAudit(sink)) // close g first, then sink
//
// # The file
//
// A log is a text of lines, each the JSON of one [Event] with two members more at its end: prev, the hash
// of the record before it, which is [Genesis] for the first, and hash, the SHA-256 of the line without
// that last member, in lower-case hexadecimal digits. Anybody can compute the hash of line 7:
//
//	sed -n 7p audit.jsonl | sed 's/,"hash":"[0-9a-f]*"}$/}/' | tr -d '\n' | sha256sum
//
// A process that is killed while it writes, or a full disk, leaves the beginning of a record. Nobody was
// told that such a record is kept. It stays where it is, as a line of its own, and the hash of the record
// that follows is that of the torn lines, with their line breaks, and the record.
//
// # Guarantees
//
// The names of an event's members in JSON are stable. An event holds no argument and no result, but the
// digest of the arguments; what it names of the caller comes from whoever authenticated it.
//
// No record of a file can be changed, removed, repeated, moved or put between others without [Verify]
// naming the line, but by somebody who computes every hash after it anew. An event that Write returned nil
// for is in the file, and an [Intent] is on the disk.
//
// # Deviations and limits
//
// The chain of a file has no key. Who can write the file can cut off its end, or write all of it anew,
// and only a head that was kept elsewhere shows it. Keep [FileSink.Head] where the server cannot write.
// Zeros that some file systems leave in a file after a loss of power count as a broken line.
//
// Strings in an event may have been chosen by the caller, such as the name of an unknown tool. JSON
// escapes them; a sink with another form must. [Slog] does.
package audit
