package folder

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRead_ReturnsTextFiles(t *testing.T) {
	t.Parallel()
	f, dir := open(t)
	most := strings.Repeat("x", maxContent)
	put(t, "Grüße\n", dir, "notes", "today.txt")
	put(t, "", dir, "empty.txt")
	put(t, most, dir, "most.txt")
	put(t, most+"x", dir, "large.txt")
	put(t, "\x89PNG\xff", dir, "image.png")
	put(t, "a", dir, temporary+"ABC")
	tests := []struct {
		name, path, content string
		want                error
	}{
		{"a file", "notes/today.txt", "Grüße\n", nil},
		{"an empty file", "empty.txt", "", nil},
		{"a file of the largest size", "most.txt", most, nil},
		{"a file that is too large", "large.txt", "", ErrTooLarge},
		{"an image", "image.png", "", ErrNotText},
		{"a folder", "notes", "", ErrInvalidPath},
		{"a missing file", "none.txt", "", ErrNotFound},
		{"a missing folder", "none/none.txt", "", ErrNotFound},
		{"a path below a file", "empty.txt/a", "", ErrInvalidPath},
		{"an unfinished file", temporary + "ABC", "", ErrInvalidPath},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, err := f.read(t.Context(), ReadInput{Path: tt.path})
			if tt.want != nil {
				require.ErrorIs(t, err, tt.want)
				assert.NotContains(t, err.Error(), filepath.Dir(dir))
				assert.Zero(t, out)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, ReadOutput{Path: tt.path, Content: tt.content}, out)
		})
	}
}
