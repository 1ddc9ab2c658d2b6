// Command toolcontract-state has the commands of toolcontract state that need
// the driver of a database: show, settle, forget, rotate and backup, for the
// file of a SQLite state or the address of a PostgreSQL database. The command
// toolcontract runs it if it is in the same folder, or on the PATH. Install
// both:
//
//	go install github.com/toolcontract/toolcontract/cmd/toolcontract@latest
//	go install github.com/toolcontract/toolcontract/cmd/toolcontract-state@latest
//
// To use it without toolcontract, type its name in place of "toolcontract
// state". With -h, each command explains itself. The exit status is 0, 1 if
// forget found nothing to remove, or 2 if the command could not do its work.
//
// A server that keeps its state in a file can have these commands in its own
// binary; see OperateState in package program.
package main

import (
	"os"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of PostgreSQL

	"github.com/toolcontract/toolcontract/store/sqlitefile"
	"github.com/toolcontract/toolcontract/store/sqlstore/operator"
)

var program = operator.Program{
	Name: "toolcontract state", Inspect: sqlitefile.Inspect, Rotate: sqlitefile.Rotate, Backup: sqlitefile.Backup,
}

func main() { os.Exit(program.Run(os.Args[1:], os.Stdout, os.Stderr)) }
