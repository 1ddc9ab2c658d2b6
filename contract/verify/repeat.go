package verify

import (
	"net/http"
	"slices"

	"github.com/toolcontract/toolcontract/contract/verify/internal/witness"
)

// pathsOf returns the paths that events change, sorted.
func pathsOf(events []witness.Event) []string {
	var all []string
	for _, e := range events {
		if changes(e) && e.Kind != witness.Exec {
			all = append(all, e.Path, e.To)
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(path string) bool { return path == "" })
}

// contentsOf returns the contents of paths. A path that does not exist has an
// empty one.
func contentsOf(paths []string) map[string]string {
	all := map[string]string{}
	for _, path := range paths {
		all[path] = witness.Content(path)
	}
	return all
}

// repeated returns what the second call of a case changed. A file that it wrote
// counts only if its content differs from that after the first call. before has
// the contents of the files that the first call touched.
func (c *tried) repeated(before map[string]string) []string {
	var all []string
	for _, change := range c.second.changes {
		e := slices.IndexFunc(c.second.events, func(e witness.Event) bool { return e.String() == change })
		if e < 0 { // of the state
			all = append(all, change)
			continue
		}
		if c.repeatChanges(c.second.events[e], before) {
			all = append(all, change)
		}
	}
	return all
}

// repeatChanges reports whether an event of a second call changed something
// that the first call had not changed already.
func (c *tried) repeatChanges(e witness.Event, before map[string]string) bool {
	switch e.Kind {
	case witness.Request:
		return e.Method != http.MethodPut && e.Method != http.MethodDelete // RFC 9110, section 9.2.2
	case witness.Exec:
		return false // what it writes is an event of its own
	case witness.Mode:
		was, known := before[e.Path]
		return known && was != witness.Content(e.Path)
	default:
	}
	if e.Path == "" {
		return true
	}
	for _, path := range []string{e.Path, e.To} {
		if path == "" {
			continue
		}
		was, known := before[path]
		if now := witness.Content(path); known && was != now || !known && now != "" {
			return true
		}
	}
	return false
}
