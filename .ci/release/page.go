package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A step is one part of a page: a file to write, commands to run, or lines that
// the last command printed.
type step struct {
	line   int    // of the page
	write  string // the file that text is written to
	text   string
	run    []string // command lines
	prints []string // lines that the last command printed
}

var (
	fence  = regexp.MustCompile("^```(\\w*)$")
	writes = regexp.MustCompile("\\b(?:[Ww]rite|[Rr]eplace|[Aa]dd)\\b[^`]*`([\\w./-]+\\.\\w+)`[^`]*[:.]$")
	prints = regexp.MustCompile(`\bprints\b[^.]*:$`)
)

// steps reads a page of the manual. A block after "Write this to `FILE`:" is a
// file. Each line of a block of sh is a command. The lines of a block after
// "prints:" are in the output of the last command.
func steps(page string) ([]step, error) {
	var all []step
	var paragraph string
	lines := strings.Split(page, "\n")
	for i := 0; i < len(lines); i++ {
		opened := fence.FindStringSubmatch(lines[i])
		if opened == nil {
			switch {
			case strings.TrimSpace(lines[i]) == "", strings.HasPrefix(lines[i], "<!--"):
			case i > 0 && strings.TrimSpace(lines[i-1]) != "":
				paragraph += " " + lines[i]
			default:
				paragraph = lines[i]
			}
			continue
		}
		begin := i + 1
		for i++; i < len(lines) && lines[i] != "```"; i++ {
		}
		if i == len(lines) {
			return nil, fmt.Errorf("line %d: the block does not end", begin)
		}
		body := lines[begin:i]
		s := step{line: begin, text: strings.Join(body, "\n") + "\n"}
		file := writes.FindStringSubmatch(paragraph)
		switch {
		case opened[1] == "sh":
			s.run = body
		case file != nil:
			s.write = file[1]
		case prints.MatchString(paragraph):
			s.prints = body
		default:
			continue
		}
		all = append(all, s)
		paragraph = ""
	}
	if len(all) == 0 {
		return nil, errors.New("the page has no step")
	}
	return all, nil
}

// follow does the steps of a page in a new folder, word for word.
func (u *user) follow(name, page, dir string) error {
	all, err := steps(page)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	last := ""
	for _, s := range all {
		if s.write != "" {
			_, _ = fmt.Fprintf(u.log, "    %s\n", s.write)
			file := filepath.Join(dir, filepath.FromSlash(s.write))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(file, []byte(s.text), 0o644); err != nil {
				return err
			}
		}
		for _, line := range s.run {
			if last, err = u.run(dir, line); err != nil {
				return fmt.Errorf("%s:%d: %w", name, s.line, err)
			}
		}
		for _, line := range s.prints {
			if !strings.Contains(last, strings.TrimSpace(line)) {
				return fmt.Errorf("%s:%d: the command does not print %q, but:\n%s", name, s.line, line, last)
			}
		}
	}
	return nil
}
