package audit

import "encoding/json"

// A chain walks a log line by line and holds what was found up to there.
type chain struct {
	head   string // to look for; empty: none
	report Report
	lines  int
	// anchored says that last is what the next record follows. A walk that begins within a log has no
	// anchor until its first record, which it has to believe.
	anchored bool
	last     string
	// torn are the lines since the last record, of which tornAt is the first; nil and 0 where there are
	// none.
	torn   *tornLines
	tornAt int
	// open says that the last line has no break.
	open bool
}

// newChain returns a chain at the beginning of a log.
func newChain(head string) *chain { return &chain{head: head, anchored: true, last: Genesis} }

// step takes in the next line, without its break; open says that it has none.
func (c *chain) step(line []byte, open bool) error {
	c.lines++
	c.open = open
	rec, whole := parseRecord(line)
	switch {
	case whole && c.anchored:
		if err := c.check(line, rec); err != nil {
			return err
		}
		c.keep(string(rec.hash))
	case whole: // the anchor
	case isTorn(line):
		c.tear(line)
		return nil
	default:
		return &ChainError{Line: c.lines, Fault: Malformed}
	}
	c.anchored, c.last, c.torn, c.tornAt = true, string(rec.hash), nil, 0
	return nil
}

// keep counts a record.
func (c *chain) keep(hash string) {
	c.report.Records++
	c.report.Last = hash
	if c.report.Records == 1 {
		c.report.First = hash
	}
	if hash == c.head {
		c.report.HeadLine = c.lines
	}
}

// tear takes in a line that is the beginning of a record.
func (c *chain) tear(line []byte) {
	c.torn = c.torn.add(line)
	if !c.open {
		c.torn.add([]byte("\n"))
	}
	if c.tornAt == 0 {
		c.tornAt = c.lines
	}
	if c.report.Torn == 0 {
		c.report.FirstTorn = c.lines
	}
	c.report.Torn++
}

// check holds a record against the chain.
func (c *chain) check(line []byte, rec record) error {
	sum, err := c.torn.sum(rec.unhashed)
	if err != nil {
		return err
	}
	first := c.lines
	if c.torn != nil {
		first = c.tornAt
	}
	intact, follows := sum == string(rec.hash), string(rec.prev) == c.last
	switch {
	case !json.Valid(line):
		return &ChainError{Line: c.lines, Fault: Malformed}
	case intact && follows:
		return nil
	case intact:
		return &ChainError{Line: first, Fault: Missing}
	case c.torn == nil || !rec.isIntact():
		return &ChainError{Line: first, Fault: Changed}
	case follows: // but knows nothing of the torn lines
		return &ChainError{Line: first, Fault: Malformed}
	default: // the record that the torn lines belong to is not there
		return &ChainError{Line: c.lines, Fault: Missing}
	}
}

// end is called after the last line.
func (c *chain) end() error {
	c.report.TornTail = c.torn != nil
	if c.head != "" && c.head != Genesis && c.report.HeadLine == 0 {
		return &ChainError{Line: c.lines, Fault: Cut}
	}
	return nil
}
