package folder

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// open returns a folder and its path, below a folder of the test's own.
func open(t *testing.T) (*Folder, string) {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "root"), false)
}

func openAt(t *testing.T, dir string, full bool) (*Folder, string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o755))
	f, err := Open(dir, full)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, f.Close()) })
	return f, dir
}

// put writes a file without the tools.
func put(t testing.TB, content string, path ...string) {
	t.Helper()
	at := filepath.Join(path...)
	require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
	require.NoError(t, os.WriteFile(at, []byte(content), 0o600))
}

// names returns all names below dir, including hidden ones.
func names(t *testing.T, dir string) []string {
	t.Helper()
	all := []string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if path != dir {
			name, _ := filepath.Rel(dir, path)
			all = append(all, filepath.ToSlash(name))
		}
		return err
	}))
	return all
}

func TestTools_DeclareTheirContracts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		risk       risk.Level
		effect     risk.Effect
		trust      trust.Level
		permission string
		hints      contract.Hints
		codes      map[string]contract.Class
	}{
		{"files.list", risk.Low, risk.ReadOnly, trust.Untrusted, "files:read",
			contract.Hints{ReadOnly: true, Idempotent: true, OpenWorld: true}, map[string]contract.Class{
				"invalid_path": contract.ClassRetryable, "not_found": contract.ClassRetryable, "storage_unavailable": contract.ClassFatal,
			}},
		{"files.read", risk.Low, risk.ReadOnly, trust.Untrusted, "files:read",
			contract.Hints{ReadOnly: true, Idempotent: true, OpenWorld: true}, map[string]contract.Class{
				"invalid_path": contract.ClassRetryable, "not_found": contract.ClassRetryable, "not_text": contract.ClassRetryable,
				"too_large": contract.ClassRetryable, "storage_unavailable": contract.ClassFatal,
			}},
		{"files.write", risk.High, risk.HighRiskWrite, trust.Trusted, "files:write",
			contract.Hints{Destructive: true, Idempotent: true}, map[string]contract.Class{
				"invalid_path": contract.ClassRetryable, "already_exists": contract.ClassRetryable,
				"too_large": contract.ClassRetryable, "storage_unavailable": contract.ClassFatal,
			}},
	}
	f, _ := open(t)
	tools, err := f.Tools()
	require.NoError(t, err)
	require.Len(t, tools, len(tests))
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			doc := tools[i].Document()
			assert.Equal(t, tt.name, doc.Name)
			assert.Equal(t, tt.risk, doc.Risk)
			assert.Equal(t, tt.effect, doc.Effect)
			assert.Equal(t, tt.trust, doc.ContentTrust)
			assert.Equal(t, contract.ConfirmationNever, doc.Confirmation)
			assert.Equal(t, []string{tt.permission}, doc.Permissions)
			assert.Equal(t, tt.hints, doc.Hints())
			codes := map[string]contract.Class{}
			for _, mode := range doc.FailureModes {
				if mode.By == contract.ByTool {
					codes[mode.Code] = mode.Class
				}
			}
			assert.Equal(t, tt.codes, codes)
		})
	}
	write := tools[2].Document()
	assert.Equal(t, idempotency.Native, write.Idempotency.Mode)
	assert.Len(t, write.SideEffects, 2)
}

func TestOpen_NeedsAnExistingFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, "x", dir, "file")
	for _, path := range []string{"", filepath.Join(dir, "none"), filepath.Join(dir, "file")} {
		_, err := Open(path, false)
		assert.Error(t, err, path)
	}
}

func TestClose_MakesCallsUnavailable(t *testing.T) {
	t.Parallel()
	f, err := Open(t.TempDir(), false)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	_, err = f.write(t.Context(), WriteInput{Path: "a"})
	assert.ErrorIs(t, err, ErrStorageUnavailable)
	_, err = f.read(t.Context(), ReadInput{Path: "a"})
	assert.ErrorIs(t, err, ErrStorageUnavailable)
	_, err = f.list(t.Context(), ListInput{})
	assert.ErrorIs(t, err, ErrStorageUnavailable)
}
