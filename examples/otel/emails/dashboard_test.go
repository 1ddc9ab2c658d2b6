package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	metric = regexp.MustCompile(`\b(?:mcp|toolcontract)_[a-z_]+\b`)
	label  = regexp.MustCompile(`\b(?:gen_ai|toolcontract|error|mcp|network)_[a-z_]+\b`)
)

// The dashboard uses the names that Prometheus gives to the metrics and
// attributes of package otel.
func TestDashboard_NamesOnlyWhatPackageOtelReports(t *testing.T) {
	t.Parallel()
	listed, err := os.ReadFile("../../../otel/attributes.md")
	require.NoError(t, err)
	known := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_.]+)` \\| ([a-z- ]+)").FindAllStringSubmatch(string(listed), -1) {
		name := strings.ReplaceAll(m[1], ".", "_")
		known[name] = true
		switch strings.TrimSpace(m[2]) {
		case "counter":
			known[name+"_total"] = true
		case "histogram":
			known[name+"_seconds_bucket"], known[name+"_seconds_count"] = true, true
		}
	}
	raw, err := os.ReadFile("dashboard.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			Title, Description string
			Targets            []struct{ Expr, LegendFormat string }
		}
	}
	require.NoError(t, json.Unmarshal(raw, &dashboard))
	require.NotEmpty(t, dashboard.Panels)
	for _, panel := range dashboard.Panels {
		assert.NotEmpty(t, panel.Description, panel.Title)
		require.NotEmpty(t, panel.Targets, panel.Title)
		for _, target := range panel.Targets {
			require.Regexp(t, metric, target.Expr, panel.Title)
			for _, name := range label.FindAllString(target.Expr+" "+target.LegendFormat, -1) {
				assert.True(t, known[name], "%s: %s", panel.Title, name)
			}
		}
	}
}
