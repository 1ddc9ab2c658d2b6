package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A step is one block of a page: a file to write, commands to run, lines that
// the last command printed, or what is only shown.
type step struct {
	line    int    // of the page
	write   string // the file that text is written to
	text    string
	run     []string // command lines
	empty   bool     // run is in a new folder
	beside  bool     // the commands before still run, in another terminal
	prints  []string // lines that the last command printed
	shown   bool     // a part of a file of this repository; TestPages_BlocksAreCompiledOrRecorded compares them
	skipped string   // why these commands are not run
}

var (
	fence   = regexp.MustCompile("^```(\\w*)$")
	mark    = regexp.MustCompile(`^<!-- (?:not followed: |run by )(.+) -->$`)
	from    = regexp.MustCompile(`^<!-- (?:from \S+|\S+ to \S+) -->$`)
	writes  = regexp.MustCompile("\\b(?:[Ww]rite this to|[Rr]eplace(?: the file)?) `([\\w./-]+\\.\\w+)`.*[:.]$")
	prints  = regexp.MustCompile(`\bprints?\b[^.]*:$`)
	empty   = regexp.MustCompile(`\bempty\s+folder\b`)
	beside  = regexp.MustCompile(`\banother\s+terminal\b`)
	resumes = regexp.MustCompile(`\bcontinues\s+the\s+\[quick\s+start\]`)
	job     = regexp.MustCompile(`(?m)^\s*- run: (.+)$`)
)

// steps reads a page of the manual. A block after "Write this to `FILE`:" is a
// file. Each line of a block of sh is a command; it runs in a new folder after
// the words "empty folder", and while the commands before still run after
// "another terminal". The lines of a block after "prints:" are in the output of
// the last command. A mark above a block has the reason why it is not followed.
// Any other block names the file that it is a part of.
func steps(page string) ([]step, error) {
	var all []step
	var paragraph, above string
	lines := strings.Split(page, "\n")
	for i := 0; i < len(lines); i++ {
		opened := fence.FindStringSubmatch(lines[i])
		if opened == nil {
			switch {
			case strings.TrimSpace(lines[i]) == "":
			case strings.HasPrefix(lines[i], "<!--"):
				above = lines[i]
				continue
			case i > 0 && strings.TrimSpace(lines[i-1]) != "":
				paragraph += " " + lines[i]
			default:
				paragraph = lines[i]
			}
			above = ""
			continue
		}
		begin := i + 1
		for i++; i < len(lines) && lines[i] != "```"; i++ {
		}
		if i == len(lines) {
			return nil, fmt.Errorf("line %d: the block does not end", begin)
		}
		body := lines[begin:i]
		s := step{line: begin, text: strings.Join(body, "\n") + "\n", beside: beside.MatchString(paragraph)}
		if s.beside && (len(all) == 0 || all[len(all)-1].run == nil) {
			return nil, fmt.Errorf("line %d: no command is in the block before, so none runs in the other terminal", begin)
		}
		file := writes.FindStringSubmatch(paragraph)
		skipped := mark.FindStringSubmatch(above)
		switch {
		case skipped != nil:
			s.skipped = skipped[1]
		case opened[1] == "sh":
			s.run = strings.Split(strings.ReplaceAll(strings.TrimSpace(s.text), "\\\n", ""), "\n")
			s.empty = empty.MatchString(paragraph)
		case file != nil:
			s.write = file[1]
		case prints.MatchString(paragraph):
			s.prints = body
		case from.MatchString(above) || opened[1] == "mermaid":
			s.shown = true
		default:
			return nil, fmt.Errorf("line %d: the block is no file, no command and no output; "+
				"name the file that it is a part of, or why it is not followed: <!-- not followed: … -->", begin)
		}
		all = append(all, s)
		paragraph, above = "", ""
	}
	return all, nil
}

// followable reports whether a page has files or commands for its reader.
func followable(all []step) bool {
	for _, s := range all {
		if s.write != "" || s.run != nil || s.skipped != "" {
			return true
		}
	}
	return false
}

// A tally counts the blocks of pages by what became of them.
type tally struct{ files, commands, outputs, shown, skipped int }

func (t *tally) add(o tally) {
	t.files, t.commands, t.outputs = t.files+o.files, t.commands+o.commands, t.outputs+o.outputs
	t.shown, t.skipped = t.shown+o.shown, t.skipped+o.skipped
}

func (t tally) String() string {
	return fmt.Sprintf("%d files written, %d commands run, %d outputs compared, %d blocks only shown, %d not followed",
		t.files, t.commands, t.outputs, t.shown, t.skipped)
}

// pagePort is the port of the servers on pages. Something else on this machine,
// such as another rehearsal, may use it.
const pagePort = "127.0.0.1:8080"

// freePort returns an address at which nothing listens.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// at returns the step with another address in place of [pagePort].
func (s step) at(address string) step {
	replaced := func(lines []string) []string {
		var all []string
		for _, line := range lines {
			all = append(all, strings.ReplaceAll(line, pagePort, address))
		}
		return all
	}
	s.run, s.prints = replaced(s.run), replaced(s.prints)
	return s
}

// follow does the steps of a page word for word, except for [pagePort], and
// leaves the shell in the last folder of the page.
func (s *shell) follow(name string, all []step) (tally, error) {
	defer s.close()
	var done tally
	address, err := freePort()
	if err != nil {
		return done, err
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return done, err
	}
	top, folders, last := s.dir, 0, ""
	for i, step := range all {
		step = step.at(address)
		var err error
		switch {
		case step.skipped != "":
			s.logf("    not followed: %s", step.skipped)
			done.skipped++
		case step.shown:
			done.shown++
		case step.prints != nil:
			err = step.compare(last)
			done.outputs++
		case step.write != "":
			err = s.write(step)
			done.files++
		default:
			if step.empty {
				folders++
				s.dir = filepath.Join(top, fmt.Sprint("folder", folders))
				err = os.MkdirAll(s.dir, 0o755)
			}
			stays := i+1 < len(all) && all[i+1].beside
			for j, line := range step.run {
				if err != nil {
					break
				}
				switch {
				case stays && j == len(step.run)-1:
					err = s.start(line)
				case step.beside && j == 0:
					last, err = s.retry(line)
				default:
					last, err = s.run(line)
				}
				done.commands++
			}
		}
		if err != nil {
			return done, fmt.Errorf("%s:%d: %w", name, step.line, err)
		}
	}
	return done, nil
}

// compare looks for the lines of the page in what the last command printed. In a
// line, "…" stands for any text.
func (s step) compare(printed string) error {
	for _, line := range s.prints {
		pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(line)), "…", ".*")
		if !regexp.MustCompile(pattern).MatchString(printed) {
			return fmt.Errorf("the command does not print %q, but:\n%s", line, printed)
		}
	}
	return nil
}

// write writes the file of a step, and runs it if it is a workflow of CI.
func (s *shell) write(step step) error {
	s.logf("    %s", step.write)
	file := filepath.Join(s.dir, filepath.FromSlash(step.write))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(step.text), 0o644); err != nil {
		return err
	}
	if strings.HasPrefix(step.write, ".github/workflows/") {
		return s.workflow(step.text, s.dir)
	}
	return nil
}

// workflow runs the commands of a workflow as a machine of CI does: in a copy
// of the folder, because there nothing has run before.
func (u *user) workflow(text, dir string) error {
	copied := dir + "-ci"
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		return err
	}
	sh := &shell{user: u, dir: copied, exported: "export CI=true\n"}
	jobs := job.FindAllStringSubmatch(text, -1)
	if len(jobs) == 0 {
		return errors.New("the workflow runs nothing")
	}
	for _, j := range jobs {
		if _, err := sh.run(j[1]); err != nil {
			return err
		}
	}
	return nil
}
