package operator

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// A summary is the JSON form of what a state holds.
type summary struct {
	// FileBytes is the size of the file and its log, or zero for a database.
	FileBytes   int64            `json:"fileBytes,omitempty"`
	Principals  int64            `json:"principals"`
	Records     map[string]int64 `json:"records"`
	ResultBytes int64            `json:"resultBytes"`
	Nonces      int64            `json:"nonces"`
	Counts      int64            `json:"counts"`
	// Unknown lists the unknown outcomes, oldest first, at most 100.
	Unknown []unknown `json:"unknown"`
}

type unknown struct {
	LookupKey string `json:"lookupKey"`
	// Since is when the call was last believed to be running, and Until is when
	// its record expires.
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
}

func show(_ *flag.FlagSet, j *job) func(context.Context, []string) (int, error) {
	return func(ctx context.Context, args []string) (int, error) {
		s, err := j.sourceOf(args[0])
		if err != nil {
			return failed, err
		}
		found, err := j.inspect(ctx, s)
		if err != nil {
			return failed, err
		}
		out := summaryOf(found)
		for _, suffix := range []string{"", "-wal"} {
			if info, err := os.Stat(s.path + suffix); s.path != "" && err == nil {
				out.FileBytes += info.Size()
			}
		}
		return ok, j.print(out, out.text(j.Name))
	}
}

// recordStates are the states of records, in the order in which the text shows
// them.
var recordStates = []store.RecordState{store.InProgress, store.Completed, store.Failed, store.Unknown}

func summaryOf(found sqlstore.Summary) summary {
	s := summary{
		Principals: found.Principals, Records: map[string]int64{}, ResultBytes: found.ResultBytes, Nonces: found.Nonces,
		Counts: found.Counts, Unknown: []unknown{},
	}
	for _, state := range recordStates {
		s.Records[state.String()] = found.Records[state]
	}
	for _, u := range found.Unknown {
		s.Unknown = append(s.Unknown, unknown{u.Key.String(), u.Since.UTC().Truncate(time.Second), u.Until.UTC().Truncate(time.Second)})
	}
	return s
}

// shownUnknown is how many unknown outcomes the text shows.
const shownUnknown = 10

func (s summary) text(program string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if s.FileBytes > 0 {
		fmt.Fprintf(w, "size\t%s\n", size(s.FileBytes))
	}
	fmt.Fprintf(w, "principals\t%d\n", s.Principals)
	for _, state := range recordStates {
		fmt.Fprintf(w, "calls %s\t%d\n", strings.ReplaceAll(state.String(), "_", " "), s.Records[state.String()])
	}
	fmt.Fprintf(w, "results\t%s\n", size(s.ResultBytes))
	fmt.Fprintf(w, "used approvals and dry runs\t%d\n", s.Nonces)
	fmt.Fprintf(w, "counts of failures and questions\t%d\n", s.Counts)
	_ = w.Flush() // to memory, which cannot fail
	if len(s.Unknown) > 0 {
		b.WriteString("\nThe oldest unknown outcomes, by lookup key:\n")
		for i, u := range s.Unknown {
			if i == shownUnknown {
				b.WriteString("-json has more.\n")
				break
			}
			fmt.Fprintf(&b, "%s\n  since %s, until %s\n", u.LookupKey, u.Since.Format(time.RFC3339), u.Until.Format(time.RFC3339))
		}
		fmt.Fprintf(&b, "Find out what happened, and run %s settle.\n", program)
	}
	return b.String()
}

// size formats a number of bytes for people.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	default:
		return fmt.Sprintf("%.1f MB", float64(n)/1000_000)
	}
}
