package install

import (
	"fmt"
	"strings"
)

// planCodex uses Codex's own command for the user scope. That command has no
// flags for headers or for references, which Codex supports only as whole
// values. Servers with either become text for the person to add.
func planCodex(s Server, p *Plan) error {
	var toml strings.Builder
	fmt.Fprintf(&toml, "[mcp_servers.%s]\n", s.Name)
	command := []string{"codex", "mcp", "add"}
	byCommand := p.Scope == user
	if s.URL == "" {
		var values, names []string
		for _, v := range s.Env {
			switch {
			case v.Value == "${"+v.Name+"}":
				names = append(names, string(encode(v.Name, "", "")))
				byCommand = false
			case reference.MatchString(v.Value):
				return fmt.Errorf("%s passes variables on only under their own names: write -env %s", p.Title, v.Name)
			default:
				values = append(values, fmt.Sprintf("%s = %s", v.Name, encode(v.Value, "", "")))
				command = append(command, "--env", v.Name+"="+v.Value)
			}
		}
		fmt.Fprintf(&toml, "command = %s\n", encode(s.Command[0], "", ""))
		if len(s.Command) > 1 {
			fmt.Fprintf(&toml, "args = %s\n", encode(s.Command[1:], "", ""))
		}
		if len(names) > 0 {
			fmt.Fprintf(&toml, "env_vars = [%s]\n", strings.Join(names, ", "))
		}
		if len(values) > 0 {
			fmt.Fprintf(&toml, "env = { %s }\n", strings.Join(values, ", "))
		}
		command = append(append(command, s.Name, "--"), s.Command...)
	} else {
		fmt.Fprintf(&toml, "url = %s\n", encode(s.URL, "", ""))
		command = append(command, s.Name, "--url", s.URL)
		var values, names []string
		for _, v := range s.Headers {
			ref := whole.FindStringSubmatch(v.Value)
			token := bearer.FindStringSubmatch(v.Value)
			switch {
			case token != nil && strings.EqualFold(v.Name, "Authorization"):
				fmt.Fprintf(&toml, "bearer_token_env_var = %s\n", encode(token[1], "", ""))
				command = append(command, "--bearer-token-env-var", token[1])
				continue
			case ref != nil:
				names = append(names, fmt.Sprintf("%s = %s", encode(v.Name, "", ""), encode(ref[1], "", "")))
			case reference.MatchString(v.Value):
				return fmt.Errorf("%s takes a variable only as the whole value of a header, or after \"Bearer \" in Authorization", p.Title)
			default:
				values = append(values, fmt.Sprintf("%s = %s", encode(v.Name, "", ""), encode(v.Value, "", "")))
			}
			byCommand = false
		}
		if len(names) > 0 {
			fmt.Fprintf(&toml, "env_http_headers = { %s }\n", strings.Join(names, ", "))
		}
		if len(values) > 0 {
			fmt.Fprintf(&toml, "http_headers = { %s }\n", strings.Join(values, ", "))
		}
	}
	p.Text = strings.TrimSpace(toml.String())
	if byCommand {
		p.Command = command
	}
	return nil
}

// planGoose returns the text for goose's YAML. goose reads every quoted string
// as JSON does.
func planGoose(s Server, p *Plan) error {
	var yaml strings.Builder
	fmt.Fprintf(&yaml, "extensions:\n  %s:\n    name: %s\n    enabled: true\n    timeout: 300\n", s.Name, s.Name)
	if s.URL != "" {
		fmt.Fprintf(&yaml, "    type: streamable_http\n    uri: %s\n", encode(s.URL, "", ""))
		if refers(s.Headers) {
			return fmt.Errorf("%s has no references in headers; pass NAME: VALUE and -clear", p.Title)
		}
		yamlMap(&yaml, "headers", s.Headers)
		p.Text = strings.TrimSpace(yaml.String())
		return nil
	}
	fmt.Fprintf(&yaml, "    type: stdio\n    cmd: %s\n    args: %s\n", encode(s.Command[0], "", ""),
		encode(append([]string{}, s.Command[1:]...), "", ""))
	var values []Variable
	var names []string
	for _, v := range s.Env {
		switch {
		case v.Value == "${"+v.Name+"}":
			names = append(names, v.Name)
		case reference.MatchString(v.Value):
			return fmt.Errorf("%s passes variables on only under their own names: write -env %s", p.Title, v.Name)
		default:
			values = append(values, v)
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(&yaml, "    env_keys: %s\n", encode(names, "", ""))
	}
	yamlMap(&yaml, "envs", values)
	p.Text = strings.TrimSpace(yaml.String())
	return nil
}

func yamlMap(w *strings.Builder, key string, all []Variable) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(w, "    %s:\n", key)
	for _, v := range all {
		fmt.Fprintf(w, "      %s: %s\n", encode(v.Name, "", ""), encode(v.Value, "", ""))
	}
}
