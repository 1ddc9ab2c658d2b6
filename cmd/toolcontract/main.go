package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/call"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/check"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/dev"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/diff"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/evidence"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/export"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/inspect"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/install"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/lint"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/list"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/scaffold"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/state"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/verifyaudit"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/version"
)

// commands returns all commands in the order of the help. To add one, write a
// package internal/NAME with a function Command that returns its [cli.Command],
// and add it here. A group, such as state with its show and forget, is a
// Command with Commands. The frame has -h, -json, the place of the flags, the
// completion and the printing of errors. A command that needs a server gets it
// from package target. Results go to [cli.Terminal.Print], and foreign texts
// through [cli.OneLine].
func commands() []cli.Command {
	return []cli.Command{
		scaffold.Command(),
		dev.Command(),
		list.Command(),
		call.Command(),
		inspect.Command(),
		check.Command(),
		lint.Command(),
		diff.Command(),
		evidence.Command(),
		verifyaudit.Command(),
		state.Command(),
		install.Command(),
		install.Removal(),
		export.Command(),
		version.Command(),
		cli.Completion(commands),
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	status := cli.Run(ctx, commands(), os.Args[1:], &cli.Terminal{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
	stop()
	os.Exit(int(status))
}
