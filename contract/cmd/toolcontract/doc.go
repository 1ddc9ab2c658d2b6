// Command toolcontract reads what servers with contracts leave behind or
// publish: audit logs, snapshots and tools/list.
//
//	toolcontract verify-audit FILE       check the chain of an audit log
//	toolcontract diff OLD NEW            compare two snapshots
//	toolcontract check SNAPSHOT          find what the contracts of a snapshot lack
//	toolcontract inspect URL             list the contracts of a server over HTTP
//	toolcontract inspect -- COMMAND …    list those of a server over stdio
//
// Run it without installing:
//
//	go run github.com/toolcontract/toolcontract/contract/cmd/toolcontract diff old.json new.json
//
// Every command takes -json, which prints one JSON value instead of text, and
// -h. Flags may stand before or after the other arguments.
//
// The exit status is 0 if all is well, and 1 if it is not: the log is broken,
// the new snapshot may break callers, or a finding is an error. It is 2 if the
// command could not do its work, because of wrong arguments, a file that cannot
// be read, or a server that does not answer.
package main
