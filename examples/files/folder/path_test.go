package folder

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
)

func TestPaths_AreCheckedByEveryTool(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"a", "a.txt", ".profile", "a/b/c.txt", "ein Brief.txt", "日本/語.txt", "a..b", "..a", "...a",
		"a-b_c+d=e,f(g)[h]{i}!@#$%^&;'~.txt",
		"company.txt", "com10", "contents", "null", "lpt", "a/com", "writing-a", strings.Repeat("n", maxName),
		strings.Repeat("n/", maxPath/2-1) + "n",
	} {
		assert.NoError(t, checkPath(path), path)
	}
	for name, path := range map[string]string{
		"empty":                      "",
		"the root":                   ".",
		"the parent":                 "..",
		"out of the root":            "../a",
		"out and in again":           "../root/a",
		"the parent in the middle":   "a/../b",
		"out at the end":             "a/../../b",
		"the parent at the end":      "a/..",
		"a dot in the middle":        "a/./b",
		"a dot at the beginning":     "./a",
		"absolute":                   "/etc/passwd",
		"absolute, twice":            "//host/share",
		"a trailing slash":           "a/",
		"the root as a slash":        "/",
		"an empty element":           "a//b",
		"a backslash":                `a\b`,
		"out with a backslash":       `..\a`,
		"a drive":                    "C:/a",
		"a drive's current folder":   "C:a",
		"a network share":            `\\host\share`,
		"a device path":              `\\.\NUL`,
		"a device":                   "NUL",
		"a device in lower case":     "con",
		"a device with an extension": "nul.txt",
		"a device with extensions":   "Aux.tar.gz",
		"a device in a folder":       "a/prn",
		"a device as a folder":       "con/a",
		"a port":                     "COM1",
		"a port with an extension":   "lpt9.log",
		"a port with a superscript":  "com¹",
		"a device with a space":      "con .txt",
		"the console":                "CONIN$",
		"a stream":                   "a.txt:secret",
		"NUL":                        "a\x00b",
		"NUL at the end":             "a.txt\x00",
		"a line break":               "a\nb",
		"a tab":                      "a\tb",
		"a carriage return":          "a\rb",
		"an escape":                  "a\x1b[2J",
		"DEL":                        "a\x7f",
		"an override of direction":   "a\u202etxt.exe",
		"a character without width":  "a\u200bb",
		"a byte order mark":          "\ufeffa",
		"invalid UTF-8":              "a\xff",
		"a wildcard":                 "*",
		"a question mark":            "a?",
		"a pipe":                     "a|b",
		"a trailing dot":             "a.",
		"only dots":                  "...",
		"a trailing space":           "a ",
		"a leading space":            " a",
		"only a space":               " ",
		"dots and a space":           ".. /a",
		"a name that is too long":    strings.Repeat("n", maxName+1),
		"a name for no file system":  strings.Repeat("n", 1<<16),
		"a path that is too long":    strings.Repeat("n/", maxPath/2) + "n",
		"an unfinished file":         temporary + "ABC",
		"the same in upper case":     "a/.WRITING-ABC",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.ErrorIs(t, checkPath(path), ErrInvalidPath)
			f, dir := open(t)
			before := names(t, filepath.Dir(dir))
			_, err := f.write(t.Context(), WriteInput{Path: path, Content: "x", Overwrite: true})
			assertRefused(t, err)
			_, err = f.read(t.Context(), ReadInput{Path: path})
			assertRefused(t, err)
			if path != "" && path != "." { // both list the root
				_, err = f.list(t.Context(), ListInput{Path: path})
				assertRefused(t, err)
			}
			assert.Equal(t, before, names(t, filepath.Dir(dir)), "no file in or beside the root changed")
		})
	}
}

// assertRefused asserts that err is invalid_path at /path.
func assertRefused(t *testing.T, err error) {
	t.Helper()
	refusal, ok := errors.AsType[*contract.Error](err)
	require.True(t, ok, "%v", err)
	assert.Equal(t, "invalid_path", refusal.Code())
	assert.Equal(t, "/path", refusal.Pointer())
}

func TestLinks_DoNotLeadOutOfTheRoot(t *testing.T) {
	t.Parallel()
	f, dir := open(t)
	outside := filepath.Join(filepath.Dir(dir), "outside")
	put(t, "secret", outside, "secret.txt")
	put(t, "inside", dir, "real", "in.txt")
	for link, target := range map[string]string{
		"absolute":      filepath.Join(outside, "secret.txt"),
		"relative":      "../outside/secret.txt",
		"folder":        outside,
		"up":            "..",
		"again":         "relative", // a link to a link that leads out
		"home":          filepath.Join(dir, "real", "in.txt"),
		"loop":          "loop",
		"dangling":      "../outside/new.txt",
		"real/deep":     "../../outside/secret.txt",
		"real/absolute": "/etc/passwd",
	} {
		require.NoError(t, os.Symlink(filepath.FromSlash(target), filepath.Join(dir, filepath.FromSlash(link))))
	}
	before := names(t, filepath.Dir(dir))
	for _, path := range []string{
		"absolute", "relative", "folder/secret.txt", "folder/new.txt", "folder/new/new.txt", "up/outside/secret.txt", "up/new.txt",
		"again", "home", "loop", "loop/new.txt", "dangling", "dangling/new.txt", "real/deep", "real/absolute",
	} {
		t.Run(path, func(t *testing.T) {
			_, err := f.read(t.Context(), ReadInput{Path: path})
			assertRefused(t, err)
			for _, overwrite := range []bool{false, true} {
				_, err = f.write(t.Context(), WriteInput{Path: path, Content: "x", Overwrite: overwrite})
				assertRefused(t, err)
			}
			_, err = f.list(t.Context(), ListInput{Path: path})
			assertRefused(t, err)
		})
	}
	for _, path := range []string{"folder", "up"} {
		_, err := f.list(t.Context(), ListInput{Path: path})
		assertRefused(t, err)
	}
	assert.Equal(t, before, names(t, filepath.Dir(dir)), "no file was created")
	secret, err := os.ReadFile(filepath.Join(outside, "secret.txt"))
	require.NoError(t, err)
	assert.Equal(t, "secret", string(secret))

	out, err := f.list(t.Context(), ListInput{})
	require.NoError(t, err)
	assert.Equal(t, []Entry{{Name: "real", Dir: true}}, out.Entries, "links that lead out are not listed")
}

func TestLinks_WithinTheRootAreFollowedExceptAsTheTargetOfAWrite(t *testing.T) {
	t.Parallel()
	f, dir := open(t)
	put(t, "inside", dir, "real", "in.txt")
	require.NoError(t, os.Symlink("real", filepath.Join(dir, "folder")))
	require.NoError(t, os.Symlink(filepath.FromSlash("../real/in.txt"), filepath.Join(dir, "real", "file")))

	out, err := f.read(t.Context(), ReadInput{Path: "folder/file"})
	require.NoError(t, err)
	assert.Equal(t, ReadOutput{Path: "folder/file", Content: "inside"}, out)
	list, err := f.list(t.Context(), ListInput{Path: "folder"})
	require.NoError(t, err)
	assert.Equal(t, []Entry{{Name: "file", Size: 6}, {Name: "in.txt", Size: 6}}, list.Entries)

	_, err = f.write(t.Context(), WriteInput{Path: "folder/new.txt", Content: "new"})
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(dir, "real", "new.txt"))
	_, err = f.write(t.Context(), WriteInput{Path: "real/file", Content: "new", Overwrite: true})
	assertRefused(t, err)
}

// Property: no path reads or changes a file outside the root.
func FuzzPaths(f *testing.F) {
	for _, seed := range []string{
		"a", "../outside/secret.txt", "up/outside/secret.txt", "/etc/passwd", `..\a`, "con", "a\x00", "..", "a/b", "real/../../a",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		root, dir := open(t)
		put(t, "secret", filepath.Dir(dir), "outside", "secret.txt")
		require.NoError(t, os.Symlink("..", filepath.Join(dir, "up")))
		read, _ := root.read(t.Context(), ReadInput{Path: path})
		assert.Empty(t, read.Content)
		_, err := root.write(t.Context(), WriteInput{Path: path, Content: "x", Overwrite: true})
		if err == nil {
			again, err := root.read(t.Context(), ReadInput{Path: path})
			assert.NoError(t, err)
			assert.Equal(t, ReadOutput{Path: path, Content: "x"}, again)
		} else {
			assertRefused(t, err)
		}
		beside, err := os.ReadDir(filepath.Dir(dir))
		require.NoError(t, err)
		assert.Len(t, beside, 2)
		assert.Equal(t, []string{"secret.txt"}, names(t, filepath.Join(filepath.Dir(dir), "outside")))
	})
}
