package contracttest

import (
	"bytes"
	"os"
)

// afterConflict returns advice if the file at path has a merge conflict, or "".
func afterConflict(path, wayOut string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range bytes.Lines(data) {
		if bytes.HasPrefix(line, []byte("<<<<<<< ")) {
			return "; it has a merge conflict: " + wayOut
		}
	}
	return ""
}

const (
	// The next contracts are compared with those of the other branch. If both
	// branches raised a version, it is raised once more.
	snapshotWayOut = "take the whole file of the branch that you merge into, then record the changes of your branch with " +
		updateEnv + "=1 go test"
	reasonsWayOut = "keep the entries of both sides, then run " + updateEnv + "=1 go test, which removes those that match nothing"
)
