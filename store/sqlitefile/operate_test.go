package sqlitefile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcontract/toolcontract/store/sqlitefile"
)

func TestOperate_WorksOnTheStateAndTheNamespaceOfTheServer(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	log := filepath.Join(t.TempDir(), "audit.jsonl")
	process(t, path, echo).Call("visits.book", slot(1))
	operate := func(path string, args ...string) (status int, stdout, stderr string) {
		var out, errs bytes.Buffer
		status = sqlitefile.Operate("desk", path, args, &out, &errs)
		return status, out.String(), errs.String()
	}
	status, stdout, stderr := operate(path, "forget", "-audit", log, "-issuer", "test", "-principal", "ada")
	assert.Zero(t, status, stderr)
	assert.Equal(t, "records removed: 1\n", stdout)
	status, _, stderr = operate(path, "rotate", "-audit", log)
	assert.Zero(t, status, stderr)
	status, _, stderr = operate(path, "backup", path+".copy")
	assert.Zero(t, status, stderr)
	assert.FileExists(t, path+".copy.keys")
	status, _, stderr = operate("", "show", path+".copy")
	assert.Zero(t, status, stderr)

	// A lost key file is the case in which no server can open the state.
	assert.NoError(t, os.Remove(path+".keys"))
	status, _, stderr = operate(path, "rotate", "-audit", log)
	assert.Zero(t, status, stderr)
	assert.FileExists(t, path+".keys")
}
