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
	"flag"
	"fmt"
	"io"
	"math"
	"os"

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
		_, err := fmt.Sscanf(text, "%d-%d", &first, &last)
		return err
	})
	if err := set.Parse(args); err != nil {
		return 2
	}
	figures, err := figures(*folder, first, last, *each, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "replay:", err)
		return 1
	}
	if *asJSON {
		if err := json.NewEncoder(stdout).Encode(figures); err != nil {
			fmt.Fprintln(stderr, "replay:", err)
			return 1
		}
		return 0
	}
	figures.print(stdout)
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
