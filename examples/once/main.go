// Command once is an MCP server that places each order once, even if it is
// killed while it does. docs/exactly-once.md explains it.
package main

import (
	"context"
	"log"
	"os"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/gosdk" // mcp-go: mcpgo
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/idempotency"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
	"github.com/toolcontract/toolcontract/store/sqlstore"
	"github.com/toolcontract/toolcontract/trust"
)

type placeIn struct {
	Number string `json:"number" jsonschema:"minLength=1" jsonschema_description:"The customer's number of the order."`
	Item   string `json:"item"`
}

type placeOut struct {
	Receipt int `json:"receipt" jsonschema_description:"Counts the orders of the shop."`
}

func place(ctx context.Context, in placeIn) (out placeOut, err error) {
	tx, err := sqlstore.Tx(ctx)
	if err != nil {
		return out, err
	}
	err = tx.QueryRowContext(ctx, `INSERT INTO orders VALUES (?, ?) RETURNING rowid`, in.Number, in.Item).Scan(&out.Receipt)
	if os.Getenv("DIE") != "" {
		os.Exit(1) // stands for a crash after the write
	}
	return out, err
}

var Place = contract.New("orders.place", place).
	Description("Places an order.").Version("1.0.0").
	Effect(risk.LowRiskWrite).Trust(trust.Trusted).Permissions("orders:write").
	Idempotency(contract.Idempotency{Mode: idempotency.Managed, KeyFields: []string{"number"}, Atomic: true}).
	MustBuild()

func main() {
	file, err := sqlitefile.Open("shop.db")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := file.DB().Exec(`CREATE TABLE IF NOT EXISTS orders (number TEXT, item TEXT)`); err != nil {
		log.Fatal(err)
	}
	g, err := guard.New(append(file.Options(), guard.WithPrincipal(gosdk.LocalUser("orders:write")))...) // mcp-go: mcpgo.LocalUser
	if err != nil {
		log.Fatal(err)
	}
	if err := gosdk.ServeStdio("shop", "1.0.0", g, gosdk.WithTools(Place)); err != nil { // mcp-go: mcpgo.ServeStdio, mcpgo.WithTools
		log.Fatal(err)
	}
}
