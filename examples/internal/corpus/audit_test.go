package corpus_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// checkChain returns an error unless each record of an audit log has the hash
// of the one before it.
func checkChain(log []byte) error {
	last := strings.Repeat("0", 64)
	for line := range bytes.Lines(log) {
		var record struct{ Prev, Hash string }
		if err := json.Unmarshal(line, &record); err != nil {
			return err
		}
		if record.Prev != last {
			return fmt.Errorf("the record has prev %s, but the one before it has hash %s", record.Prev, last)
		}
		last = record.Hash
	}
	return nil
}

var (
	auditCall  = regexp.MustCompile(`callId"?[:=]"?([A-Z2-7]{26})\b`)
	auditEvent = regexp.MustCompile(`event"?[:=]"?(asked|decided|intent|terminal|late)`)
	eventOrder = map[string]int{"asked": 1, "decided": 2, "intent": 3, "terminal": 4, "late": 5}
)

// inOrder sorts the lines of one section: first the lines that are no audit
// records, then the records by call and event. The masker numbers the calls.
func inOrder(lines []string, m *masker) []string {
	positions := map[string]int{}
	for _, line := range lines {
		positions[line] = position(line, m)
	}
	slices.SortStableFunc(lines, func(a, b string) int { return cmp.Compare(positions[a], positions[b]) })
	return lines
}

// position is 0 for a line that is no audit record.
func position(line string, m *masker) int {
	call := auditCall.FindStringSubmatch(line)
	event := auditEvent.FindStringSubmatch(line)
	if call == nil || event == nil {
		return 0
	}
	_, number, _ := strings.Cut(m.placeholder(mask{kind: "callId", numbered: true}, call[1]), "-")
	n, _ := strconv.Atoi(strings.TrimSuffix(number, ">"))
	return n*len(eventOrder)*2 + eventOrder[event[1]]
}

func TestRecording_DoesNotDependOnTheOrderOfRecords(t *testing.T) {
	t.Parallel()
	records := []string{
		`{"event":"intent","callId":"AAAAAAAAAAAAAAAAAAAAAAAAAA","argumentsDigest":"hmac-sha256:` + strings.Repeat("a", 64) + `"}`,
		`{"event":"terminal","callId":"AAAAAAAAAAAAAAAAAAAAAAAAAA","argumentsDigest":"hmac-sha256:` + strings.Repeat("a", 64) + `"}`,
		`{"event":"intent","callId":"BBBBBBBBBBBBBBBBBBBBBBBBBB","argumentsDigest":"hmac-sha256:` + strings.Repeat("b", 64) + `"}`,
	}
	recorded := func(order ...int) string {
		r := &recording{mask: newMasker("/nowhere", false)}
		for _, call := range []string{"A", "B"} {
			r.received(`{"callId":"` + strings.Repeat(call, 26) + `"}`)
		}
		var log strings.Builder
		for _, i := range order {
			log.WriteString(records[i] + "\n")
		}
		r.section("audit log", log.String())
		return r.text.String()
	}
	require.Equal(t, recorded(0, 1, 2), recorded(2, 0, 1))
	require.Equal(t, recorded(0, 1, 2), recorded(1, 2, 0))
}
