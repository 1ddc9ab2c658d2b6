// Command benchmarks compares guarded tools with the same tools on bare SDKs:
// mark3labs/mcp-go, and the official Go SDK.
//
//	go run -C benchmarks .                    tables
//	go run -C benchmarks . -json              one object, for scripts
//	go run -C benchmarks . -write README.md   the table of ratios in a file
//
// All figures of a ratio come from one run. The variants of a group take turns,
// in a random order in every round, so that a busy machine slows all of them.
// A ratio is the median of the ratios of the rounds. Every variant's answer is
// checked before it is timed.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == child {
		os.Exit(serveChild())
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	set := flag.NewFlagSet("benchmarks", flag.ContinueOnError)
	set.SetOutput(stderr)
	asJSON := set.Bool("json", false, "print one JSON object")
	rounds := set.Int("rounds", 61, "the `number` of rounds of each group")
	write := set.String("write", "", "replace the table of ratios in this `file`")
	only := set.String("only", "", "run only the group of this `name`")
	if set.Parse(args) != nil {
		return 2
	}
	report, err := measureAll(*rounds, *only, func(group string) { fmt.Fprintln(stderr, "measuring", group) })
	if err != nil {
		fmt.Fprintln(stderr, "benchmarks:", err)
		return 1
	}
	switch {
	case *write != "":
		err = report.writeTable(*write)
	case *asJSON:
		err = json.NewEncoder(stdout).Encode(report)
	default:
		err = report.write(stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "benchmarks:", err)
		return 1
	}
	return 0
}
