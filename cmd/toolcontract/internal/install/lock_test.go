package install

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestInstall_ConcurrentInstallsLoseNoEntry(t *testing.T) {
	t.Parallel()
	const servers = 40
	for _, host := range []string{"cursor", "vscode", "gemini"} {
		at := Place{Home: t.TempDir(), Dir: t.TempDir()}
		plan := func(i int) Plan {
			p, err := Install(Server{Name: fmt.Sprintf("desk%d", i), Command: []string{"desk"}}, host, project, at)
			require.NoError(t, err)
			p.Command = nil // a host's own command that is not installed
			p.Edits = true
			return p
		}
		all := func(do func(i int) error) {
			var group sync.WaitGroup
			for i := range servers {
				group.Go(func() { assert.NoError(t, do(i)) })
			}
			group.Wait()
		}
		entries := func() map[string]json.RawMessage {
			text, err := os.ReadFile(plan(0).File)
			require.NoError(t, err)
			var whole map[string]map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(text, &whole))
			return whole[plan(0).key]
		}
		all(func(i int) error {
			_, err := plan(i).Do(t.Context(), nil)
			return err
		})
		assert.Len(t, entries(), servers, host)
		all(func(i int) error {
			p, err := Uninstall(fmt.Sprintf("desk%d", i), host, project, at)
			require.NoError(t, err)
			p.Edits, p.Command = true, nil
			_, err = p.Do(t.Context(), nil)
			return err
		})
		assert.Empty(t, entries(), host)
		left, err := filepath.Glob(filepath.Join(filepath.Dir(plan(0).File), "*"+lockSuffix))
		require.NoError(t, err)
		assert.Empty(t, left)
	}
}

func TestInstall_WaitsForAnotherInstallUntilItsContextEnds(t *testing.T) {
	t.Parallel()
	p, err := Install(Server{Name: "desk", Command: []string{"desk"}}, "cursor", project, Place{Home: t.TempDir(), Dir: t.TempDir()})
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(p.File), 0o700))
	unlock, err := lock(t.Context(), p.File)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = p.Do(ctx, nil)
	require.ErrorContains(t, err, lockSuffix)
	assert.NoFileExists(t, p.File)
	unlock()
	_, err = p.Do(t.Context(), nil)
	require.NoError(t, err)
	assert.FileExists(t, p.File)
}
