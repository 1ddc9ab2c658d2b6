// Command replay takes recorded runs of an agent at an airline's service desk
// through the contracts of package counter, and counts what they stop.
//
//	go run ./examples/airline/replay -data DIR                all runs in the folder
//	go run ./examples/airline/replay -data DIR -tasks 0-24    only the runs of these tasks
//	go run ./examples/airline/replay -data DIR -json          the figures as JSON
//	go run ./examples/airline/replay -data DIR -each          also each write that is wrong or refused
//
// The folder is a checkout of the benchmark tau-bench, or has its files. The
// replay needs no model and no network.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/toolcontract/toolcontract/examples/airline/desk"
)

func main() { os.Exit(replayed(os.Args[1:], os.Stdout, os.Stderr)) }

func replayed(args []string, stdout, stderr io.Writer) int {
	set := flag.NewFlagSet("replay", flag.ContinueOnError)
	set.SetOutput(stderr)
	folder := set.String("data", "", "the `FOLDER` with the database and the recorded runs")
	asJSON := set.Bool("json", false, "print the figures as JSON")
	each := set.Bool("each", false, "print each write that is wrong or refused to standard error")
	first, last := 0, math.MaxInt
	set.Func("tasks", "replay only the runs of the tasks `FIRST-LAST`", func(text string) error {
		from, to, _ := strings.Cut(text, "-")
		low, err := strconv.ParseUint(from, 10, 31)
		high, err2 := strconv.ParseUint(to, 10, 31)
		if err != nil || err2 != nil || low > high {
			return errors.New("two task numbers such as 0-24 are required")
		}
		first, last = int(low), int(high)
		return nil
	})
	if err := set.Parse(args); err != nil {
		return 2
	}
	if set.NArg() > 0 {
		fmt.Fprintln(stderr, "replay: there are only flags; see -help")
		return 2
	}
	figures, err := figures(*folder, first, last, *each, stderr)
	switch {
	case err != nil:
	case *asJSON:
		err = json.NewEncoder(stdout).Encode(figures)
	default:
		figures.print(stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "replay:", err)
		return 2
	}
	return 0
}

func figures(folder string, first, last int, each bool, stderr io.Writer) (*Figures, error) {
	data, err := desk.Load(folder)
	if err != nil {
		return nil, err
	}
	runs, err := recorded(folder, first, last)
	if err != nil {
		return nil, err
	}
	if !each {
		stderr = nil
	}
	return replayAll(context.Background(), data, runs, stderr)
}
