package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/toolcontract/toolcontract/adapter"
	"github.com/toolcontract/toolcontract/agent/client"
	"github.com/toolcontract/toolcontract/gateway/catalog"
)

// A fixed server lists the same tools in each cycle.
type fixed []string

func (f fixed) ListTools(context.Context) (client.Listing, error) {
	var l client.Listing
	for _, tool := range f {
		l.Tools = append(l.Tools, json.RawMessage(tool))
	}
	return l, nil
}

// In a gateway, the lister of a source is usually an client.Client.
func ExampleCatalog() {
	operator, err := catalog.ParseOverrides([]byte(`{
		"format": 1,
		"servers": {
			"mail": {"tools": {"wipe": {"reason": "No agent needs it.", "veto": true}}}
		}
	}`))
	if err != nil {
		log.Fatal(err)
	}
	c, err := catalog.New([]catalog.Source{
		{Name: "mail", Lister: fixed{`{"name":"search","annotations":{"readOnlyHint":true}}`, `{"name":"wipe"}`}},
	}, catalog.Options{Overrides: operator})
	if err != nil {
		log.Fatal(err)
	}
	cycle, err := c.Refresh(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range cycle.Entries {
		risk := e.Fact(catalog.FactRisk)
		fmt.Println(e.Name, e.Status, risk.Effective, "from", risk.Origin)
	}
	// Output:
	// search served low from hints
	// wipe vetoed forbidden from operator
}

func ExampleCatalog_Refresh_downgrade() {
	server := &server{tools: []string{`{"name":"search","annotations":{"readOnlyHint":false}}`}}
	c, err := catalog.New([]catalog.Source{{Name: "mail", Lister: server}}, catalog.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		cycle, err := c.Refresh(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(cycle.Number, cycle.Entries[0].Status)
		for _, change := range cycle.Changes {
			if change.Flag == catalog.Downgrade {
				fmt.Println(change.Fact, change.From, "to", change.To)
			}
		}
		server.tools = []string{`{"name":"search","annotations":{"readOnlyHint":true}}`}
	}
	// Output:
	// 1 served
	// 2 quarantined
	// risk critical to low
	// effect destructive to read-only
	// confirmation always to never
}

func ExampleParseOverrides() {
	_, err := catalog.ParseOverrides([]byte(`{"format": 1, "servers": {"mail": {"tools": {"send": {"risk": "hihg"}}}}}`))
	for _, e := range catalog.Errors(err) {
		fmt.Println(e)
	}
	// Output:
	// catalog: overrides: [overrides.reason] /servers/mail/tools/send/reason: the override has no reason; write why it was decided, for the next reader
	// catalog: overrides: [overrides.value] /servers/mail/tools/send/risk: the value is not known; did you mean "high"?
}

func ExampleEntry_Contract() {
	c, err := catalog.New([]catalog.Source{{Name: "notes", Lister: fixed{`{"name":"add_note","description":"Adds a note."}`}}},
		catalog.Options{})
	if err != nil {
		log.Fatal(err)
	}
	cycle, err := c.Refresh(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	notes := client.New(client.Command{Path: "notes-server"})
	for _, e := range cycle.Entries {
		if e.Status != catalog.Served {
			continue
		}
		tool, err := e.Contract(catalog.HandlerOf(notes, e.Tool), adapter.WrapConfig{}).Permissions("notes:use").Build()
		if err != nil {
			log.Fatal(err)
		}
		d := tool.Document()
		fmt.Println(d.Name, d.Effect, d.Confirmation, d.Permissions)
	}
	// Output:
	// add_note destructive always [notes:use]
}

func ExampleSource() {
	sources := []catalog.Source{
		{Name: "mail", Lister: client.New(client.HTTP{URL: "https://mail.example.com/mcp"})},
		{Name: "notes", Lister: client.New(client.Command{Path: "notes-server"}), Prefix: true},
	}
	_, err := catalog.New(sources, catalog.Options{})
	fmt.Println(err)
	// Output:
	// <nil>
}
