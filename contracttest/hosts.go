package contracttest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/host"
	"github.com/toolcontract/toolcontract/risk"
)

// CheckHosts fails t for every finding of [InspectHosts] with the severity
// [Error], and logs the others, for all hosts that run calls. Pass all tools of
// a server at once.
//
// To choose hosts, or to accept a finding, call InspectHosts:
//
//	hosts, err := host.Find("codex@2026-10,vscode")
//	…
//	contracttest.InspectHosts(hosts, tools...).
//		Accept("host.hints.unasked", "The write can be undone.", "notes_add").
//		Assert(t)
func CheckHosts(t testing.TB, tools ...*contract.Tool) {
	t.Helper()
	hosts, err := host.Find("")
	if err != nil {
		t.Fatalf("contracttest: %v", err)
	}
	InspectHosts(hosts, tools...).Assert(t)
}

// InspectHosts returns what hosts do with the tools as tools/list shows them,
// with the default naming. It calls no handler. Findings have the tool's name
// as listed.
//
// A forbidden tool is not listed, so it has no findings. A tool that cannot be
// listed is a finding of [Inspect].
func InspectHosts(hosts []host.Host, tools ...*contract.Tool) Inspection {
	var s host.Server
	r := Inspection{Tools: []string{}, Findings: []Finding{}}
	if len(tools) == 0 {
		return r.with(finding(ruleToolsNone, "", "", "there is nothing to inspect"))
	}
	for _, t := range tools {
		if t == nil {
			r.Findings = append(r.Findings, finding(ruleToolNil, "", "", "a tool is nil"))
			continue
		}
		doc := t.Document()
		if doc.Risk == risk.Forbidden {
			continue
		}
		if raw, err := ListedJSON(doc, contract.TierFull, contract.Underscore); err == nil {
			s.Tools = append(s.Tools, raw)
		}
	}
	found := InspectServer(hosts, s)
	r.Tools = found.Tools
	return r.with(found.Findings...)
}

// InspectServer returns what hosts do with a server, which need not have
// contracts. It returns the findings of [host.Lint].
func InspectServer(hosts []host.Host, s host.Server) Inspection {
	r := Inspection{Tools: []string{}, Findings: []Finding{}}
	for _, raw := range s.Tools {
		var t struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(raw, &t) == nil && t.Name != "" {
			r.Tools = append(r.Tools, t.Name)
		}
	}
	for _, f := range host.Lint(s, hosts...) {
		r.Findings = append(r.Findings, Finding{
			Rule: f.Rule, Severity: Severity(f.Level), Host: f.Host, Tool: f.Tool, Clause: strings.TrimPrefix(f.Pointer, "/"),
			Message: f.Message, Remedy: f.Remedy,
		})
	}
	return r.with()
}
