package witness

import (
	"bytes"
	"context"
	"fmt"
	"runtime/pprof"
	"slices"
	"strconv"
	"time"
)

// label marks one window's goroutines. Goroutines inherit labels from the
// goroutine that starts them.
const label = "toolcontract.witness"

// labels returns a window's label. Window names are random, because windows of
// parallel tests must not share a label.
func labels(window string) pprof.LabelSet { return pprof.Labels(label, window) }

// withLabel runs f, and every goroutine that f starts, under a label.
func withLabel(window string, f func()) {
	pprof.Do(context.Background(), labels(window), func(context.Context) { f() })
}

// settle waits until no goroutine has the window's label, but at most for the
// given time, and returns how many still have it.
func settle(window string, atMost time.Duration) int {
	pause := 100 * time.Microsecond
	for end := time.Now().Add(atMost); ; pause *= 2 {
		running := goroutines(window)
		left := time.Until(end)
		if running == 0 || left <= 0 {
			return running
		}
		time.Sleep(min(pause, left))
	}
}

// idle has functions of goroutines that stay around for later calls and act
// only for those: connections of an HTTP client, and a database's pool.
var idle = [][]byte{
	[]byte("net/http.(*persistConn)."), []byte("net/http.(*http2ClientConn)."), []byte("net/http.(*http2clientConnReadLoop)."),
	[]byte("database/sql.(*DB).connectionOpener"), []byte("database/sql.(*DB).connectionCleaner"),
}

// goroutines returns how many goroutines have the window's label and are not
// idle.
func goroutines(window string) int {
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		return 0
	}
	// A group is "3 @ 0x1 0x2", then "# labels: {...}" and its stack, and ends
	// with an empty line.
	ours := fmt.Appendf(nil, "%q:%q", label, window)
	sum := 0
	for group := range bytes.SplitSeq(profile.Bytes(), []byte("\n\n")) {
		_, marks, ok := bytes.Cut(group, []byte("\n# labels: "))
		marks, _, _ = bytes.Cut(marks, []byte("\n"))
		waits := slices.ContainsFunc(idle, func(name []byte) bool { return bytes.Contains(group, name) })
		if !ok || waits || !bytes.Contains(marks, ours) {
			continue
		}
		for line := range bytes.SplitSeq(group, []byte("\n")) { // the first group follows a title
			if count, _, ok := bytes.Cut(line, []byte(" @ ")); ok {
				n, _ := strconv.Atoi(string(count))
				sum += n
				break
			}
		}
	}
	return sum
}
