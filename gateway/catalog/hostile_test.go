package catalog_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gateway/catalog"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/trust"
)

// A listerFunc is a server that behaves in any way.
type listerFunc func(context.Context) (client.Listing, error)

func (f listerFunc) ListTools(ctx context.Context) (client.Listing, error) { return f(ctx) }

// beside returns a hostile server and one that is not. Its tool must be listed
// whatever the other does.
func beside(hostile catalog.Lister) []catalog.Source {
	return []catalog.Source{{Name: "hostile", Lister: hostile}, {Name: "mail", Lister: listing(tool("send", ""))}}
}

// unharmed checks that the server beside a hostile one is listed.
func unharmed(t *testing.T, c catalog.Cycle) {
	t.Helper()
	assert.Equal(t, catalog.Served, entry(t, c, "send").Status)
	assert.Equal(t, "mail", entry(t, c, "send").Server)
	assert.Equal(t, catalog.Server{Name: "mail", Tools: 1}, c.Servers[1])
}

func TestRefresh_TooManyToolsAreNoList(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 10_000 {
		many = append(many, tool(fmt.Sprintf("t%d", i), ""))
	}
	c := refresh(t, newCatalog(t, beside(listing(many...))))
	unharmed(t, c)
	assert.Len(t, c.Entries, 1)
	assert.Equal(t, []string{"list.tools"}, rules(c.Servers[0].Problems))
	assert.True(t, c.Servers[0].Stale)

	c = refresh(t, newCatalog(t, beside(listing(many...)), withMaxTools(10_000), withStateFile(stateFile(t))))
	unharmed(t, c)
	assert.Len(t, c.Entries, 10_001)
}

func TestRefresh_LongTextsAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 500_000)
	c := refresh(t, newCatalog(t,
		beside(listing(tool("a", `"title":"`+long+`","description":"`+long+
			`","_meta":{"io.github.toolcontract/contract":{"effect":"read-only","category":"`+long[:20_000]+`"}}`)))))
	unharmed(t, c)
	e := entry(t, c, "a")
	assert.Equal(t, catalog.Served, e.Status)
	assert.ElementsMatch(t, []string{"tool.text", "tool.text"}, rules(e.Problems))
	raw, err := json.Marshal(e)
	require.NoError(t, err)
	assert.Less(t, len(raw), 100_000)
	assert.True(t, strings.HasSuffix(e.Definition.Description, "ä…"))
}

func TestRefresh_ALargeSchemaIsQuarantined(t *testing.T) {
	t.Parallel()
	schema := `{"type":"object","description":"` + strings.Repeat("a", 300_000) + `"}`
	c := refresh(t, newCatalog(t, beside(listing(`{"name":"a","inputSchema":`+schema+`}`, `{"name":"b","inputSchema":[]}`))))
	unharmed(t, c)
	for _, name := range []string{"a", "b"} {
		assert.Equal(t, catalog.Quarantined, entry(t, c, name).Status)
		assert.Equal(t, []string{"tool.schema"}, rules(entry(t, c, name).Problems))
	}
}

func TestRefresh_TextsOfServersAreCleaned(t *testing.T) {
	t.Parallel()
	hidden := `\u001b[2Ja\u202eb\u200bc\u0000`
	listed := `{"name":"a","title":"` + hidden + `","description":"` + hidden + `","annotations":{"title":"` + hidden + `"},
		"inputSchema":{"type":"object","description":"` + hidden + `"},
		"_meta":{"io.github.toolcontract/contract":{"effect":"destructive","version":"1.0.0-` + hidden + `","aliases":["` + hidden + `"],
			"permissions":["` + hidden + `"],"sideEffects":[{"description":"` + hidden + `"}],"metadata":{"` + hidden + `":"` + hidden + `"},"` + hidden + `":1}}}`
	c := refresh(t, newCatalog(t, beside(listing(listed))))
	unharmed(t, c)
	raw, err := json.Marshal(c)
	require.NoError(t, err)
	var tree any
	require.NoError(t, json.Unmarshal(raw, &tree))
	assertClean(t, tree)
	definition, err := json.Marshal(entry(t, c, "a").Definition)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(definition, &tree))
	assertClean(t, tree)
}

// assertClean checks every text in a tree.
func assertClean(t *testing.T, tree any) {
	t.Helper()
	switch v := tree.(type) {
	case string:
		_, hidden := trust.Sanitize(v)
		assert.Zero(t, hidden, "%q", v)
	case []any:
		for _, item := range v {
			assertClean(t, item)
		}
	case map[string]any:
		for name, value := range v {
			assertClean(t, name)
			assertClean(t, value)
		}
	}
}

// A newer server can declare a value that this version does not know. The other
// clauses of its contract count all the same.
func TestRefresh_AClauseThatCannotBeReadHarmsNoOther(t *testing.T) {
	t.Parallel()
	c := refresh(t, newCatalog(t, mail(listing(declared("send", `"effect":"low-risk-write","sends":true,"timeoutMs":5000,`+
		`"sideEffects":[{"description":"A mail.","reach":"galactic"}],"rateLimit":7`)))))
	e := entry(t, c, "send")
	assert.True(t, e.Effective.Sends)
	assert.Equal(t, 5*time.Second, e.Effective.Timeout)
	assert.Empty(t, e.Effective.SideEffects)
	assert.Nil(t, e.Effective.RateLimit)
	assert.Equal(t, []string{"fact.value", "fact.value"}, rules(e.Problems))
	assert.Equal(t, []string{"rateLimit", "sideEffects"}, []string{e.Problems[0].Where, e.Problems[1].Where})
}

// A gateway asks about every call, because it does not know which arguments
// weaken one. That includes servers whose least it cannot read.
func TestRefresh_AGatewayEnforcesTheDeclaredEndOfAContract(t *testing.T) {
	t.Parallel()
	for least, known := range map[string]bool{
		`{"risk":"low","effect":"read-only","confirmation":"never","permissions":[]}`: true,
		`{"risk":"tiny"}`: false, `{"confirmation":"sometimes"}`: false, `"low"`: false,
	} {
		c := refresh(t, newCatalog(t, mail(listing(declared("send", `"effect":"destructive","confirmation":"always","resolves":`+
			least)))))
		e := entry(t, c, "send")
		assert.Equal(t, known, e.Declared.Resolves != nil, least)
		assert.Equal(t, known, len(e.Problems) == 0, least)
		assert.Nil(t, e.Effective.Resolves, least)
		assert.Equal(t, contract.ConfirmationAlways, e.Effective.Confirmation, least)
		assert.False(t, e.Effective.Autonomous, least)
	}
}

// A gateway repeats no call at the system that has the effect, so its own
// contract promises less than the server's.
func TestRefresh_AGatewayDoesNotFindOutWhatALostCallDid(t *testing.T) {
	t.Parallel()
	c := refresh(t, newCatalog(t, mail(listing(declared("send", `"effect":"low-risk-write","risk":"medium","permissions":["a:b"],`+
		`"idempotency":{"mode":"managed","keyFields":["id"]},"reconcile":{"quietSeconds":30},"failureModes":[{"code":`+
		`"outcome_unknown","class":"retryable","description":"Not known yet.","by":"tool","effectPossible":true}]`)))))
	e := entry(t, c, "send")
	assert.Empty(t, e.Problems)
	assert.Equal(t, &contract.Reconciling{Quiet: 30 * time.Second}, e.Declared.Reconcile)
	assert.Nil(t, e.Effective.Reconcile)
	built, err := e.Contract(refuse, wrapConfig).From(contract.Base{Description: "Sends."}).Build()
	require.NoError(t, err)
	for _, m := range built.Document().FailureModes {
		if m.Code == contract.CodeOutcomeUnknown {
			assert.Equal(t, contract.ClassFatal, m.Class)
		}
	}
}

// The summary of a tool says that its calls need a key. Its hint alone would
// make the gateway forward calls without one, and all of them would be refused.
func TestRefresh_ASummaryThatRequiresAKeyMakesTheGatewayRequireOne(t *testing.T) {
	t.Parallel()
	c := refresh(t, newCatalog(t, mail(listing(tool("send", `"annotations":{"idempotentHint":true},`+
		`"_meta":{"io.github.toolcontract/contract":{"format":1,"effect":"low-risk-write","autonomous":true,"failureCodes":[],`+
		`"idempotentForSeconds":86400,"keyRequired":true}}`)))))
	e := entry(t, c, "send")
	require.NotNil(t, e.Effective.Idempotency)
	assert.Equal(t, idempotency.Managed, e.Effective.Idempotency.Mode)
	assert.True(t, e.Effective.Idempotency.KeyRequired)
	assert.Equal(t, "contract", e.Fact("idempotency").Origin)
}

func TestRefresh_ToolsThatCannotBeReadAreLeftOut(t *testing.T) {
	t.Parallel()
	broken := []string{
		`"a"`, `{`, `{"name":"a","name":"b"}`, `{"name":"a b"}`, `{"name":""}`, `{"name":7}`, `{}`, "{\"name\":\"\xff\"}",
		`{"NAME":"send"}`,
		`{"name":"` + strings.Repeat("a", 200) + `"}`, `{"name":"deep","inputSchema":` + strings.Repeat("[", 5000) + strings.Repeat("]",
			5000) + `}`,
	}
	c := refresh(t, newCatalog(t, beside(listing(append(broken, tool("fine", ""))...))))
	unharmed(t, c)
	assert.Len(t, c.Entries, 2)
	assert.Len(t, c.Servers[0].Problems, len(broken))
	assert.Equal(t, "/tools/0", c.Servers[0].Problems[0].Where)

	c = refresh(t, newCatalog(t, beside(listing(append(make([]string, 500), tool("fine", ""))...))))
	unharmed(t, c)
	assert.Len(t, c.Servers[0].Problems, 21, "many of them are counted")
}

func TestRefresh_ANameThatStandsTwice(t *testing.T) {
	t.Parallel()
	same, other := declared("a", `"effect":"read-only"`), declared("a", `"effect":"destructive"`)
	c := refresh(t, newCatalog(t, beside(listing(same, same))))
	unharmed(t, c)
	assert.Equal(t, catalog.Served, entry(t, c, "a").Status, "a list that changes while it is paged can repeat a tool")
	for _, tools := range [][]string{{same, other}, {other, same}, {same, same, other}} {
		c = refresh(t, newCatalog(t, beside(listing(tools...))))
		unharmed(t, c)
		e := entry(t, c, "a")
		assert.Equal(t, catalog.Quarantined, e.Status)
		assert.Equal(t, []string{"tool.twice"}, rules(e.Problems))
	}
}

func TestRefresh_NamesThatCollideGetAPrefix(t *testing.T) {
	t.Parallel()
	path := stateFile(t)
	first, second := listing(tool("send", "")), listing()
	sources := []catalog.Source{{Name: "zeta", Lister: first}, {Name: "alpha", Lister: second}}
	refresh(t, newCatalog(t, sources, withStateFile(path)))

	second.tools = []string{tool("send", ""), tool("Send", ""), tool("other", "")}
	c := refresh(t, newCatalog(t, sources, withStateFile(path)))
	assert.Equal(t, "zeta", entry(t, c, "send").Server, "the tool that had the name first has it still")
	assert.Equal(t, "alpha", entry(t, c, "alpha.Send").Server)
	assert.Equal(t, "alpha", entry(t, c, "other").Server)
	assert.Len(t, c.Entries, 3)
	assert.Equal(t, []string{"list.name"}, rules(c.Servers[0].Problems), "send and Send cannot both have the prefix")

	first.tools = nil
	refresh(t, newCatalog(t, sources, withStateFile(path)))
	c = refresh(t, newCatalog(t, sources, withStateFile(path)))
	_, taken := c.Entry("send")
	assert.False(t, taken, "a name does not pass to another server's tool when its own is gone")

	first.tools = []string{tool("send", "")}
	c = refresh(t, newCatalog(t, sources, withStateFile(path)))
	assert.Equal(t, "zeta", entry(t, c, "send").Server)
}

func TestRefresh_NoServerTakesTheNamesOfAnother(t *testing.T) {
	t.Parallel()
	hostile := listing(tool("send", ""), tool("mail.send", ""), tool("MAIL-send", ""), tool("mail_read", ""))
	c := refresh(t, newCatalog(t, beside(hostile))) // it is listed first
	assert.Equal(t, "mail", entry(t, c, "mail.send").Server)
	assert.Equal(t, "hostile", entry(t, c, "hostile.mail_read").Server)
	assert.Empty(t, c.Servers[1].Problems)
}

func TestRefresh_NamesThatHostsListAlikeCollide(t *testing.T) {
	t.Parallel()
	c := refresh(t, newCatalog(t, []catalog.Source{{Name: "a", Lister: listing(tool("x.y", ""))},
		{Name: "b", Lister: listing(tool("x_y", ""))}, {Name: "c", Lister: listing(tool("z", "")), Prefix: true}}))
	assert.Equal(t, "a", entry(t, c, "x.y").Server)
	assert.Equal(t, "b", entry(t, c, "b.x_y").Server)
	assert.Equal(t, "c", entry(t, c, "c.z").Server)
}

func TestRefresh_AServerThatNeverAnswers(t *testing.T) {
	t.Parallel()
	for name, stubborn := range map[string]bool{"and respects the context": false, "and does not": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				released := make(chan struct{})
				var calls atomic.Int64
				silent := listerFunc(func(ctx context.Context) (client.Listing, error) {
					calls.Add(1)
					done := ctx.Done()
					if stubborn {
						done = nil
					}
					select {
					case <-done:
						return client.Listing{}, ctx.Err()
					case <-released:
						return client.Listing{}, nil
					}
				})
				c := newCatalog(t, beside(silent), withListTimeout(time.Second))
				for range 3 {
					began := time.Now()
					cycle := refresh(t, c)
					assert.LessOrEqual(t, time.Since(began), time.Second)
					unharmed(t, cycle)
					assert.True(t, cycle.Servers[0].Stale)
					assert.Equal(t, []string{"list.time"}, rules(cycle.Servers[0].Problems))
				}
				if stubborn {
					assert.Equal(t, int64(1), calls.Load(), "calls of one lister do not overlap")
				}
				close(released)
				synctest.Wait()
				cycle := refresh(t, c)
				assert.False(t, cycle.Servers[0].Stale)
			})
		})
	}
}

func TestRefresh_AServerThatFails(t *testing.T) {
	t.Parallel()
	s := listing(tool("a", ""), tool("b", ""))
	c := newCatalog(t, beside(s), withStateFile(stateFile(t)))
	before := refresh(t, c)
	for _, err := range []error{errors.New("secret text of the server"), &client.ListError{Rule: "list.pages", Message: "m"}} {
		s.err = err
		cycle := refresh(t, c)
		unharmed(t, cycle)
		assert.True(t, cycle.Servers[0].Stale)
		assert.Equal(t, before.Entries, cycle.Entries, "its tools stay as they were")
		assert.Empty(t, cycle.Changes, "and are not gone")
		assert.ErrorIs(t, cycle.Servers[0].Problems[0].Err, err)
		raw, jsonErr := json.Marshal(cycle)
		require.NoError(t, jsonErr)
		assert.NotContains(t, string(raw), "secret text")
	}
	s.err = nil
	assert.Empty(t, refresh(t, c).Changes)
}

func TestRefresh_AListerThatPanicsHarmsNoOther(t *testing.T) {
	t.Parallel()
	c := refresh(t, newCatalog(t, beside(listerFunc(func(context.Context) (client.Listing, error) { panic("boom") }))))
	unharmed(t, c)
	assert.Equal(t, []string{"list.failed"}, rules(c.Servers[0].Problems))
}

func TestRefresh_AServerWithOtherToolsInEachCycleDoesNotFillTheMemory(t *testing.T) {
	t.Parallel()
	path := stateFile(t)
	s := listing()
	c := newCatalog(t, beside(s), withMaxTools(5), withStateFile(path))
	for cycle := range 20 {
		s.tools = nil
		for i := range 5 {
			s.tools = append(s.tools, tool(fmt.Sprintf("t%d_%d", cycle, i), ""))
		}
		unharmed(t, refresh(t, c))
	}
	assert.Contains(t, rules(c.Cycle().Servers[0].Problems), "list.memory")
	read, err := catalog.ReadState(path)
	require.NoError(t, err)
	assert.Len(t, read.Tools, 51)
}

func TestRefresh_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c := newCatalog(t, beside(listerFunc(func(ctx context.Context) (client.Listing, error) {
		cancel()
		<-ctx.Done()
		return client.Listing{}, ctx.Err()
	})))
	_, err := c.Refresh(ctx)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, c.Cycle())
}

func TestNew_ReportsEveryMistake(t *testing.T) {
	t.Parallel()
	_, err := catalog.New([]catalog.Source{{Name: "Mail", Lister: listing()}, {Name: "a", Lister: listing()},
		{Name: "a", Lister: listing()}, {Name: "b"}}, catalog.Options{})
	var found []string
	for _, e := range catalog.Errors(err) {
		found = append(found, e.Rule)
	}
	assert.Equal(t, []string{"source.name", "source.twice", "source.lister"}, found)
}
