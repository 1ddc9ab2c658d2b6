package audit

import "fmt"

// A Report says what [Verify] found in a log. The zero value is that of an empty log.
type Report struct {
	// Records is how many records there are, up to where the chain breaks.
	Records int
	// First is the hash of the first of them, empty where there is none.
	First string
	// Last is the hash of the last of them, empty where there is none.
	Last string
	// HeadLine is the line of the record whose hash is the head that Verify was given, 0 where none was
	// or it is [Genesis]. What follows that line was written since, or added by somebody else.
	HeadLine int
	// Torn is how many lines a killed process or a full disk left as the beginning of a record. No sink
	// said of such a record that it is kept. The record after them vouches for their bytes.
	Torn int
	// FirstTorn is the line of the first of them, 0 where there is none.
	FirstTorn int
	// TornTail says that the last line is torn. Nothing vouches for it yet.
	TornTail bool
}

// String returns the report as one line for an operator. It says so where the report cannot tell whether
// the end of the log was cut off.
func (r Report) String() string {
	text := fmt.Sprintf("%d records in an unbroken chain", r.Records)
	if r.Records > 0 {
		text += ", first " + r.First + ", last " + r.Last
	}
	if r.HeadLine > 0 {
		text += fmt.Sprintf("; the head is line %d", r.HeadLine)
	} else {
		text += "; without a head that was kept elsewhere nobody can tell whether later records were cut off"
	}
	if r.Torn > 0 {
		text += fmt.Sprintf("; torn lines: %d, the first is line %d", r.Torn, r.FirstTorn)
	}
	if r.TornTail {
		text += "; the last line is torn, as a killed process leaves it"
	}
	return text
}
