package audit_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/audit"
)

// openFolder opens a log in a folder, which is closed at the end of the test at
// the latest.
func openFolder(t *testing.T, folder string, limit int64) *audit.FileSink {
	t.Helper()
	sink, err := audit.OpenFolder(folder, limit)
	require.NoError(t, err)
	t.Cleanup(func() { _ = sink.Close() })
	return sink
}

func write(t *testing.T, sink *audit.FileSink, numbers ...int) {
	t.Helper()
	for _, n := range numbers {
		require.NoError(t, sink.Write(t.Context(), numbered(audit.Intent, n)))
	}
}

// logsIn returns the paths of the logs in a folder, the oldest first.
func logsIn(t *testing.T, folder string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	require.NoError(t, err)
	return paths
}

// folderOfFour has the logs of four processes, with two records each, and
// returns the head of each.
func folderOfFour(t *testing.T) (folder string, heads []string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "logs")
	for n := range 4 {
		sink := openFolder(t, folder, 0)
		write(t, sink, 2*n, 2*n+1)
		require.NoError(t, sink.Close())
		heads = append(heads, sink.Head())
	}
	require.Len(t, logsIn(t, folder), 4)
	return folder, heads
}

func TestFolder_HasAFileForEachWriterAtTheSameTime(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "logs")
	first, second := openFolder(t, folder, 0), openFolder(t, folder, 0)
	write(t, first, 1, 2)
	write(t, second, 3)
	third := openFolder(t, folder, 0)
	write(t, third, 4)
	write(t, first, 5)
	files, err := audit.VerifyFolder(folder, "")
	require.NoError(t, err, "also while it is written to")
	var counts []int
	for _, f := range files {
		counts = append(counts, f.Report.Records)
	}
	assert.Equal(t, []int{3, 1, 1}, counts)
	paths := logsIn(t, folder)
	assert.Equal(t, second.Head(), records(readLog(t, paths[2]))[0].Prev, "the third continues the newest")
	for _, path := range append(paths, folder) {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.True(t, runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0, path) // see TestFileIsForTheUserAlone
	}
}

func TestFolder_FileWithoutEventsIsRemoved(t *testing.T) {
	t.Parallel()
	folder, heads := folderOfFour(t)
	empty := openFolder(t, folder, 0)
	last := openFolder(t, folder, 0)
	require.NoError(t, empty.Close())
	write(t, last, 8)
	paths := logsIn(t, folder)
	require.Len(t, paths, 5)
	assert.Equal(t, heads[3], records(readLog(t, paths[4]))[0].Prev, "it follows the newest file with a record")
}

func TestRotate_ContinuesTheChainInTheNextFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	sink := openFolder(t, folder, 0)
	head, err := sink.Rotate()
	require.NoError(t, err)
	assert.Equal(t, audit.Genesis, head)
	write(t, sink, 1, 2)
	require.NoError(t, sink.Write(t.Context(), numbered(audit.Terminal, 3)))
	head, err = sink.Rotate()
	require.NoError(t, err)
	write(t, sink, 4)
	paths := logsIn(t, folder)
	require.Len(t, paths, 2, "an empty file is not followed by another")
	assert.Equal(t, []string{"c1", "c2", "c3"}, callIDs(readLog(t, paths[0])))
	verifyFile(t, paths[0], head)
	assert.Equal(t, head, records(readLog(t, paths[1]))[0].Prev)
	require.NoError(t, sink.Close())
	_, err = audit.VerifyFolder(folder, sink.Head())
	require.NoError(t, err)
	_, err = sink.Rotate()
	assert.ErrorIs(t, err, fs.ErrClosed)
}

func TestRotate_HappensAtTheLimitToo(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	sink := openFolder(t, folder, 600)
	for n := range 20 {
		write(t, sink, n)
	}
	require.NoError(t, sink.Close())
	var all []string
	paths := logsIn(t, folder)
	for _, path := range paths {
		data := readLog(t, path)
		assert.Less(t, len(data), 1200, "at most one record above the limit")
		all = append(all, callIDs(data)...)
	}
	assert.Greater(t, len(paths), 3)
	assert.Len(t, all, 20)
	_, err := audit.VerifyFolder(folder, sink.Head())
	assert.NoError(t, err)
}

func TestRotate_OpensThePathOfALogThatWasMovedAway(t *testing.T) {
	t.Parallel()
	path := logPath(t)
	sink := openLog(t, path)
	write(t, sink, 1)
	_, err := sink.Rotate()
	require.ErrorContains(t, err, "move it away")
	write(t, sink, 2)
	require.NoError(t, os.Rename(path, path+".1"))
	write(t, sink, 3)
	head, err := sink.Rotate()
	require.NoError(t, err)
	write(t, sink, 4)
	assert.Equal(t, 3, verifyFile(t, path+".1", head).Records)
	require.NoError(t, sink.Close())
	assert.Equal(t, 1, verifyFile(t, path, sink.Head()).Records)
}

func TestRotate_GoesOnInTheFileIfThereCanBeNoOther(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "logs")
	sink := openFolder(t, folder, 0)
	write(t, sink, 1)
	moved := folder + "-moved"
	if runtime.GOOS == "windows" {
		t.Skip("a folder with an open file keeps its name")
	}
	require.NoError(t, os.Rename(folder, moved))
	_, err := sink.Rotate()
	require.ErrorContains(t, err, "audit: rotate ")
	write(t, sink, 2)
	require.NoError(t, sink.Close())
	files, err := audit.VerifyFolder(moved, sink.Head())
	require.NoError(t, err)
	assert.Equal(t, 2, files[0].Report.Records)
}

func TestThreat159_VerifyFolderNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(t *testing.T, paths []string)
		bad    int // the index of the file that the error names, after the change
		fault  audit.ChainError
	}{
		{"a file in the middle", remove(1), 1, audit.ChainError{Line: 1, Fault: "missing"}},
		{"the oldest file", remove(0), 0, audit.ChainError{Line: 1, Fault: "missing"}},
		{"the newest file", remove(3), 2, audit.ChainError{Line: 2, Fault: "cut"}},
		{"the end of a file",
			func(t *testing.T, paths []string) { rewrite(t, paths[1], func(l []string) []string { return l[:1] }) }, 2,
			audit.ChainError{Line: 1, Fault: "missing"}},
		{"the beginning of the oldest file",
			func(t *testing.T, paths []string) { rewrite(t, paths[0], func(l []string) []string { return l[1:] }) }, 0,
			audit.ChainError{Line: 1, Fault: "missing"}},
		{"a record of another principal", func(t *testing.T, paths []string) {
			rewrite(t, paths[2], func(l []string) []string { return []string{l[0], l[1][:200] + "x" + l[1][201:]} })
		}, 2, audit.ChainError{Line: 2, Fault: "changed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			folder, heads := folderOfFour(t)
			tt.change(t, logsIn(t, folder))
			files, err := audit.VerifyFolder(folder, heads[3])
			require.Error(t, err)
			var broken *audit.ChainError
			require.ErrorAs(t, files[tt.bad].Err, &broken)
			assert.Equal(t, tt.fault, *broken)
			assert.ErrorContains(t, err, files[tt.bad].Name)
			assert.Contains(t, files[tt.bad].String(), files[tt.bad].Name)
		})
	}
}

// The second log begins while the first one is open, and the third one after
// the first has ended, so no file follows the end of the first.
func TestThreat204_VerifyFolderNamesALogOfAnOverlappingProcess(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		open   bool // the first log is open when the third one begins
		before bool // the first log has a record when the second one begins
		change func(t *testing.T, paths []string)
		bad    int
		fault  audit.ChainError
	}{
		"an ended one is removed":           {false, false, remove(0), 1, audit.ChainError{Line: 1, Fault: "missing"}},
		"one that is open is removed":       {true, false, remove(0), 1, audit.ChainError{Line: 1, Fault: "missing"}},
		"an ended one is cut":               {false, true, cutTo(0, 1), 0, audit.ChainError{Line: 1, Fault: "cut"}},
		"one that is open is cut":           {true, true, cutTo(0, 2), 0, audit.ChainError{Line: 2, Fault: "cut"}},
		"one is emptied":                    {false, false, cutTo(0, 0), 0, audit.ChainError{Line: 0, Fault: "cut"}},
		"one is removed that has followers": {true, true, remove(0), 0, audit.ChainError{Line: 1, Fault: "missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "logs")
			first := openFolder(t, folder, 0)
			if test.before {
				write(t, first, 0)
			}
			second := openFolder(t, folder, 0)
			write(t, second, 1)
			write(t, first, 2, 3)
			if !test.open {
				require.NoError(t, first.Close())
			}
			third := openFolder(t, folder, 0)
			write(t, third, 4, 5)
			require.NoError(t, first.Close())
			require.NoError(t, second.Close())
			require.NoError(t, third.Close())
			_, err := audit.VerifyFolder(folder, third.Head())
			require.NoError(t, err)
			test.change(t, logsIn(t, folder))
			files, err := audit.VerifyFolder(folder, third.Head())
			require.Error(t, err)
			var broken *audit.ChainError
			require.ErrorAs(t, files[test.bad].Err, &broken)
			assert.Equal(t, test.fault, *broken)
		})
	}
}

func TestFolder_NamesALogOnce(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "logs")
	first, second := openFolder(t, folder, 0), openFolder(t, folder, 0)
	write(t, second, 1)
	write(t, first, 2)
	named := func() (count int) {
		for _, path := range logsIn(t, folder) {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			count += strings.Count(string(text), `"logs":{"`)
		}
		return count
	}
	for range 3 {
		write(t, openFolder(t, folder, 0), 3)
	}
	assert.Equal(t, 1, named())
	head, err := second.Rotate()
	require.NoError(t, err)
	write(t, second, 4)
	assert.Equal(t, 2, named(), "the newest one is not the one that the next file follows")
	_, err = audit.VerifyFolder(folder, head)
	require.NoError(t, err)
	write(t, first, 5)
	write(t, openFolder(t, folder, 0), 6)
	assert.Equal(t, 3, named(), "it has another end")
	for _, sink := range []*audit.FileSink{first, second} { // Windows keeps an open file until it is closed
		require.NoError(t, sink.Close())
	}
	require.NoError(t, os.Remove(logsIn(t, folder)[0]))
	_, err = audit.VerifyFolder(folder, "")
	require.Error(t, err)
}

func TestVerifyFolder_AcceptsThatOldFilesAreElsewhereIfTheirHeadIsKnown(t *testing.T) {
	t.Parallel()
	folder, heads := folderOfFour(t)
	paths := logsIn(t, folder)
	require.NoError(t, os.Remove(paths[0]))
	require.NoError(t, os.Remove(paths[1]))
	_, err := audit.VerifyFolder(folder, "")
	require.Error(t, err)
	_, err = audit.VerifyFolder(folder, heads[0])
	require.Error(t, err, "of a file before")
	_, err = audit.VerifyFolder(folder, heads[1])
	assert.NoError(t, err)
}

func TestVerifyFolder_RefusesWhatItCannotCheck(t *testing.T) {
	t.Parallel()
	for name, folder := range map[string]string{"no log": t.TempDir(), "no folder": filepath.Join(t.TempDir(), "none")} {
		_, err := audit.VerifyFolder(folder, "")
		require.Error(t, err, name)
	}
	folder, _ := folderOfFour(t)
	_, err := audit.VerifyFolder(folder, "0123")
	require.ErrorContains(t, err, "64")
	_, err = audit.OpenFolder(folder, -1)
	require.Error(t, err)
	_, err = audit.OpenFolder(logsIn(t, folder)[0], 0)
	assert.Error(t, err, "a file")
}

// remove returns a change that removes a log.
func remove(index int) func(*testing.T, []string) {
	return func(t *testing.T, paths []string) {
		t.Helper()
		require.NoError(t, os.Remove(paths[index]))
	}
}

// cutTo returns a change that keeps the first lines of a log.
func cutTo(index, lines int) func(*testing.T, []string) {
	return func(t *testing.T, paths []string) {
		t.Helper()
		rewrite(t, paths[index], func(l []string) []string { return l[:lines] })
	}
}

// rewrite changes the lines of a log.
func rewrite(t *testing.T, path string, change func([]string) []string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, edit(readLog(t, path), change), 0o600))
}
