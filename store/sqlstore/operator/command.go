package operator

import (
	"context"
	"flag"
	"slices"
)

// A Command describes one command of a [Program]. A program that hands commands
// over to another one needs it for its help and completion.
type Command struct {
	// Name is the word that names the command.
	Name string
	// Arguments are those of the usage line, such as "FILE COPY". The first one
	// is the state.
	Arguments string
	// Purpose says in a few words what the command does, and Details are
	// paragraphs of whole sentences.
	Purpose, Details string
	// Example is a command line from the name on.
	Example string
	// JSON means that the command also has the flag -json.
	JSON bool

	prepare func(*flag.FlagSet, *job) func(context.Context, []string) (int, error)
}

// Flags declares the flags of the command, without -json.
func (c Command) Flags(set *flag.FlagSet) { c.prepare(set, &job{}) }

// Commands returns the commands in the order of the help.
func Commands() []Command { return slices.Clone(commands) }

var commands = []Command{
	{
		Name: "show", Arguments: stateArgument, Purpose: "show the size, the records by state, and the oldest unknown outcomes",
		Details: theState, Example: "show ~/.local/state/mail/state.db", JSON: true, prepare: show,
	},
	{
		Name: "settle", Arguments: stateArgument + " LOOKUP_KEY ran|did-not-run", Purpose: "settle an unknown outcome",
		Details: "Find out first what happened: after ran, an equal call is not run again; after did-not-run, it is. The lookup " +
			"key is in the audit log of the call, and in the list of show.\n\n" + theState + "\n\n" + theLog,
		Example: "settle -audit audit.jsonl state.db 5f0c…e1.77ab…09 ran", prepare: settle,
	},
	{
		Name: "forget", Arguments: stateArgument, Purpose: "remove what is known about the calls of a principal",
		Details: "Results, open questions, declines and counts are removed. Equal calls then run again, even if their outcome " +
			"is unknown. Running calls stay. Digests of used approvals also stay until they expire; they hold no names. The " +
			"status is 1 if there was nothing to remove. The audit log and backups are not changed.\n\n" + theState + "\n\n" + theLog,
		Example: "forget -audit audit.jsonl -namespace mail -principal ada state.db", prepare: forget,
	},
	{
		Name: "rotate", Arguments: "FILE", Purpose: "put a new sealing key before the others",
		Details: "Earlier results and open questions stay readable. Restart the servers that use the file, because they read " +
			"the keys at their start. The oldest key is the last line of FILE.keys: remove it after the longest retention.\n\nIf " +
			"FILE.keys is missing, servers refuse the file. A rotation then makes new keys. What the former ones sealed cannot be " +
			"read until their lines are appended to FILE.keys.\n\n" + theLog,
		Example: "rotate -audit audit.jsonl state.db", prepare: rotate,
	},
	{
		Name: "backup", Arguments: "FILE COPY", Purpose: "copy a state and its keys, while servers use them",
		Details: "COPY and COPY.keys must not exist. Copy the audit log after that. To restore, end the servers, put both files " +
			"back, and remove FILE-wal and FILE-shm. Earlier approvals and dry runs then do not count, because they may have " +
			"been used after the copy. For a database, use its own tool, such as pg_dump, and run UPDATE tc_schema SET epoch = '' " +
			"when it is restored.",
		Example: "backup state.db /backup/state.db", prepare: backup,
	},
}

const (
	stateArgument = "FILE|ADDRESS"

	theState = "FILE is the file that the server gets by -state. ADDRESS is that of a PostgreSQL database, " +
		"such as postgres://mail@db.example.org/mail."
	theLog = "The change is recorded in the audit log of -audit before it is made, under the name of -operator."
)
