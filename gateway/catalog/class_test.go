package catalog_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/catalog"
	"github.com/toolcontract/toolcontract/internal/testing/enumtest"
	"github.com/toolcontract/toolcontract/risk"
)

// A randomServer lists one tool, whose contract it changes.
type randomServer struct {
	*rand.Rand

	names []string // of the tool so far; the others are its aliases
}

// contract returns what the server declares next, and whether that says how far
// a call can be undone: by a class, or by everything that the class follows
// from.
func (r *randomServer) contract() (d contract.Document, hasClass bool) {
	wholly := func(reach contract.Reach, undo contract.Undo) []contract.SideEffect {
		return []contract.SideEffect{{Description: "A row.", Reach: reach, Undo: undo}}
	}
	lists := [][]contract.SideEffect{
		nil, {{Description: "It says no more."}}, {{Description: "Where?", Undo: contract.Reversible}},
		wholly(contract.Internal, contract.Reversible), wholly(contract.External, contract.Reversible),
		wholly(contract.Internal, contract.Irreversible), wholly(contract.External, contract.Irreversible),
	}
	classes, effects := enumtest.All[risk.Reversibility](), enumtest.All[risk.Effect]()
	list := r.IntN(len(lists))
	d = contract.Document{Format: contract.Format, Effect: effects[r.IntN(len(effects))], SideEffects: lists[list]}
	if r.IntN(2) == 0 {
		d.Reversibility = classes[r.IntN(len(classes))]
	}
	return d, d.Reversibility != 0 || d.Effect == risk.Destructive || list >= 3
}

// tool returns the tool with a contract, now and then under a new name.
func (r *randomServer) tool(t *testing.T, d contract.Document) (tool, name string) {
	t.Helper()
	if len(r.names) == 0 || r.IntN(4) == 0 {
		r.names = append(r.names, fmt.Sprintf("a%d", len(r.names)))
	}
	last := len(r.names) - 1
	for _, i := range r.Perm(last) {
		d.Aliases = append(d.Aliases, r.names[i])
	}
	raw, err := json.Marshal(d)
	require.NoError(t, err)
	return fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"},"_meta":{"io.github.toolcontract/contract":%s}}`,
		r.names[last], raw), r.names[last]
}

// Whatever a server lists, one list after the other, the class of its tool is
// never easier to undo than the server declared before. A server that publishes
// the class that counts anyway stays served.
func TestRefresh_NoSequenceOfListsLowersAClass(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	served, quarantined := 0, 0
	for range 250 {
		s, lister := &randomServer{Rand: r}, listing()
		c := newCatalog(t, ownMail(lister))
		var hardest risk.Reversibility
		var before catalog.Entry
		var lists []string
		for i := range 5 {
			d, hasClass := s.contract()
			confirms := i > 0 && before.Status == catalog.Served && r.IntN(3) == 0
			if confirms {
				d = contract.Document{Format: contract.Format, Effect: before.Declared.Effect, SideEffects: before.Declared.SideEffects,
					Reversibility: before.Effective.Reversibility}
				hasClass = true
			}
			tool, name := s.tool(t, d)
			lister.tools = []string{tool}
			lists = append(lists, tool)
			cycle, err := c.Refresh(t.Context())
			require.NoError(t, err)
			e := entry(t, cycle, name)
			require.GreaterOrEqual(t, e.Effective.Reversibility, hardest, "%s", lists)
			if confirms {
				require.Equal(t, catalog.Served, e.Status, "%s", lists)
				require.Equal(t, before.Effective.Reversibility, e.Effective.Reversibility, "%s", lists)
				require.Empty(t, changes(cycle, "weaker"), "%s", lists)
			}
			if hasClass {
				hardest = max(hardest, e.Effective.Reversibility)
			}
			if e.Status == catalog.Served {
				served++
			} else {
				quarantined++
			}
			before = e
		}
	}
	require.Greater(t, served, 250)
	require.Greater(t, quarantined, 250)
}
