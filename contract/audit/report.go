package audit

import "fmt"

// A Report is the result of [Verify]. The zero value is that of an empty log.
type Report struct {
	// Records is the number of records before the chain breaks.
	Records int
	// First is the hash of the first of them. Empty: there is none.
	First string
	// Last is the hash of the last of them. Empty: there is none.
	Last string
	// HeadLine is the line of the record whose hash is the head given to
	// Verify. It is 0 if no head was given, or [Genesis]. Later lines were
	// written since, by the sink or by another writer.
	HeadLine int
	// Torn is the number of lines that are only the beginning of a record, left
	// by a killed process or a full disk. No Write returned nil for such a
	// record. The hash of the next record covers their bytes.
	Torn int
	// FirstTorn is the line of the first of them. 0: there is none.
	FirstTorn int
	// TornTail is true if the last line is torn. No hash covers it yet.
	TornTail bool
}

// String returns the report as one line for an operator. Without a head the
// line warns that a cut off end cannot be detected.
func (r Report) String() string {
	text := fmt.Sprintf("%d records in an unbroken chain", r.Records)
	if r.Records > 0 {
		text += ", first " + r.First + ", last " + r.Last
	}
	if r.HeadLine > 0 {
		text += fmt.Sprintf("; the head is line %d", r.HeadLine)
	} else {
		text += "; later records may have been cut off, and only a head that was stored elsewhere shows it"
	}
	if r.Torn > 0 {
		text += fmt.Sprintf("; torn lines: %d, the first is line %d", r.Torn, r.FirstTorn)
	}
	if r.TornTail {
		text += "; the last line is torn, as a killed process leaves it"
	}
	return text
}
