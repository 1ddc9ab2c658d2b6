package contracttest

import (
	"bytes"
	"os"
)

// afterConflict says, where the file at path holds a merge conflict, how to get out of it; else it is "".
func afterConflict(path, wayOut string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range bytes.Lines(data) {
		if bytes.HasPrefix(line, []byte("<<<<<<< ")) {
			return "; it holds a merge conflict: " + wayOut
		}
	}
	return ""
}

const (
	// The other branch's contracts are what the next ones are held to: a version that both raised is raised once more.
	snapshotWayOut = "take the whole file of the branch that you merge into, then record what yours adds with " + UpdateEnv + "=1 go test"
	reasonsWayOut  = "keep the entries of both sides, then run " + UpdateEnv + "=1 go test, which removes those that match nothing"
)
