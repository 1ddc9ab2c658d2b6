package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// scripts ask the command itself which words can follow. It prints each word
// and its purpose, separated by a tab. If there are none, the shells complete
// file names.
var scripts = map[string]string{
	"bash": `_toolcontract() {
  local IFS=$'\n'
  COMPREPLY=($(toolcontract completion -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _toolcontract toolcontract
`,
	"zsh": `#compdef toolcontract
_toolcontract() {
  local -a found
  found=(${(f)"$(toolcontract completion -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then
    found=("${(@)found/$'\t'/:}")
    found=("${(@)found%:}")
    _describe command found
  else
    _files
  fi
}
compdef _toolcontract toolcontract
`,
	"fish": `function __toolcontract
  set -l words (commandline -opc) (commandline -ct)
  set -l found (toolcontract completion -- $words[2..-1] 2>/dev/null)
  if set -q found[1]
    printf '%s\n' $found
  else
    __fish_complete_path $words[-1]
  end
end
complete -c toolcontract -f -a '(__toolcontract)'
`,
}

// Completion returns the command that prints a shell's completion script. all
// returns the commands to complete; it is called late, because the completion
// command is one of them.
func Completion(all func() []Command) Command {
	return Command{
		Name: "completion", Arguments: "bash | zsh | fish", Purpose: "print the completion for a shell",
		Details: "Load it when the shell starts: source <(toolcontract completion bash) in ~/.bashrc, the same for zsh in ~/.zshrc " +
			"after compinit, and toolcontract completion fish | source in ~/.config/fish/config.fish.",
		Example: "completion bash > ~/.local/share/bash-completion/completions/toolcontract",
		Prepare: func(_ *flag.FlagSet, t *Terminal) func(context.Context, []string) (Status, error) {
			return func(_ context.Context, args []string) (Status, error) {
				switch {
				case len(args) > 0 && args[0] == "--":
					_, err := io.WriteString(t.Stdout, strings.Join(complete(all(), args[1:]), ""))
					return OK, err
				case len(args) == 1 && scripts[args[0]] != "":
					_, err := io.WriteString(t.Stdout, scripts[args[0]])
					return OK, err
				default:
					return Failed, Usage("the shell is bash, zsh or fish")
				}
			}
		},
	}
}

// complete returns the candidates for the last word, which may be incomplete.
func complete(commands []Command, words []string) (lines []string) {
	if len(words) == 0 || slices.Contains(words[:len(words)-1], "--") {
		return nil
	}
	begun := words[len(words)-1]
	add := func(word, purpose string) {
		if strings.HasPrefix(word, begun) {
			purpose, _, _ = strings.Cut(purpose, ";")
			lines = append(lines, fmt.Sprintf("%s\t%s\n", word, purpose))
		}
	}
	for i, word := range words {
		if i == len(words)-1 {
			for _, c := range commands {
				add(c.Name, c.Purpose)
			}
			return lines
		}
		at := slices.IndexFunc(commands, func(c Command) bool { return c.Name == word })
		if at < 0 {
			return nil
		}
		if c := commands[at]; c.Commands != nil {
			commands = c.Commands
		} else {
			if strings.HasPrefix(begun, "-") {
				flags, _ := c.prepare(&Terminal{Stdout: io.Discard, Stderr: io.Discard})
				flags.VisitAll(func(f *flag.Flag) {
					_, usage := flag.UnquoteUsage(f)
					add("-"+f.Name, usage)
				})
			} else if c.Name == "completion" {
				for _, shell := range []string{"bash", "fish", "zsh"} {
					add(shell, "")
				}
			}
			return lines
		}
	}
	return lines
}
