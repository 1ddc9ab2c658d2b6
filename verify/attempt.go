package verify

import (
	"net/http"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contracttest"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/verify/internal/witness"
)

// An attempt is one case with its calls.
type attempt struct {
	input
	doc                    contract.Document // the clauses of this call
	preview, first, second observedCall
	repeatChanged          []string // what the second call changed; files by their contents
	resolved               []wrongResolution
	leaks                  []string
	searchable             int      // how many protected values were searched for
	causes                 []string // the errors in the audit log
}

// try makes the calls of one case.
func (v *verifier) try(in input) *attempt {
	v.t.Helper()
	c := &attempt{input: in, doc: v.doc}
	l := &runLog{}
	h := v.open(in, l)
	defer h.close()
	if v.doc.DryRun == dryrun.Supported || v.doc.DryRun == dryrun.Required {
		c.preview = h.call(func() (*contracttest.Result, error) { return h.preview(in) })
	}
	c.first = h.call(func() (*contracttest.Result, error) { return h.plain(in) })
	if mode := v.idempotency(); len(c.first.runs) > 0 && !c.first.hung && !c.first.running &&
		(mode == idempotency.Native || mode == idempotency.Managed || mode == idempotency.Keyed) {
		touched := pathsOf(c.first.events)
		before := contentsOf(touched)
		c.second = h.call(func() (*contracttest.Result, error) { return h.plain(in) })
		c.repeatChanged = c.changesOfRepeat(before)
	}
	c.resolve(l)
	events := h.client.Close()
	for _, e := range events {
		if e.Error != "" {
			c.causes = append(c.causes, e.Error)
		}
	}
	c.leaks = h.leaks(c, events)
	return c
}

// resolve takes from the log what the case's calls were resolved to.
func (c *attempt) resolve(l *runLog) {
	clauses, mistakes := l.take()
	c.resolved = mistakes
	if clauses != nil {
		c.doc = *clauses
	}
}

func (v *verifier) idempotency() idempotency.Mode {
	if v.doc.Idempotency == nil {
		return idempotency.None
	}
	return v.doc.Idempotency.Mode
}

// isReadOnly reports whether the case's clauses allow no change.
func (c *attempt) isReadOnly() bool { return c.doc.Effect == risk.ReadOnly }

// calls returns a case's calls that may have run the handler.
func (c *attempt) calls() []observedCall { return []observedCall{c.preview, c.first, c.second} }

func (c *attempt) previewed() bool {
	return c.preview.result != nil && c.preview.result.Outcome.Status == contract.StatusDryRun
}

// cause returns the last error in the case's audit log.
func (c *attempt) cause() string {
	if len(c.causes) == 0 {
		return "the audit log has no reason"
	}
	return oneLine(c.causes[len(c.causes)-1])
}

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

// contentsOf returns the contents of paths. A path that does not exist has
// empty contents.
func contentsOf(paths []string) map[string]string {
	all := map[string]string{}
	for _, path := range paths {
		all[path] = witness.Content(path)
	}
	return all
}

// changesOfRepeat returns what the second call of a case changed. A file it
// wrote counts only if its contents differ from those after the first call.
// before has the contents of the files that the first call touched.
func (c *attempt) changesOfRepeat(before map[string]string) []string {
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

// repeatChanges reports whether a second call's event changed something that
// the first call had not changed already.
func (c *attempt) repeatChanges(e witness.Event, before map[string]string) bool {
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
