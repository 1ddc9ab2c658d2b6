// Package version implements the version command.
package version

import (
	"context"
	"flag"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

// build is the JSON form of the version.
type build struct {
	Version string `json:"version"`
	Go      string `json:"go,omitempty"`
	// Revision is the commit that the binary was built from, with "+dirty" if
	// files had been changed.
	Revision string `json:"revision,omitempty"`
	// Library is the version of the library if it differs.
	Library string `json:"library,omitempty"`
}

// Command returns the version command.
func Command() cli.Command {
	return cli.Command{
		Name: "version", Purpose: "print the version of the command and of the library in it", Example: "version", JSON: true,
		Prepare: func(_ *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
			return func(_ context.Context, args []string) (cli.Status, error) {
				if len(args) > 0 {
					return cli.Failed, cli.Usage("no arguments are accepted")
				}
				found := current()
				parts := []string{"toolcontract " + found.Version, found.Revision, found.Library, found.Go}
				parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
				return cli.OK, t.Print(found, strings.Join(parts, ", "))
			}
		},
	}
}

func current() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return build{Version: "unknown"}
	}
	found := build{Version: info.Main.Version, Go: info.GoVersion}
	if found.Version == "" {
		found.Version = "(devel)"
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			found.Revision = s.Value + found.Revision
		case s.Key == "vcs.modified" && s.Value == "true":
			found.Revision += "+dirty"
		}
	}
	for _, dep := range info.Deps {
		if strings.HasPrefix(info.Main.Path, dep.Path+"/") && dep.Version != info.Main.Version {
			found.Library = "library " + dep.Version
		}
	}
	return found
}
