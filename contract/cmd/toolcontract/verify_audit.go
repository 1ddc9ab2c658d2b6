package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/toolcontract/toolcontract/contract/guard/audit"
)

// verified is the JSON form of the result for an audit log.
type verified struct {
	// Name is the name of the file in its folder.
	Name      string `json:"name,omitempty"`
	OK        bool   `json:"ok"`
	Records   int    `json:"records"`
	First     string `json:"first,omitempty"`
	Last      string `json:"last,omitempty"`
	HeadLine  int    `json:"headLine,omitempty"`
	Torn      int    `json:"torn,omitempty"`
	FirstTorn int    `json:"firstTorn,omitempty"`
	TornTail  bool   `json:"tornTail,omitempty"`
	// Line and Fault describe the first break of the chain.
	Line  int    `json:"line,omitempty"`
	Fault string `json:"fault,omitempty"`
}

func verifyAudit(flags *flag.FlagSet, t *terminal) func(context.Context, []string) (int, error) {
	head := flags.String("head", "", "the `hash` of a record that the log must contain")
	return func(_ context.Context, args []string) (int, error) {
		if len(args) != 1 {
			return statusFailed, errUsage
		}
		if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
			return verifyFolder(args[0], *head, t)
		}
		log, err := os.Open(args[0])
		if err != nil {
			return statusFailed, err
		}
		defer log.Close() //nolint:errcheck // it was only read
		r, err := audit.Verify(log, *head)
		found, err := verifiedOf(r, err)
		if err != nil {
			return statusFailed, err
		}
		if found.OK {
			return statusOK, t.print(found, r.String())
		}
		return statusBad, t.print(found, fmt.Sprintf("%v; before it: %v", &audit.ChainError{Line: found.Line, Fault: found.Fault}, r))
	}
}

// verifyFolder checks all logs in a folder.
func verifyFolder(folder, head string, t *terminal) (int, error) {
	files, err := audit.VerifyFolder(folder, head)
	if err != nil && len(files) == 0 {
		return statusFailed, err
	}
	all := struct {
		OK    bool       `json:"ok"`
		Files []verified `json:"files"`
	}{OK: err == nil}
	var text strings.Builder
	for _, f := range files {
		found, err := verifiedOf(f.Report, f.Err)
		if err != nil {
			return statusFailed, err
		}
		found.Name = f.Name
		all.Files = append(all.Files, found)
		fmt.Fprintln(&text, f)
	}
	status := statusOK
	if !all.OK {
		status = statusBad
	}
	return status, t.print(all, text.String())
}

// verifiedOf returns the result for a log. An error that is not about the chain
// is returned.
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
