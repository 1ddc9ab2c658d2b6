package folder

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

func TestWrite_WritesWholeFiles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   WriteInput
		want error  // nil means success
		at   string // the pointer of the error
	}{
		{"a new file", WriteInput{Path: "new.txt", Content: "Grüße"}, nil, ""},
		{"an empty file", WriteInput{Path: "new.txt"}, nil, ""},
		{"in new folders", WriteInput{Path: "a/b/new.txt", Content: "x"}, nil, ""},
		{"in an existing folder", WriteInput{Path: "folder/new.txt", Content: "x"}, nil, ""},
		{"overwriting a missing file", WriteInput{Path: "new.txt", Content: "x", Overwrite: true}, nil, ""},
		{"overwriting a file", WriteInput{Path: "old.txt", Content: "new", Overwrite: true}, nil, ""},
		{"overwriting with empty content", WriteInput{Path: "old.txt", Overwrite: true}, nil, ""},
		{"the largest content", WriteInput{Path: "new.txt", Content: strings.Repeat("x", maxContent)}, nil, ""},
		{"over a file", WriteInput{Path: "old.txt", Content: "new"}, ErrAlreadyExists, "/path"},
		{"over a file with the same content", WriteInput{Path: "old.txt", Content: "old"}, ErrAlreadyExists, "/path"},
		{"over a folder", WriteInput{Path: "folder", Content: "x", Overwrite: true}, ErrInvalidPath, "/path"},
		{"over a folder, without overwriting", WriteInput{Path: "folder", Content: "x"}, ErrInvalidPath, "/path"},
		{"below a file", WriteInput{Path: "old.txt/new.txt", Content: "x"}, ErrInvalidPath, "/path"},
		{"in a folder below a file", WriteInput{Path: "old.txt/a/new.txt", Content: "x"}, ErrInvalidPath, "/path"},
		{
			"content with too many bytes", WriteInput{Path: "new.txt", Content: strings.Repeat("ü", maxContent/2+1)},
			ErrTooLarge, "/content",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, dir := open(t)
			put(t, "old", dir, "old.txt")
			require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o755))
			before := names(t, dir)
			out, err := f.write(t.Context(), tt.in)
			if tt.want == nil {
				require.NoError(t, err)
				assert.Equal(t, WriteOutput{Path: tt.in.Path, BytesWritten: len(tt.in.Content)}, out)
				content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(tt.in.Path)))
				require.NoError(t, err)
				assert.Equal(t, tt.in.Content, string(content))
			} else {
				require.ErrorIs(t, err, tt.want)
				refusal, ok := errors.AsType[*contract.Error](err)
				require.True(t, ok)
				assert.Equal(t, tt.at, refusal.Pointer())
				assert.Equal(t, before, names(t, dir))
				content, err := os.ReadFile(filepath.Join(dir, "old.txt"))
				require.NoError(t, err)
				assert.Equal(t, "old", string(content))
			}
			assertNothingUnfinished(t, dir)
		})
	}
}

func assertNothingUnfinished(t *testing.T, dir string) {
	t.Helper()
	for _, name := range names(t, dir) {
		assert.NotContains(t, name, temporary)
	}
}

func TestWrite_ChangesNothingOnAFullDisk(t *testing.T) {
	t.Parallel()
	f, dir := openAt(t, t.TempDir(), true)
	put(t, "old", dir, "old.txt")
	for _, in := range []WriteInput{
		{Path: "new.txt", Content: "new"},
		{Path: "new.txt"},
		{Path: "a/b/new.txt", Content: "new"},
		{Path: "old.txt", Content: "new", Overwrite: true},
	} {
		_, err := f.write(t.Context(), in)
		assert.ErrorIs(t, err, ErrStorageUnavailable, in.Path)
	}
	assert.Equal(t, []string{"old.txt"}, names(t, dir))
	out, err := f.read(t.Context(), ReadInput{Path: "old.txt"})
	require.NoError(t, err)
	assert.Equal(t, "old", out.Content)
	_, err = f.write(t.Context(), WriteInput{Path: "../new.txt"})
	assertRefused(t, err)
	_, err = f.write(t.Context(), WriteInput{Path: "old.txt"})
	assert.ErrorIs(t, err, ErrAlreadyExists)
}

func TestWrite_RetainsTheModeOfAnOverwrittenFile(t *testing.T) {
	t.Parallel()
	f, dir := open(t)
	put(t, "old", dir, "run.sh")
	require.NoError(t, os.Chmod(filepath.Join(dir, "run.sh"), 0o700))
	_, err := f.write(t.Context(), WriteInput{Path: "run.sh", Content: "new", Overwrite: true})
	require.NoError(t, err)
	info, err := os.Stat(filepath.Join(dir, "run.sh"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o700), info.Mode())
}

const writers = 8

func TestWrite_LetsOneOfManyWritersSucceed(t *testing.T) {
	t.Parallel()
	f, dir := open(t)
	for round := range 20 {
		path := strconv.Itoa(round) + "/new.txt"
		var wins atomic.Int32
		var winner atomic.Value
		var all sync.WaitGroup
		for i := range writers {
			content := strings.Repeat(strconv.Itoa(i), 1000)
			all.Go(func() {
				_, err := f.write(t.Context(), WriteInput{Path: path, Content: content})
				if err == nil {
					wins.Add(1)
					winner.Store(content)
					return
				}
				assert.ErrorIs(t, err, ErrAlreadyExists)
			})
		}
		all.Wait()
		require.Equal(t, int32(1), wins.Load())
		out, err := f.read(t.Context(), ReadInput{Path: path})
		require.NoError(t, err)
		assert.Equal(t, winner.Load(), out.Content)
	}
	assertNothingUnfinished(t, dir)
}

func TestWrite_ShowsReadersOnlyWholeFiles(t *testing.T) {
	t.Parallel()
	f, dir := open(t)
	const size = maxContent / 4
	whole := func(i int) string { return strings.Repeat(strconv.Itoa(i), size) }
	_, err := f.write(t.Context(), WriteInput{Path: "shared.txt", Content: whole(0)})
	require.NoError(t, err)
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			for range 10 {
				out, err := f.write(t.Context(), WriteInput{Path: "shared.txt", Content: whole(i), Overwrite: true})
				assert.NoError(t, err)
				assert.Equal(t, size, out.BytesWritten)
				read, err := f.read(t.Context(), ReadInput{Path: "shared.txt"})
				if assert.NoError(t, err) && assert.Len(t, read.Content, size) {
					assert.Equal(t, size, strings.Count(read.Content, read.Content[:1]), "the content of one writer")
				}
			}
		})
	}
	all.Wait()
	assert.Equal(t, []string{"shared.txt"}, names(t, dir))
}
