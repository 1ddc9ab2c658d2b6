// Command tour shows what a contract does: it starts two servers in this
// process, prints the list as three callers see it, and then makes one call for
// each kind of outcome, with what the caller got and what the audit hook got.
//
//	go run ./examples/tour
//	go run ./examples/tour -json    one array of steps
//
// The tour checks itself: it exits 1 when an outcome is not the one it expects.
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
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	if err := run(ctx, os.Stdout, *asJSON); err != nil {
		fmt.Fprintf(os.Stderr, "tour: %v\n", err)
		cancel()
		os.Exit(1) //nolint:gocritic // the deferred cancel has just been called
	}
}

// run takes the tour and prints it, as far as it came.
func run(ctx context.Context, w io.Writer, asJSON bool) error {
	set, err := open(ctx)
	if err != nil {
		return err
	}
	taken, err := take(ctx, set, script(set))
	if closing := set.close(ctx); err == nil {
		err = closing
	}
	write := printText
	if asJSON {
		write = printJSON
	}
	if writing := write(w, taken); err == nil {
		err = writing
	}
	return err
}
