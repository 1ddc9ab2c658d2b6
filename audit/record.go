package audit

import "bytes"

// genesis is the prev of the first record of a log, and the head of an empty
// log: 64 zeros.
const genesis = "0000000000000000000000000000000000000000000000000000000000000000"

// maxRecord bounds a record of a log, in bytes with its line break. Longer
// records are neither written nor read.
const maxRecord = 64 << 10

const (
	// recordStart begins every record, because every event has a time.
	recordStart = `{"time":"`
	prevStart   = `,"prev":"`
	hashStart   = `,"hash":"`
	// anyHash stands for 64 digits in the forms below.
	anyHash  = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	hashForm = hashStart + anyHash + `"}`
	sealForm = prevStart + anyHash + `"` + hashForm
)

// A record refers to the parts of a line of a log.
type record struct {
	// unhashed has the bytes of the line before its hash. The hash covers them
	// and a closing brace.
	unhashed   []byte
	prev, hash []byte
}

// logs returns the JSON of the logs that the record names, or nil.
func (r record) logs() []byte {
	i := bytes.LastIndex(r.unhashed, []byte(logsStart))
	if i < 0 {
		return nil
	}
	return r.unhashed[i+len(logsStart) : len(r.unhashed)-len(prevStart)-len(anyHash)-1]
}

// parseRecord splits a line without its break. It checks only the record's
// form.
func parseRecord(line []byte) (record, bool) {
	start := len(line) - len(sealForm)
	if start <= len(recordStart) || !bytes.HasPrefix(line, []byte(recordStart)) || !beginsSeal(line[start:]) {
		return record{}, false
	}
	prev := start + len(prevStart)
	hash := len(line) - len(hashForm) + len(hashStart)
	return record{
		unhashed: line[:len(line)-len(hashForm)],
		prev:     line[prev : prev+len(anyHash)],
		hash:     line[hash : hash+len(anyHash)],
	}, true
}

// appendRecord appends an event's JSON as the record that follows prev, with
// its line break, and returns the record's hash too. torn holds the torn lines
// since the record before it, may be nil, and is not modified.
func appendRecord(to, event []byte, prev string, torn *tornLines) ([]byte, string, error) {
	start := len(to)
	to = append(to, event[:len(event)-1]...) // without its closing brace
	to = append(to, prevStart+prev+`"`...)
	sum, err := torn.sum(to[start:])
	if err != nil {
		return nil, "", err
	}
	return append(to, hashStart+sum+`"}`+"\n"...), sum, nil
}

// beginsSeal reports whether b is a seal or the beginning of one.
func beginsSeal(b []byte) bool {
	if len(b) > len(sealForm) {
		return false
	}
	for i, c := range b {
		digit := '0' <= c && c <= '9' || 'a' <= c && c <= 'f'
		if want := sealForm[i]; c != want && (want != 'x' || !digit) {
			return false
		}
	}
	return true
}

// isIntact reports whether the record's hash matches its own bytes.
func (r record) isIntact() bool {
	var none *tornLines
	sum, err := none.sum(r.unhashed)
	return err == nil && sum == string(r.hash)
}
