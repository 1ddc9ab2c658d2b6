// Package verifyaudit implements the verify-audit command.
package verifyaudit

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/toolcontract/toolcontract/audit"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
)

// verified is the JSON form of the result for one audit log.
type verified struct {
	// Name is the file's name within its folder.
	Name      string `json:"name,omitempty"`
	OK        bool   `json:"ok"`
	Records   int    `json:"records"`
	First     string `json:"first,omitempty"`
	Last      string `json:"last,omitempty"`
	HeadLine  int    `json:"headLine,omitempty"`
	Torn      int    `json:"torn,omitempty"`
	FirstTorn int    `json:"firstTorn,omitempty"`
	TornTail  bool   `json:"tornTail,omitempty"`
	// Line and Fault describe the first break in the chain.
	Line  int    `json:"line,omitempty"`
	Fault string `json:"fault,omitempty"`
}

// Command returns the verify-audit command.
func Command() cli.Command {
	return cli.Command{
		Name: "verify-audit", Arguments: "FILE | DIR", Purpose: "check the chain of an audit log, or of all logs in a folder",
		Details: "The status is 1 if a chain is broken, or no log contains the record of -head.",
		Example: "verify-audit -head 9f2c…e1 audit.jsonl", JSON: true, Prepare: prepare,
	}
}

func prepare(flags *flag.FlagSet, t *cli.Terminal) func(context.Context, []string) (cli.Status, error) {
	head := flags.String("head", "", "the `hash` of a record that the log must contain")
	return func(ctx context.Context, args []string) (cli.Status, error) {
		if len(args) != 1 {
			return cli.Failed, cli.Usage("one log or folder is required")
		}
		return cli.Interruptible(ctx, func() (cli.Status, error) { return verify(args[0], *head, t) })
	}
}

// verify checks a log or a folder of logs.
func verify(path, head string, t *cli.Terminal) (cli.Status, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		t.Progress("checking the logs in %s…", path)
		return verifyFolder(path, head, t)
	}
	log, err := os.Open(path)
	if err != nil {
		return cli.Failed, err
	}
	defer log.Close() //nolint:errcheck // it was only read
	r, err := audit.Verify(&progressReader{Reader: log, on: t, of: size(log)}, head)
	found, err := verifiedOf(r, err)
	if err != nil {
		return cli.Failed, err
	}
	if found.OK {
		return cli.OK, t.Print(found, r.String())
	}
	return cli.Bad, t.Print(found, fmt.Sprintf("%v; before it: %v", &audit.ChainError{Line: found.Line, Fault: found.Fault}, r))
}

// A progressReader shows how much of a log has been read.
type progressReader struct {
	io.Reader

	on       *cli.Terminal
	read, of int64
}

// Read reads, and shows the progress.
func (c *progressReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.read += int64(n); c.of > 0 {
		c.on.Progress("%d%% of the log is checked", 100*c.read/c.of)
	}
	return n, err
}

// size returns a file's size, or 0 if it has none, as a pipe does.
func size(f *os.File) int64 {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// verifyFolder checks all logs in a folder.
func verifyFolder(folder, head string, t *cli.Terminal) (cli.Status, error) {
	files, err := audit.VerifyFolder(folder, head)
	if err != nil && len(files) == 0 {
		return cli.Failed, err
	}
	all := struct {
		OK    bool       `json:"ok"`
		Files []verified `json:"files"`
	}{OK: err == nil}
	var text strings.Builder
	for _, f := range files {
		found, err := verifiedOf(f.Report, f.Err)
		if err != nil {
			return cli.Failed, err
		}
		found.Name = f.Name
		all.Files = append(all.Files, found)
		fmt.Fprintln(&text, cli.OneLine(f.String()))
	}
	status := cli.OK
	if !all.OK {
		status = cli.Bad
	}
	return status, t.Print(all, text.String())
}

// verifiedOf returns the result for a log. An error that is not about the chain
// is returned as it is.
func verifiedOf(r audit.Verification, err error) (verified, error) {
	found := verified{
		OK: err == nil, Records: r.Records, First: r.First, Last: r.Last, HeadLine: r.HeadLine,
		Torn: r.Torn, FirstTorn: r.FirstTorn, TornTail: r.TornTail,
	}
	if broken, ok := errors.AsType[*audit.ChainError](err); ok {
		found.Line, found.Fault = broken.Line, broken.Fault
		return found, nil
	}
	return found, err
}
