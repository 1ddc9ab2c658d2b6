package lint

import (
	"maps"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/contracttest"
)

// The parts of SARIF 2.1.0 that are used.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string    `json:"id"`
		HelpURI string    `json:"helpUri"`
		Help    sarifText `json:"help"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			StartLine int `json:"startLine"`
		} `json:"region"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
)

const (
	sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"
	project     = "https://github.com/toolcontract/toolcontract"
	pageOfRules = project + "/blob/main/docs/rules.md"
)

// sarif returns the findings as a SARIF log. Code scanning shows a finding in
// the file, on the line with the tool's name.
func sarif(found contracttest.Inspection, file source) (string, error) {
	log := sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: make([]sarifRun, 1)}
	run := &log.Runs[0]
	run.Tool.Driver = sarifDriver{Name: "toolcontract lint", InformationURI: project, Rules: []sarifRule{}}
	run.Results = []sarifResult{}
	remedies := map[string]string{}
	for _, f := range found.Findings {
		remedies[f.Rule] = f.Remedy
	}
	ids := slices.Sorted(maps.Keys(remedies))
	for _, id := range ids {
		rule := sarifRule{ID: id, HelpURI: pageOfRules + "#" + id, Help: sarifText{remedies[id]}}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule)
	}
	for _, f := range found.Findings {
		run.Results = append(run.Results, resultOf(f, slices.Index(ids, f.Rule), file))
	}
	encoded, err := cli.JSON(log, "  ")
	return string(encoded), err
}

func resultOf(f contracttest.Finding, rule int, file source) sarifResult {
	level := map[contracttest.Severity]string{contracttest.Warning: "warning", contracttest.Info: "note"}[f.Severity]
	if level == "" {
		level = "error"
	}
	r := sarifResult{RuleID: f.Rule, RuleIndex: rule, Level: level, Message: sarifText{cli.OneLine(f.Message + "; " + f.Remedy)}}
	var at sarifLocation
	if file.path != "" {
		at.Physical = &sarifPhysical{}
		at.Physical.Artifact.URI = (&url.URL{Path: filepath.ToSlash(file.path)}).String()
		at.Physical.Region.StartLine = file.line(f.Tool)
	}
	if f.Tool != "" {
		name := f.Tool
		if f.Clause != "" {
			name += "/" + f.Clause
		}
		at.Logical = []sarifLogical{{cli.OneLine(name)}}
	}
	if at.Physical == nil && at.Logical == nil {
		r.Locations = []sarifLocation{}
	} else {
		r.Locations = []sarifLocation{at}
	}
	if f.Accepted != "" {
		r.Suppressions = []sarifSuppression{{"external", f.Accepted}}
	}
	return r
}
