package corpus_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A recording is the text of one run.
type recording struct {
	mu   sync.Mutex
	text strings.Builder
	mask *masker
}

func (r *recording) add(prefix, line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintln(&r.text, strings.TrimRight(prefix+" "+r.mask.line(line), " "))
}

func (r *recording) sent(s string)     { r.add(">", s) }
func (r *recording) received(s string) { r.add("<", s) }
func (r *recording) note(s string)     { r.add("#", s) }

// section adds a text of the server's, such as its stderr, with the audit
// records in the order of the calls.
func (r *recording) section(title, text string) {
	fmt.Fprintf(&r.text, "\n== %s\n", title)
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	for _, line := range inOrder(lines, r.mask) { // before digests get numbers
		r.text.WriteString(r.mask.line(line) + "\n")
	}
}

// requests counts what was sent to a server.
func requests(text string) int { return strings.Count(text, "\n> ") }

// compare compares the text with the file at path below testdata/recordings, or
// writes the file.
func compare(t *testing.T, path, text string) {
	t.Helper()
	path = filepath.Join("testdata", "recordings", filepath.FromSlash(path))
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return
	}
	data, err := os.ReadFile(path)
	require.NoError(t, err, "record it with -update")
	if want := string(data); want != text {
		t.Errorf("%s differs:\n%s", path, difference(want, text))
	}
}

// difference shows the first line that differs, and the request before it.
func difference(want, got string) string {
	wanted, have := strings.Split(want, "\n"), strings.Split(got, "\n")
	request := ""
	for i := range max(len(wanted), len(have)) {
		w, g := lineAt(wanted, i), lineAt(have, i)
		if w == g {
			if strings.HasPrefix(w, "> ") || strings.HasPrefix(w, "== ") || strings.HasPrefix(w, "$ ") {
				request = w
			}
			continue
		}
		same := 0
		for same < min(len(w), len(g)) && w[same] == g[same] {
			same++
		}
		return fmt.Sprintf("after  %s\nline %d, from byte %d:\nwant   %s\nhave   %s", cut(request, 0), i+1, same+1,
			cut(w, same), cut(g, same))
	}
	return ""
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(no line)"
}

// cut shows a part of the line around a byte.
func cut(s string, at int) string {
	const before, after = 60, 160
	from, to := max(at-before, 0), min(at+after, len(s))
	part := s[from:to]
	if from > 0 {
		part = "…" + part
	}
	if to < len(s) {
		part += "…"
	}
	return part
}
