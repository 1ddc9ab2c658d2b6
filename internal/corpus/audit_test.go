package corpus_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
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
	auditCall  = regexp.MustCompile(`callId"?[:=]"?<callId-(\d+)>`)
	auditEvent = regexp.MustCompile(`event"?[:=]"?(asked|intent|terminal|late)`)
	eventOrder = map[string]int{"asked": 1, "intent": 2, "terminal": 3, "late": 4}
)

// position orders the records of one section. Lines that are no records come
// first.
func position(line string) int {
	call := auditCall.FindStringSubmatch(line)
	event := auditEvent.FindStringSubmatch(line)
	if call == nil || event == nil {
		return 0
	}
	n, _ := strconv.Atoi(call[1])
	return n*len(eventOrder)*2 + eventOrder[event[1]]
}
