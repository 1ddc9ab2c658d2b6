// Command tour shows what a contract does. It starts two servers in this
// process and prints the list of tools as three callers see it. Then it makes
// one call for each kind of outcome, and prints the caller's answer and the
// audit events.
//
//	go run ./examples/tour
//	go run ./examples/tour -list                lists the themes of the steps
//	go run ./examples/tour -only idempotency    makes the steps of one theme
//	go run ./examples/tour -json                prints one array of steps
//
// The tour checks itself: the exit code is 1 if an outcome is not the expected
// one.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// deadline bounds the whole tour.
const deadline = time.Minute

func main() {
	asJSON := flag.Bool("json", false, "print one JSON array of steps")
	only := flag.String("only", "", "make only the steps of the theme `NAME`")
	list := flag.Bool("list", false, "list the themes")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	show := func() error { return run(ctx, os.Stdout, theme(*only), *asJSON) }
	if *list {
		show = func() error { return listThemes(os.Stdout) }
	}
	if err := show(); err != nil {
		fmt.Fprintf(os.Stderr, "tour: %v\n", err)
		cancel()
		os.Exit(1) //nolint:gocritic // the deferred cancel has just been called
	}
}

// run runs the steps of a theme, or all steps if it is empty, and prints their
// results, even if a step failed.
func run(ctx context.Context, w io.Writer, only theme, asJSON bool) error {
	if err := checkTheme(only); err != nil {
		return err
	}
	servers, err := open(ctx)
	if err != nil {
		return err
	}
	results, err := runSteps(ctx, servers, script(servers), only)
	if closing := servers.close(ctx); err == nil {
		err = closing
	}
	write := printText
	if asJSON {
		write = printJSON
	}
	if writing := write(w, results); err == nil {
		err = writing
	}
	return err
}
