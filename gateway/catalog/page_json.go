package catalog

import (
	"encoding/json"
	"net/http"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/internal/trifecta"
)

// A pageJSON is what [Handler] answers at the path with ".json". The parameters
// of the page select tools here too.
type pageJSON struct {
	// Format is the version of this form: 1.
	Format int `json:"format"`
	// Tools has the tools that the visitor may see, sorted from the highest
	// risk to the lowest, and then by name.
	Tools []pageTool `json:"tools"`
	// Trifecta has the roles of all tools that the visitor may see, whatever
	// the parameters select.
	Trifecta trifecta.Combination `json:"trifecta"`
	// Verdict says whether the tools can leak data without a person: yes, no or
	// unknown.
	Verdict string `json:"verdict"`
	// CycleChanges are the changes in the catalogue's last cycle, limited to
	// tools that the visitor may see. Auditors get all.
	CycleChanges []Change `json:"cycleChanges,omitempty"`
}

// A pageTool is one tool of a [pageJSON].
type pageTool struct {
	// Contract is the contract with its schemas, as the guard enforces it.
	Contract contract.Document `json:"contract"`
	// Server, Status, Facts and Problems are those of the [Entry]. Without a
	// catalogue there are none.
	Server   string    `json:"server,omitempty"`
	Status   string    `json:"status,omitempty"`
	Facts    []Fact    `json:"facts,omitempty"`
	Problems []Problem `json:"problems,omitempty"`
}

func (p *page) showJSON(v visit) {
	tools := p.list(v)
	f := filterOf(v.r.URL.Query(), serversOf(tools))
	roles := combination(tools)
	answer := pageJSON{
		Format: 1, Tools: []pageTool{}, Trifecta: roles, Verdict: verdict(roles, !v.isAuditor()), CycleChanges: p.changes(v, tools),
	}
	for _, t := range tools {
		if !f.matches(t) {
			continue
		}
		shown := pageTool{Contract: t.doc}
		if e := t.entry; e != nil {
			shown.Server = e.Server
			shown.Status = string(e.Status)
			shown.Facts = e.Facts
			shown.Problems = e.Problems
		}
		answer.Tools = append(answer.Tools, shown)
	}
	data, err := json.Marshal(answer)
	if err != nil {
		http.Error(v.w, "The contracts cannot be written.", http.StatusInternalServerError)
		return
	}
	v.w.Header().Set("Content-Type", "application/json")
	_, _ = v.w.Write(append(data, '\n')) // the client may have closed the connection
}
