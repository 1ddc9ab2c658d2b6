// Command toolcontract checks the audit logs and the contract snapshots of
// servers, and lists the contracts of a running server.
//
//	toolcontract verify-audit FILE       check the chain of an audit log
//	toolcontract verify-audit DIR        check all logs in a folder
//	toolcontract diff OLD NEW            compare two snapshots
//	toolcontract check SNAPSHOT          check the contracts of a snapshot
//	toolcontract inspect URL             list the contracts of a server over HTTP
//	toolcontract inspect -- COMMAND …    list the contracts of a server over stdio
//
// Run it without installing:
//
//	go run github.com/toolcontract/toolcontract/contract/cmd/toolcontract diff old.json new.json
//
// Every command takes -json, which prints one JSON value instead of text, and
// -h. Flags may stand before or after the other arguments.
//
// The exit status is 0 if no problem was found. It is 1 if the log is broken,
// or a finding is an error. For diff, it is 1 if the new snapshot may break
// callers, raises a version by less than its changes require, or has a weaker
// protection that -allow-downgrade NAME=reason does not accept. It is 2 if the
// command could not do its work, because of wrong arguments, a file that cannot
// be read, or a server that does not answer.
package main
