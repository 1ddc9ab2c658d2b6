package audit

import "bytes"

// Genesis is the prev of a log's first record, and the head of a log that has none: 64 zeros.
const Genesis = "0000000000000000000000000000000000000000000000000000000000000000"

// MaxRecord is how long a record of a log may be, in bytes and with its line break. A longer one is
// neither written nor read.
const MaxRecord = 64 << 10

const (
	// recordStart is how every record begins, for an event has a time.
	recordStart = `{"time":"`
	prevStart   = `,"prev":"`
	hashStart   = `,"hash":"`
	// anyHash stands for 64 digits in a form.
	anyHash  = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	hashForm = hashStart + anyHash + `"}`
	sealForm = prevStart + anyHash + `"` + hashForm
)

// A record is a line of a log, taken apart without copying it.
type record struct {
	// unhashed are the bytes of the line up to its hash: with a brace they are what is hashed.
	unhashed   []byte
	prev, hash []byte
}

// parseRecord takes a line without its break apart. It looks at the record's form only.
func parseRecord(line []byte) (record, bool) {
	start := len(line) - len(sealForm)
	if start <= len(recordStart) || !bytes.HasPrefix(line, []byte(recordStart)) || !beginsSeal(line[start:]) {
		return record{}, false
	}
	prev, hash := start+len(prevStart), len(line)-len(hashForm)+len(hashStart)
	return record{
		unhashed: line[:len(line)-len(hashForm)],
		prev:     line[prev : prev+len(anyHash)],
		hash:     line[hash : hash+len(anyHash)],
	}, true
}

// appendRecord appends an event's JSON as the record that follows prev, with its line break, and returns
// the record's hash too. torn is what was torn since the record before it, or nil, and is not changed.
func appendRecord(to, event []byte, prev string, torn *tornLines) ([]byte, string, error) {
	start := len(to)
	to = append(to, event[:len(event)-1]...) // but its closing brace
	to = append(to, prevStart+prev+`"`...)
	sum, err := torn.sum(to[start:])
	if err != nil {
		return nil, "", err
	}
	return append(to, hashStart+sum+`"}`+"\n"...), sum, nil
}

// beginsSeal reports whether b is the beginning of a seal, up to a whole one.
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

// isIntact reports whether the record's hash is that of its own bytes.
func (r record) isIntact() bool {
	var none *tornLines
	sum, err := none.sum(r.unhashed)
	return err == nil && sum == string(r.hash)
}
