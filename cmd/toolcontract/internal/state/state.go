// Package state implements the commands for a guard's state: what it holds, and
// what an operator can do about it.
package state

import (
	"context"
	"flag"
	"strings"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// Command returns the state command group.
func Command() cli.Command {
	return cli.Command{
		Name: "state", Purpose: "show, change and copy the records that servers keep of calls",
		Commands: []cli.Command{
			{
				Name: "show", Arguments: stateArgument, Purpose: "show the size, the records by state, and the oldest unknown outcomes",
				Details: theState, Example: "state show ~/.local/state/mail/state.db", JSON: true, Prepare: show,
			},
			{
				Name: "settle", Arguments: stateArgument + " LOOKUP_KEY ran|did-not-run", Purpose: "settle an unknown outcome",
				Details: "Find out first what happened: after ran, an equal call is not run again; after did-not-run, it is. The lookup " +
					"key is in the audit log of the call, and in the list of show.\n\n" + theState + "\n\n" + theLog,
				Example: "state settle -audit audit.jsonl state.db 5f0c…e1.77ab…09 ran", Prepare: settle,
			},
			{
				Name: "forget", Arguments: stateArgument, Purpose: "remove what is known about the calls of a principal",
				Details: "Results, open questions, declines and counts are removed. Equal calls then run again, even if their outcome " +
					"is unknown. Running calls stay. Digests of used approvals also stay until they expire; they hold no names. The " +
					"status is 1 if there was nothing to remove. The audit log and backups are not changed.\n\n" + theState + "\n\n" + theLog,
				Example: "state forget -audit audit.jsonl -namespace mail -principal ada state.db", Prepare: forget,
			},
			{
				Name: "rotate", Arguments: "FILE", Purpose: "put a new sealing key before the others",
				Details: "Earlier results and open questions stay readable. Restart the servers that use the file, because they read " +
					"the keys at their start. The oldest key is the last line of FILE.keys: remove it after the longest retention.\n\nIf " +
					"FILE.keys is missing, servers refuse the file. A rotation then makes new keys. What the former ones sealed cannot be " +
					"read until their lines are appended to FILE.keys.\n\n" + theLog,
				Example: "state rotate -audit audit.jsonl state.db", Prepare: rotate,
			},
			{
				Name: "backup", Arguments: "FILE COPY", Purpose: "copy a state and its keys, while servers use them",
				Details: "COPY and COPY.keys must not exist. Copy the audit log after that. To restore, end the servers, put both files " +
					"back, and remove FILE-wal and FILE-shm. Earlier approvals and dry runs then do not count, because they may have " +
					"been used after the copy. For a database, use its own tool, such as pg_dump, and run UPDATE tc_schema SET epoch = '' " +
					"when it is restored.",
				Example: "state backup state.db /backup/state.db", Prepare: backup,
			},
			{
				Name: "schema", Arguments: "sqlite | postgres", Purpose: "print the statements that make the tables of a database",
				Details: "Run them in an empty database, or give them to your tool for migrations. Redis needs none.",
				Example: "state schema postgres", Prepare: schema,
			},
		},
	}
}

const (
	stateArgument = "FILE|ADDRESS"

	theState = "FILE is the file that the server gets by -state. ADDRESS is that of a PostgreSQL database, " +
		"such as postgres://mail@db.example.org/mail."
	theLog = "The change is recorded in the audit log of -audit before it is made, under the name of -operator."
)

func schema(_ *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
	return func(_ context.Context, args []string) (cli.Status, error) {
		for _, d := range []sqlstore.Dialect{sqlstore.SQLite, sqlstore.Postgres} {
			if len(args) == 1 && strings.EqualFold(args[0], d.String()) {
				return cli.OK, t.Print(nil, sqlstore.Schema(d))
			}
		}
		return cli.Failed, cli.Usage("the dialect must be sqlite or postgres; Redis needs no tables")
	}
}
