package contracttest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/contract/compat"
)

// A comparison has the recorded and the built contracts, their changes, and the
// reasons.
type comparison struct {
	path            string
	recorded, built compat.Snapshot
	changes         []compat.Change
	// versions has the tools whose version is too low, by name; order has those
	// names sorted.
	versions map[string]*compat.VersionError
	order    []*compat.VersionError
	reasons  *reasonFile
}

func compare(path string, recorded, built compat.Snapshot, reasons *reasonFile) *comparison {
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

// isRecorded reports whether the file has the tools' contracts, with schemas
// written the same way.
func (c *comparison) isRecorded() bool {
	was, err := c.recorded.Digest()
	is, err2 := c.built.Digest()
	return err == nil && err2 == nil && was == is
}

// failure returns why the test fails, with a line for each change, or "" if it
// passes.
func (c *comparison) failure() string {
	var lines []string
	for _, change := range c.changes {
		lines = append(lines, c.line(change, "record it with "+updateEnv+"=1 go test"))
	}
	lines = append(lines, c.versionLines()...)
	if len(lines) == 0 && !c.isRecorded() {
		lines = append(lines, "schemas or names are written in another way with the same meaning; "+
			"record them with "+updateEnv+"=1 go test")
	}
	return joinLines(c.path+" is not what the tools declare", append(lines, c.staleLines()...))
}

// refusal returns why the snapshot is not updated, or "" if it may be.
func (c *comparison) refusal() string {
	var lines []string
	for _, change := range c.changes {
		if line := c.line(change, ""); line != "" {
			lines = append(lines, line)
		}
	}
	return joinLines(c.path+" is not updated", append(lines, c.versionLines()...))
}

func joinLines(head string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return head + ":\n\t" + strings.Join(lines, "\n\t")
}

// line formats a change with its remedies, or with fallback if it has none. It
// returns "" if there is no fallback either.
func (c *comparison) line(change compat.Change, fallback string) string {
	var remedies []string
	if e := c.versions[change.Tool]; e != nil && e.Class == change.Class && e.Rule == "version.raised" {
		remedies = append(remedies, fmt.Sprintf("raise the version from %s to at least %s", e.Old, e.AtLeast))
	}
	if r, needed := c.reasonFor(change); needed && (r == nil || strings.TrimSpace(r.Why) == "") {
		instead := ""
		if change.Rule == removed {
			instead = "keep its name as an alias of its replacement, or deprecate it first, or "
		}
		remedy := fmt.Sprintf("write the reason in %s, to which %s=1 go test adds an entry", reasonsPath(c.path), updateEnv)
		if r != nil {
			remedy = fmt.Sprintf("write the reason in the member \"why\" of its entry in %s, then run %s=1 go test",
				reasonsPath(c.path), updateEnv)
		}
		remedies = append(remedies, instead+remedy)
	}
	switch {
	case len(remedies) > 0:
	case fallback == "":
		return ""
	default:
		remedies = append(remedies, fallback)
	}
	return strings.TrimSuffix(change.String(), ".") + wasAndNow(change) + "; " + strings.Join(remedies, "; ")
}

// wasAndNow returns a change's old and new value, if they are short.
func wasAndNow(change compat.Change) string {
	var parts []string
	if was := evidenceIn(change.From).display(); was != "" {
		parts = append(parts, "was "+was)
	}
	switch now := evidenceIn(change.To).display(); {
	case now != "":
		parts = append(parts, "now "+now)
	case len(change.From) > 0 && len(change.To) == 0:
		parts = append(parts, "removed")
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// versionLines returns a line for each low version that no change's line
// mentions.
func (c *comparison) versionLines() []string {
	var lines []string
	for _, e := range c.order {
		said := false
		for _, change := range c.changes {
			said = said || change.Tool == e.Tool && change.Class == e.Class && e.Rule == "version.raised"
		}
		if !said {
			lines = append(lines, strings.TrimPrefix(e.Error(), "compat: "))
		}
	}
	return lines
}

// reasonFor returns the entry for a change, or nil if there is none yet, and
// whether the change needs a reason. An entry with an empty "why" does not
// count as a reason.
func (c *comparison) reasonFor(change compat.Change) (entry *reason, needed bool) {
	if !needsReason(change) {
		return nil, false
	}
	blank := c.blankReason(change)
	for i := range c.reasons.Reasons {
		if r := &c.reasons.Reasons[i]; r.matches(blank) {
			return r, true
		}
	}
	return nil, true
}

// updatedReasons returns the reasons after an update: those that match a change
// or are in force, and a new one with an empty "why" for each change that lacks
// one.
func (c *comparison) updatedReasons() []reason {
	var updated []reason
	for _, r := range c.reasons.Reasons {
		if !c.isStale(r) {
			updated = append(updated, r)
		}
	}
	for _, change := range c.changes {
		if !needsReason(change) {
			continue
		}
		blank := c.blankReason(change)
		if !slices.ContainsFunc(updated, blank.matches) {
			updated = append(updated, blank)
		}
	}
	return updated
}

// isStale reports whether r matches no change and is not in force. A reason
// with an empty "why" is never in force, because its change was not recorded.
func (c *comparison) isStale(r reason) bool {
	for _, change := range c.changes {
		if needsReason(change) && r.matches(c.blankReason(change)) {
			return false
		}
	}
	return strings.TrimSpace(r.Why) == "" || !r.inForce(c.recorded) || !r.inForce(c.built)
}

func (c *comparison) staleLines() []string {
	var lines []string
	for _, r := range c.reasons.Reasons {
		if c.isStale(r) {
			lines = append(lines, fmt.Sprintf("%s: the reason for [%s] at %s in %s no longer matches anything; "+
				"remove it with %s=1 go test",
				r.Tool, r.Rule, cmp.Or(r.SideEffect.display(), strconv.Quote(r.Pointer)), reasonsPath(c.path), updateEnv))
		}
	}
	return lines
}
