package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/toolcontract/toolcontract/contract/contracttest/compat"
)

// compared is the JSON form of the difference between two snapshots.
type compared struct {
	// Compatible reports whether callers of the old contracts can call the new
	// ones.
	Compatible bool `json:"compatible"`
	// Downgrade reports whether a declared protection is weaker.
	Downgrade bool `json:"downgrade"`
	// Changes has all differences.
	Changes []compat.Change `json:"changes"`
	// Versions has an error for each tool whose version was raised by less than
	// its changes require.
	Versions []string `json:"versions"`
}

func diff(_ *flag.FlagSet, t *terminal) func(context.Context, []string) (int, error) {
	return func(_ context.Context, args []string) (int, error) {
		if len(args) != 2 {
			return statusFailed, errUsage
		}
		old, err := readSnapshot(args[0])
		if err != nil {
			return statusFailed, err
		}
		now, err := readSnapshot(args[1])
		if err != nil {
			return statusFailed, err
		}
		found := compared{Compatible: true, Changes: []compat.Change{}, Versions: []string{}}
		var text strings.Builder
		for _, c := range compat.Diff(old, now) {
			found.Changes = append(found.Changes, c)
			found.Compatible = found.Compatible && c.Class != compat.Breaking
			found.Downgrade = found.Downgrade || c.Downgrade
			fmt.Fprintln(&text, oneLine(c.String()))
		}
		for _, v := range compat.CheckVersions(old, now) {
			found.Versions = append(found.Versions, v.Error())
			fmt.Fprintln(&text, oneLine(v.Error()))
		}
		switch {
		case !found.Compatible:
			fmt.Fprint(&text, "not compatible")
		case len(found.Changes) == 0:
			fmt.Fprint(&text, "the contracts are equal")
		default:
			fmt.Fprint(&text, "compatible")
		}
		if found.Downgrade {
			fmt.Fprint(&text, "; a declared protection is weaker than before")
		}
		if err := t.print(found, text.String()); err != nil {
			return statusFailed, err
		}
		if !found.Compatible {
			return statusBad, nil
		}
		return statusOK, nil
	}
}

// readSnapshot reads the snapshot in a file.
func readSnapshot(path string) (compat.Snapshot, error) {
	data, err := os.ReadFile(path) //nolint:gosec // the person who runs the command names it
	if err != nil {
		return compat.Snapshot{}, err
	}
	s, err := compat.ParseSnapshot(data)
	if err != nil {
		return compat.Snapshot{}, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}
