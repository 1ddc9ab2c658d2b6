package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
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
	// Allowed has the reasons of -allow-downgrade, by tool.
	Allowed map[string]string `json:"allowed,omitempty"`
	// Changes has all differences.
	Changes []compat.Change `json:"changes"`
	// Versions has an error for each tool whose version was raised by less than
	// its changes require.
	Versions []string `json:"versions"`
}

func diff(flags *flag.FlagSet, t *terminal) func(context.Context, []string) (int, error) {
	allowed := map[string]string{}
	usage := "accept the weaker protections of a tool, by its name and the reason: `NAME=reason`; may be repeated"
	flags.Func("allow-downgrade", usage, func(text string) error {
		name, reason, _ := strings.Cut(text, "=")
		if name == "" || strings.TrimSpace(reason) == "" {
			return errors.New("the value is not of the form NAME=reason")
		}
		allowed[name] = reason
		return nil
	})
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
		found, text, weaker := compare(old, now, allowed)
		for _, name := range slices.Sorted(maps.Keys(allowed)) {
			if !slices.Contains(weaker, name) {
				return statusFailed, fmt.Errorf("-allow-downgrade: no protection of %s is weaker; correct the name, or remove the flag",
					oneLine(name))
			}
		}
		if err := t.print(found, text); err != nil {
			return statusFailed, err
		}
		refused := slices.ContainsFunc(weaker, func(tool string) bool { return allowed[tool] == "" })
		if !found.Compatible || len(found.Versions) > 0 || refused {
			return statusBad, nil
		}
		return statusOK, nil
	}
}

// compare compares two snapshots. It also returns the text for people, and the
// tools with a weaker protection.
func compare(old, now compat.Snapshot, allowed map[string]string) (found compared, text string, weaker []string) {
	found = compared{Compatible: true, Allowed: allowed, Changes: []compat.Change{}, Versions: []string{}}
	var b strings.Builder
	accepted := true
	for _, c := range compat.Diff(old, now) {
		found.Changes = append(found.Changes, c)
		found.Compatible = found.Compatible && c.Class != compat.Breaking
		fmt.Fprint(&b, oneLine(c.String()))
		if c.Downgrade {
			found.Downgrade = true
			weaker = append(weaker, c.Tool)
			if reason := allowed[c.Tool]; reason != "" {
				fmt.Fprintf(&b, " (allowed: %s)", oneLine(reason))
			} else {
				accepted = false
			}
		}
		fmt.Fprintln(&b)
	}
	for _, v := range compat.CheckVersions(old, now) {
		found.Versions = append(found.Versions, v.Error())
		fmt.Fprintln(&b, oneLine(v.Error()))
	}
	switch {
	case !found.Compatible:
		fmt.Fprint(&b, "not compatible")
	case len(found.Changes) == 0:
		fmt.Fprint(&b, "the contracts are equal")
	default:
		fmt.Fprint(&b, "compatible")
	}
	if len(found.Versions) > 0 {
		fmt.Fprint(&b, "; a version was not raised enough")
	}
	switch {
	case found.Downgrade && accepted:
		fmt.Fprint(&b, "; a declared protection is weaker than before, which is allowed")
	case found.Downgrade:
		fmt.Fprint(&b, "; a declared protection is weaker than before: declare it again, or pass -allow-downgrade NAME=reason")
	}
	return found, b.String(), weaker
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
