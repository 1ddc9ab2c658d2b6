package contracttest

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/contract/compat"
)

// A comparison is what Golden knows of one snapshot and the tools.
type comparison struct {
	path            string
	recorded, built compat.Snapshot
	changes         []compat.Change
	// versions are the tools whose version is too low, by name.
	versions map[string]*compat.VersionError
	order    []*compat.VersionError
	reasons  *reasonFile
}

func compare(path string, recorded, built compat.Snapshot, reasons *reasonFile) *comparison {
	reasons.read(recorded)
	c := &comparison{
		path: path, recorded: recorded, built: built, reasons: reasons,
		changes: compat.Diff(recorded, built), order: compat.CheckVersions(recorded, built),
		versions: map[string]*compat.VersionError{},
	}
	for _, e := range c.order {
		c.versions[e.Tool] = e
	}
	return c
}

// isRecorded reports whether the file says what the tools say, down to how their schemas are written.
func (c *comparison) isRecorded() bool {
	was, err := c.recorded.Digest()
	is, err2 := c.built.Digest()
	return err == nil && err2 == nil && was == is
}

// failure says, a change a line, what keeps a test from passing, "" for nothing.
func (c *comparison) failure() string {
	var lines []string
	for _, change := range c.changes {
		lines = append(lines, c.line(change, "record it with "+UpdateEnv+"=1 go test"))
	}
	lines = append(lines, c.versionLines()...)
	if len(lines) == 0 && !c.isRecorded() {
		lines = append(lines, "schemas are written in another way and mean the same; record it with "+UpdateEnv+"=1 go test")
	}
	return joined(c.path+" is not what the tools declare", append(lines, c.staleLines()...))
}

// refusal says what keeps the snapshot from being updated, "" for nothing.
func (c *comparison) refusal() string {
	var lines []string
	for _, change := range c.changes {
		if line := c.line(change, ""); line != "" {
			lines = append(lines, line)
		}
	}
	return joined(c.path+" is not updated", append(lines, c.versionLines()...))
}

func joined(head string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return head + ":\n\t" + strings.Join(lines, "\n\t")
}

// line is a change and its remedies; where there is none but to record it, that is otherwise, and without that "".
func (c *comparison) line(change compat.Change, otherwise string) string {
	var remedies []string
	if e := c.versions[change.Tool]; e != nil && e.Class == change.Class && e.Rule == compat.RuleVersionRaised {
		remedies = append(remedies, fmt.Sprintf("raise the version from %s to at least %s", e.Old, e.AtLeast))
	}
	if why, needed := c.why(change); needed && why == "" {
		instead := ""
		if change.Rule == removed {
			instead = "keep its name as an alias of what takes its place, or deprecate it first, or "
		}
		remedies = append(remedies, fmt.Sprintf("%ssay why in %s, where %s=1 go test makes the entry", instead, reasonsPath(c.path), UpdateEnv))
	}
	switch {
	case len(remedies) > 0:
	case otherwise == "":
		return ""
	default:
		remedies = append(remedies, otherwise)
	}
	return strings.TrimSuffix(change.String(), ".") + wasAndNow(change) + "; " + strings.Join(remedies, "; ")
}

// wasAndNow names what a change is from and to, as far as that is short.
func wasAndNow(change compat.Change) string {
	var parts []string
	if was := evidenceIn(change.From).shown(); was != "" {
		parts = append(parts, "was "+was)
	}
	if now := evidenceIn(change.To).shown(); now != "" {
		parts = append(parts, "now "+now)
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// versionLines are of the tools that no line of a change speaks of.
func (c *comparison) versionLines() []string {
	var lines []string
	for _, e := range c.order {
		said := false
		for _, change := range c.changes {
			said = said || change.Tool == e.Tool && change.Class == e.Class && e.Rule == compat.RuleVersionRaised
		}
		if !said {
			lines = append(lines, strings.TrimPrefix(e.Error(), "contract: "))
		}
	}
	return lines
}

// why returns the reason for a change, "" where there is none yet, and whether one is needed.
func (c *comparison) why(change compat.Change) (why string, needed bool) {
	if !needsReason(change) {
		return "", false
	}
	entry := c.entryFor(change)
	for _, r := range c.reasons.Reasons {
		if r.matches(entry) {
			return strings.TrimSpace(r.Why), true
		}
	}
	return "", true
}

// entries are the reasons as an update leaves them: those that match a change or are in force, and a new one without a
// word for each change that needs one and has none.
func (c *comparison) entries() []reason {
	var entries []reason
	for _, r := range c.reasons.Reasons {
		if !c.isStale(r) {
			entries = append(entries, r)
		}
	}
	for _, change := range c.changes {
		if !needsReason(change) {
			continue
		}
		entry, known := c.entryFor(change), false
		for _, r := range entries {
			known = known || r.matches(entry)
		}
		if !known {
			entries = append(entries, entry)
		}
	}
	return entries
}

// isStale reports whether r matches neither a change nor what is in force. A reason without a word is in force nowhere:
// what it is for was never recorded.
func (c *comparison) isStale(r reason) bool {
	for _, change := range c.changes {
		if needsReason(change) && r.matches(c.entryFor(change)) {
			return false
		}
	}
	return strings.TrimSpace(r.Why) == "" || !r.inForce(c.recorded) || !r.inForce(c.built)
}

func (c *comparison) staleLines() []string {
	var lines []string
	for _, r := range c.reasons.Reasons {
		if c.isStale(r) {
			lines = append(lines, fmt.Sprintf("%s: the reason for [%s] at %s in %s matches nothing any more; remove it, as %s=1 go test does",
				r.Tool, r.Rule, cmp.Or(r.SideEffect.shown(), strconv.Quote(r.Pointer)), reasonsPath(c.path), UpdateEnv))
		}
	}
	return lines
}
