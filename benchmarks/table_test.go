package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The README shows what the command writes: every ratio, in the order and with
// the meaning and the goal of the code, below a machine and a date. The figures
// are those of the machine on which they were measured.
func TestREADME_HasTheTableThatTheCommandWrites(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _, ok := tableIn(string(text))
	if !ok {
		t.Fatal("README.md has no table")
	}
	table = strings.Trim(table, "\n") + "\n"
	r, err := parseTable(table)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range ratios {
		if _, ok := r.Ratios[row.name]; !ok && !needsServers(row) {
			t.Errorf("README.md lacks %s; run: go run -C benchmarks . -write README.md", row.name)
		}
	}
	if got := r.table(); got != table {
		t.Errorf("README.md has another form of table than the command writes; run: go run -C benchmarks . -write "+
			"README.md\ngot:\n%s\nwant:\n%s", table, got)
	}
}

// needsServers reports whether a ratio compares stores. The table lacks it if
// it was written on a machine without their servers.
func needsServers(row ratioRow) bool {
	return strings.HasPrefix(row.name, "store_") || strings.HasPrefix(row.name, "processes_")
}

// parseTable reads the figures of a table.
func parseTable(table string) (report, error) {
	r := report{Ratios: map[string]float64{}, Spread: map[string][2]float64{}}
	head, rows, _ := strings.Cut(table, "\n")
	date, rest, ok1 := strings.Cut(strings.TrimPrefix(head, "Measured on "), ". Processor: ")
	machine, rounds, ok2 := strings.Cut(rest, ". Medians of up to ")
	number, err := strconv.Atoi(strings.TrimSuffix(rounds, " rounds."))
	if !ok1 || !ok2 || err != nil {
		return r, fmt.Errorf("the first line names no date, machine and rounds: %s", head)
	}
	r.Date, r.Machine, r.Rounds = date, machine, number
	for line := range strings.Lines(rows) {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		name := strings.Trim(cells[1], " `")
		if r.Ratios[name], err = strconv.ParseFloat(strings.TrimSpace(cells[3]), 64); err != nil {
			return r, fmt.Errorf("%s: %w", name, err)
		}
		var low, high float64
		if n, _ := fmt.Sscanf(strings.TrimSpace(cells[4]), "%g to %g", &low, &high); n == 2 {
			r.Spread[name] = [2]float64{low, high}
		}
	}
	return r, nil
}

// Every ratio names figures that a group measures.
func TestRatios_AreOfFiguresThatAreMeasured(t *testing.T) {
	t.Parallel()
	measured := map[string]bool{"redis_evalsha": true, "redis_plain": true, "redis_first_run": true, "redis_replay": true}
	for _, g := range groups() {
		for _, v := range g.variants {
			measured[v.name] = true
		}
	}
	for _, row := range ratios {
		for _, name := range row.of {
			if !measured[name] && !needsServers(row) {
				t.Errorf("%s: no group measures %s", row.name, name)
			}
		}
	}
}
