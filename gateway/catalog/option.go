package catalog

import (
	"cmp"
	"time"
)

// Options configure a [Catalog]. The zero value has the defaults.
type Options struct {
	// Overrides are the operator's decisions. Decisions about a server that is
	// not a [Source] are an error of [New].
	Overrides Overrides
	// Advice has other people's overrides, such as a list that a community
	// maintains. Each member counts only if it is stricter than what the server
	// declares, and never against Overrides.
	Advice []Overrides
	// StateFile is the path of the file that remembers what was seen. Only one
	// catalogue may use the file at a time: [Catalog.Refresh] returns an error
	// if another process has written it. There is no lock, so two processes
	// that write at the same moment are detected only in the next cycle. Empty:
	// nothing is remembered after the process ends.
	StateFile string
	// ListTimeout bounds how long one server may take to list its tools. Zero
	// or less: 30 seconds.
	ListTimeout time.Duration
	// MaxTools bounds the tools of one server. If the server lists more, none
	// of its list counts. Zero or less: 1000.
	MaxTools int
}

// effective returns o with the defaults filled in.
func (o Options) effective() Options {
	o.ListTimeout = cmp.Or(max(o.ListTimeout, 0), 30*time.Second)
	o.MaxTools = cmp.Or(max(o.MaxTools, 0), 1000)
	return o
}
