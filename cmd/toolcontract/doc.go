// Command toolcontract creates servers, runs them during development, calls
// their tools, checks their contracts and audit logs, and connects hosts to
// them. Without arguments it lists its commands. With -h, each command explains
// itself:
//
//	toolcontract init                    create a server in a folder
//	toolcontract dev -- COMMAND …        start a server again when it changes
//	toolcontract list -- COMMAND …       list the tools of a server
//	toolcontract call TOOL -- COMMAND …  call a tool as an agent does
//	toolcontract call -h                 explain the arguments of a command
//
// docs/command.md in the repository describes all of them.
//
// Run it without installing:
//
//	go run github.com/toolcontract/toolcontract/cmd/toolcontract diff old.json new.json
//
// Commands with a result take -json, which prints one JSON value instead of
// text. All take -h. Flags may come before or after the other arguments.
//
// The exit status is 0 if no problem was found. It is 1 if the log is broken,
// or a finding is an error. For diff, it is 1 if the new snapshot may break
// callers, raises a version by less than its changes require, or has a weaker
// protection that no flag accepts. For install and uninstall, it is 1 if a
// person has to make the change. For export, it is 1 if the directory would
// refuse the server, and for state forget if there is nothing to remove. It is
// 2 if the command could not do its work, because of wrong arguments, a file
// that cannot be read, or a server that does not answer.
package main
