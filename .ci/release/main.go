// Command release makes and rehearses the versions of this repository's
// modules.
//
//	release tidy [-diff]      tidies each module against the modules below it
//	release rehearse          rehearses the newest commit as a version
//	release rehearse PAGE…    follows only these pages, and those that they continue
//	release make VERSION      makes a version: everything but the push
//
// It runs in a checkout, works on clones of its newest commit, and removes
// them. CONTRIBUTING has the rest.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	dir, err := git(".", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		_ = os.RemoveAll(scratch)
		os.Exit(1)
	}()
	switch {
	case slices.Equal(args, []string{"tidy"}), slices.Equal(args, []string{"tidy", "-diff"}):
		return tidy(dir, scratch, len(args) == 2)
	case len(args) > 0 && args[0] == "rehearse":
		return rehearsal(dir, scratch, args[1:])
	case len(args) == 2 && args[0] == "make":
		return release(dir, args[1], scratch, os.Stdout)
	}
	return errors.New("usage: release tidy [-diff] | release rehearse [PAGE…] | release make VERSION")
}

// rehearsal rehearses the newest commit, without uncommitted changes. If pages
// are named, it only follows these.
func rehearsal(dir, scratch string, pages []string) error {
	// go.work replaces another version, so the users get nothing from its
	// folders.
	const version = "v0.99.0"
	r, err := clone(dir, filepath.Join(scratch, "clone"))
	if err != nil {
		return err
	}
	p := proxy{filepath.Join(scratch, "proxy")}
	fmt.Println("modules")
	if err := r.prepare(version, p, scratch, os.Stdout); err != nil {
		return err
	}
	if len(pages) > 0 {
		return r.followPages(pages, p, scratch, os.Stdout)
	}
	fmt.Println("tidy, as the commit of a release has to be")
	if err := tidy(r.dir, filepath.Join(scratch, "tidy"), true); err != nil {
		return err
	}
	fmt.Println("rehearsal")
	if err := r.rehearse(version, p, scratch, os.Stdout); err != nil {
		return err
	}
	fmt.Println("each module with the root of the release before")
	return r.skew(scratch, os.Stdout)
}

// tidy tidies the go.mod of each module, which go mod tidy cannot do alone
// while their common version is not released. Hashes of that version are left
// out, because every change of a module changes them.
func tidy(dir, scratch string, diff bool) error {
	r, err := open(dir)
	if err != nil {
		return err
	}
	version, err := r.version()
	if err != nil {
		return err
	}
	p := proxy{filepath.Join(scratch, "proxy")}
	u, err := newUser(filepath.Join(scratch, "maintainer"), p, io.Discard)
	if err != nil {
		return err
	}
	var changed []string
	for _, m := range slices.Concat(r.modules, r.others) {
		before := m.requirements()
		if err := r.requireVersion(m.dir, version); err != nil {
			return err
		}
		if _, err := u.run(m.dir, "go mod tidy"); err != nil {
			return fmt.Errorf("%s: %w", m.folder, err)
		}
		if err := r.requireVersion(m.dir, version); err != nil {
			return err
		}
		if m.requirements() != before {
			changed = append(changed, m.folder)
		}
		if err := p.add(m, version); err != nil {
			return err
		}
	}
	if diff && len(changed) > 0 {
		return fmt.Errorf("not tidy before, but now: %s; commit the go.mod and go.sum files", strings.Join(changed, ", "))
	}
	return nil
}
