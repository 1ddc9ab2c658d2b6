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
)

// A report is what the command prints.
type report struct {
	Machine string             `json:"machine"`
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
		Machine: machine(), Rounds: rounds, Ratios: map[string]float64{}, Spread: map[string][2]float64{},
		NS: map[string]float64{}, Allocs: map[string]float64{},
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
		{callGroup(), 0}, {invalidGroup(), 0}, {guardGroup(), 0}, {parallelGroup(), 41}, {sizeGroup(), 15}, {listGroup(), 9},
		{stdioGroup(), 41}, {httpGroup(), 15}, {startGroup(), 9}, {buildGroup(), 3},
	}
}

// quotients are the ratios, from the figures of one round.
var quotients = []struct {
	name string
	of   []string // the figures that it needs
	is   func(ns func(string) float64) float64
}{
	{"call_full_vs_mcpgo_validated", []string{"full", "mcpgo_validated"}, quotient("full", "mcpgo_validated")},
	{"overhead_full_vs_overhead_mcpgo_validated", []string{"full", "mcpgo_validated", "mcpgo_bare"}, func(ns func(string) float64) float64 {
		return (ns("full") - ns("mcpgo_bare")) / (ns("mcpgo_validated") - ns("mcpgo_bare"))
	}},
	{"call_managed_vs_mcpgo_validated", []string{"managed", "mcpgo_validated"}, quotient("managed", "mcpgo_validated")},
	{"call_timeout_vs_mcpgo_validated", []string{"timeout", "mcpgo_validated"}, quotient("timeout", "mcpgo_validated")},
	{"call_full_vs_mcpgo_typed", []string{"full", "mcpgo_typed"}, quotient("full", "mcpgo_typed")},
	{"added_vs_gosdk_added", []string{"full", "mcpgo_bare", "gosdk_typed", "gosdk_bare"}, func(ns func(string) float64) float64 {
		return (ns("full") - ns("mcpgo_bare")) / (ns("gosdk_typed") - ns("gosdk_bare"))
	}},
	{"invalid_vs_mcpgo", []string{"invalid_full", "invalid_mcpgo"}, quotient("invalid_full", "invalid_mcpgo")},
	{"guard_alone_vs_decode_and_marshal", []string{"guard_alone", "decode_and_marshal"}, quotient("guard_alone", "decode_and_marshal")},
	{"parallel_vs_mcpgo_validated", []string{"parallel_full", "parallel_mcpgo_validated"}, quotient("parallel_full", "parallel_mcpgo_validated")},
	{"parallel_timeout_vs_mcpgo_validated", []string{"parallel_timeout", "parallel_mcpgo_validated"}, quotient("parallel_timeout", "parallel_mcpgo_validated")},
	{"size_1m_vs_mcpgo_validated", []string{"size_1024k_full", "size_1024k_mcpgo_validated"}, quotient("size_1024k_full", "size_1024k_mcpgo_validated")},
	{"list_1000_hints_vs_bare", []string{"list_1000_hints", "list_1000_mcpgo"}, quotient("list_1000_hints", "list_1000_mcpgo")},
	{"http_1000_clients_vs_mcpgo_validated", []string{"http_1000_mcpgo_validated", "http_1000_full"}, quotient("http_1000_mcpgo_validated", "http_1000_full")},
	{"start_100_tools_vs_mcpgo", []string{"start_100_tools_full", "start_100_tools_validated"}, quotient("start_100_tools_full", "start_100_tools_validated")},
	{"stdio_vs_mcpgo_bare", []string{"stdio_full", "stdio_bare"}, quotient("stdio_full", "stdio_bare")},
}

func quotient(over, under string) func(func(string) float64) float64 {
	return func(ns func(string) float64) float64 { return ns(over) / ns(under) }
}

// addRatios adds the ratios whose figures were measured.
func (r report) addRatios(all map[string][]float64) {
	for _, q := range quotients {
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
	fmt.Fprintf(&b, "%s; medians of up to %d rounds\n\n| ratio | median | quartiles |\n|---|---|---|\n", r.Machine, r.Rounds)
	for _, name := range slices.Sorted(maps.Keys(r.Ratios)) {
		spread := ""
		if s, ok := r.Spread[name]; ok {
			spread = fmt.Sprintf("%.2f to %.2f", s[0], s[1])
		}
		fmt.Fprintf(&b, "| %s | %.2f | %s |\n", name, r.Ratios[name], spread)
	}
	b.WriteString("\n| operation | µs | allocations |\n|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(r.NS)) {
		fmt.Fprintf(&b, "| %s | %.1f | %.0f |\n", name, r.NS[name]/1000, r.Allocs[name])
	}
	_, err := io.WriteString(w, b.String())
	return err
}
