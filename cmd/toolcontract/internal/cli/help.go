package cli

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

// usage returns the command's usage line.
func (c Command) usage(path string) string {
	return strings.TrimRight(fmt.Sprintf("usage: %s [flags] %s", path, c.Arguments), " ")
}

// help prints the command's purpose, flags and example.
func (c Command) help(w io.Writer, path string, columns int) {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n\n%s\n", c.usage(path), Wrap(sentence(c.Purpose), columns, ""))
	for paragraph := range strings.SplitSeq(c.Details, "\n\n") {
		if paragraph != "" {
			fmt.Fprintf(&text, "\n%s\n", Wrap(paragraph, columns, ""))
		}
	}
	flags, _ := c.prepare(&Terminal{Stdout: io.Discard, Stderr: io.Discard})
	title := "\nflags:\n"
	flags.VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		if shown := f.DefValue; shown != "" && shown != "false" && shown != "0" && shown != "0s" {
			usage += fmt.Sprintf(" (default %s)", shown)
		}
		fmt.Fprintf(&text, "%s  %s\n%s\n", title, strings.TrimSpace("-"+f.Name+" "+value), Wrap(usage, columns, "        "))
		title = ""
	})
	if c.Example != "" {
		fmt.Fprintf(&text, "\nexample:\n  %s %s\n", program, c.Example)
	}
	_, _ = io.WriteString(w, text.String())
}

// groupHelp prints the commands of a group.
func groupHelp(w io.Writer, g Command, path string, columns int) {
	var text strings.Builder
	fmt.Fprintf(&text, "usage: %s COMMAND [flags] ARGUMENTS\n\n", path)
	if g.Purpose != "" {
		fmt.Fprintf(&text, "%s\n\n", Wrap(sentence(g.Purpose), columns, ""))
	}
	longest := 0
	for _, c := range g.Commands {
		longest = max(longest, len(c.Name))
	}
	indent := strings.Repeat(" ", longest+4)
	for _, c := range g.Commands {
		purpose := strings.TrimLeft(Wrap(c.Purpose, columns, indent), " ")
		fmt.Fprintf(&text, "  %-*s  %s\n", longest, c.Name, purpose)
	}
	footer := fmt.Sprintf("Run %s COMMAND -h for the arguments, the flags and an example. "+
		"Exit status: 0 no problem was found, 1 a problem was found, 2 the command could not do its work.", path)
	fmt.Fprintf(&text, "\n%s\n", Wrap(footer, columns, ""))
	_, _ = io.WriteString(w, text.String())
}

// sentence turns a purpose into a sentence.
func sentence(purpose string) string {
	if purpose == "" {
		return ""
	}
	return strings.ToUpper(purpose[:1]) + purpose[1:] + "."
}
