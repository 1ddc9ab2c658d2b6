package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// A theme is what a step is about, by the name that -only takes.
type theme string

const (
	themeBasics       theme = "basics"
	themeIdempotency  theme = "idempotency"
	themeArguments    theme = "arguments"
	themePermissions  theme = "permissions"
	themeConfirmation theme = "confirmation"
	themeDryRun       theme = "dry-run"
	themeFailures     theme = "failures"
	themeResults      theme = "results"
	themeLimits       theme = "limits"
	themeResolve      theme = "resolve"
	themeStepUp       theme = "step-up"
	themeAudit        theme = "audit"
	themeNames        theme = "names"
)

// A themeRow is a theme with one line about it.
type themeRow struct {
	theme theme
	about string
}

// themes returns every theme, in the order of the first step of each.
func themes() []themeRow {
	return []themeRow{
		{themeBasics, "what three callers see, and a valid call"},
		{themeIdempotency, "a call that is made twice, and a key that is used twice"},
		{themeArguments, "arguments that do not fit the schema"},
		{themePermissions, "callers without permission, and a forbidden tool"},
		{themeConfirmation, "a person approves, declines, or cannot be asked"},
		{themeDryRun, "a preview before the call"},
		{themeFailures, "declared failures, undeclared errors and a panic"},
		{themeResults, "text that cannot be trusted, and a result that breaks its schema"},
		{themeLimits, "timeouts, rates, busy tools and repeated failures"},
		{themeResolve, "a contract that depends on the arguments"},
		{themeStepUp, "an authentication that is too old"},
		{themeAudit, "an audit log that cannot be written"},
		{themeNames, "a name that a tool had before"},
	}
}

// listThemes writes one line for each theme.
func listThemes(w io.Writer) error {
	var b strings.Builder
	for _, row := range themes() {
		fmt.Fprintf(&b, "%-14s%s\n", row.theme, row.about)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// checkTheme returns an error if no step has the theme. The empty theme means
// all steps.
func checkTheme(only theme) error {
	if only == "" {
		return nil
	}
	for _, row := range themes() {
		if row.theme == only {
			return nil
		}
	}
	return errors.New("-only: no theme has this name; run with -list to see them")
}
