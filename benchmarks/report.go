package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A report is what the command prints.
type report struct {
	Machine string             `json:"machine"`
	Date    string             `json:"date"`
	Rounds  int                `json:"rounds"`
	Ratios  map[string]float64 `json:"ratios"`
	// Spread has the first and third quartile of the ratios that have rounds.
	Spread map[string][2]float64 `json:"spread"`
	NS     map[string]float64    `json:"ns"`
	Allocs map[string]float64    `json:"allocs"`
}

// measureAll measures the groups, or the only one with a name. It reports each
// group before it begins.
func measureAll(rounds int, only string, begins func(group string)) (report, error) {
	r := report{
		Machine: machine(), Date: time.Now().Format(time.DateOnly), Rounds: rounds, Ratios: map[string]float64{},
		Spread: map[string][2]float64{},
		NS:     map[string]float64{}, Allocs: map[string]float64{},
	}
	all := map[string][]float64{}
	for _, g := range groups() {
		if only != "" && g.name != only {
			continue
		}
		begins(g.name)
		f, err := measure(g.group, min(rounds, cmp.Or(g.most, rounds)))
		if err != nil {
			return r, err
		}
		for name, ns := range f.ns {
			all[name], r.NS[name], r.Allocs[name] = ns, math.Round(median(ns)), math.Round(f.allocs[name])
		}
	}
	r.addRatios(all)
	return r, r.addSizes(only)
}

// A limitedGroup has at most so many rounds; 0 means no limit.
type limitedGroup struct {
	group

	most int
}

func groups() []limitedGroup {
	return []limitedGroup{
		{callGroup(), 0}, {gosdkGroup(), 0}, {gosdkToolsGroup(), 21}, {requestServerGroup(), 15}, {invalidGroup(), 0},
		{guardGroup(), 0}, {parallelGroup(), 41}, {sizeGroup(), 15}, {listGroup(), 9},
		{questionGroup(), 41}, {redisGroup(), 21}, {storesGroup(), 21}, {processesGroup(), 5},
		{auditGroup(), 11}, {stdioGroup(), 41}, {httpGroup(), 21},
		{startGroup(), 9}, {buildGroup(), 3}, {wrapGroup(), 9},
	}
}

// addRatios adds the ratios whose figures were measured.
func (r report) addRatios(all map[string][]float64) {
	for _, q := range ratios {
		if q.is == nil {
			continue
		}
		rounds := math.MaxInt
		for _, name := range q.of {
			rounds = min(rounds, len(all[name]))
		}
		if rounds == 0 {
			continue
		}
		found := over(rounds, func(round int) float64 { return q.is(func(name string) float64 { return all[name][round] }) })
		r.Ratios[q.name], r.Spread[q.name] = places(found.median), [2]float64{places(found.low), places(found.high)}
	}
}

// addSizes adds the ratios that are not times.
func (r report) addSizes(only string) error {
	if ns, ok := r.NS["build_1000_tools"]; ok {
		r.Ratios["build_1000_tools_ms"] = math.Round(ns / 1e6)
		heap, err := heapOfTools()
		if err != nil {
			return err
		}
		r.Ratios["heap_kib_per_tool"] = places(heap)
	}
	if only == "" || only == "list" {
		bytes, err := summaryBytes()
		if err != nil {
			return err
		}
		r.Ratios["list_1000_summary_bytes_per_tool"] = bytes
	}
	return nil
}

func places(v float64) float64 { return math.Round(v*1000) / 1000 }

// machine names the processor, its cores, and Go.
func machine() string {
	model := "unknown processor"
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d cores, %s/%s, %s", model, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// write writes the report as tables of Markdown.
func (r report) write(w io.Writer) error {
	var b strings.Builder
	b.WriteString(r.table())
	b.WriteString("\n| operation | µs | allocations |\n|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(r.NS)) {
		fmt.Fprintf(&b, "| %s | %.1f | %.0f |\n", name, r.NS[name]/1000, r.Allocs[name])
	}
	_, err := io.WriteString(w, b.String())
	return err
}
