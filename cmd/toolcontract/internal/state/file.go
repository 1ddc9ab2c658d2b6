package state

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/sqlitefile"
)

func rotate(flags *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
	log := recordFlags(flags)
	return func(ctx context.Context, args []string) (cli.Status, error) {
		switch {
		case len(args) != 1:
			return cli.Failed, cli.Usage("one file is required")
		case strings.Contains(args[0], "://"):
			return cli.Failed, errors.New("the servers of a database have its sealing keys: put a new one first there")
		}
		if err := log.check(); err != nil {
			return cli.Failed, err
		}
		s, err := ofFile(args[0])
		if err != nil {
			return cli.Failed, err
		}
		found, err := s.inspect(ctx)
		if err != nil {
			return cli.Failed, err
		}
		e := audit.Event{AuditEvent: "state.rotated", Stage: "rotate"}
		text := "a new key seals from now on; restart the servers that use the file"
		if _, err := os.Stat(s.path + ".keys"); errors.Is(err, fs.ErrNotExist) {
			e.AuditEvent += ": the former keys were missing"
			text = fmt.Sprintf("%s.keys was missing, and has a new key now. The results of %d calls cannot be read, so equal calls "+
				"answer already_done; open questions are asked again. If you find the former keys, append their lines to the file.",
				cli.OneLine(s.path), found.Records[store.Completed]+found.Records[store.Failed])
		}
		if err := log.run(ctx, e, func() error { return sqlitefile.Rotate(s.path) }); err != nil {
			return cli.Failed, err
		}
		return cli.OK, t.Print(nil, text)
	}
}

func backup(_ *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
	return func(ctx context.Context, args []string) (cli.Status, error) {
		switch {
		case len(args) != 2:
			return cli.Failed, cli.Usage("a file and the name of its copy are required")
		case strings.Contains(args[0], "://"):
			return cli.Failed, errors.New("a database is copied by its own tool, such as pg_dump; copy the sealing keys and the audit " +
				"log of its servers with it")
		}
		s, err := ofFile(args[0])
		if err != nil {
			return cli.Failed, err
		}
		if err := sqlitefile.Backup(ctx, s.path, args[1]); err != nil {
			return cli.Failed, err
		}
		return cli.OK, t.Print(nil, fmt.Sprintf("copied to %s and %[1]s.keys; copy the audit log now", cli.OneLine(args[1])))
	}
}
