package call

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/cli"
	"github.com/toolcontract/toolcontract/cmd/toolcontract/internal/describe"
	"github.com/toolcontract/toolcontract/contract"
)

// A person answers questions at the terminal, one after the other.
type person struct {
	on *cli.Terminal

	mu    sync.Mutex
	once  sync.Once
	lines chan string // closed at the end of the input
}

// read returns the next line. ok is false if the input or the context ended.
func (p *person) read(ctx context.Context, prompt string) (line string, ok bool) {
	p.once.Do(func() {
		p.lines = make(chan string)
		go func() {
			defer close(p.lines)
			for in := bufio.NewScanner(p.on.Stdin); in.Scan(); {
				p.lines <- in.Text()
			}
		}()
	})
	p.on.Prompt("%s ", prompt)
	select {
	case line, ok = <-p.lines:
		if !ok {
			p.on.Note("")
		}
		return strings.TrimSpace(line), ok
	case <-ctx.Done():
		p.on.Note("")
		return "", false
	}
}

// ask shows a question about a call.
func (p *person) ask(ctx context.Context, q agent.Question) (agent.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	message := q.Message
	if message == "" {
		message = fmt.Sprintf("%s may change something, and nothing but its hints is known. Call it?", cli.OneLine(q.Tool.Name))
	}
	p.on.Note("\n%s", cli.Paint(p.on.Stderr, cli.Bold, lines(message)))
	p.on.Note("  the call: %s %s", cli.OneLine(q.Tool.Name), lines(indented(q.Arguments)))
	if len(q.Preview) > 0 {
		p.on.Note("  the dry run: %s", lines(indented(q.Preview)))
	}
	switch {
	case q.Confirms():
		return p.approve(ctx, "Approve? [y/N]", q.Approve())
	case q.Typed():
		word, ok := p.read(ctx, "Type the word to approve, or nothing to decline:")
		switch {
		case !ok:
			return agent.Answer{}, nil
		case word == "":
			return agent.Answer{Action: agent.Decline}, nil
		}
		return q.Type(word), nil
	}
	return p.fill(ctx, q.Form)
}

// approve returns the answer if the person types y, and otherwise declines. The
// end of the input cancels.
func (p *person) approve(ctx context.Context, prompt string, yes agent.Answer) (agent.Answer, error) {
	line, ok := p.read(ctx, prompt)
	switch line = strings.ToLower(line); {
	case !ok:
		return agent.Answer{}, nil
	case line == "y" || line == "yes":
		return yes, nil
	}
	return agent.Answer{Action: agent.Decline}, nil
}

// open sends the person to a page.
func (p *person) open(ctx context.Context, page agent.Page) (agent.Answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	host := page.URL
	if u, err := url.Parse(page.URL); err == nil {
		host = u.Host
	}
	p.on.Note("\n%s\n  open this page of %s:\n  %s", lines(page.Message), cli.Paint(p.on.Stderr, cli.Bold, cli.OneLine(host)),
		cli.OneLine(page.URL))
	line, ok := p.read(ctx, "Press Enter when you have finished there, or type n to give up:")
	switch {
	case !ok:
		return agent.Answer{}, nil
	case line == "":
		return agent.Answer{Action: agent.Accept}, nil
	}
	return agent.Answer{Action: agent.Decline}, nil
}

// fill lets the person fill in a form, and sends nothing that the form refuses.
func (p *person) fill(ctx context.Context, form json.RawMessage) (agent.Answer, error) {
	form = ofObject(form)
	fields := agent.Fields(form)
	content := map[string]json.RawMessage{}
	asked := fields
	for {
		for _, f := range asked {
			value, ok := p.field(ctx, f)
			if !ok {
				return agent.Answer{}, nil
			}
			content[f.Name] = value
			if value == nil {
				delete(content, f.Name)
			}
		}
		filled, err := json.Marshal(content)
		if err != nil {
			return agent.Answer{}, err
		}
		broken := agent.Tool{Contract: contract.Document{InputSchema: form}}.Violations(filled)
		if len(broken) == 0 {
			p.on.Note("  the answer: %s", lines(indented(filled)))
			answer := agent.Answer{Action: agent.Accept, Content: map[string]any{}}
			for name, value := range content {
				answer.Content[name] = value
			}
			return p.approve(ctx, "Send it? [y/N]", answer)
		}
		asked = nil
		for _, v := range broken {
			p.on.Note("  %s: %s", cli.OneLine(cmp.Or(v.Pointer, "the form")), cli.OneLine(v.Message))
			for _, f := range fields {
				if v.Pointer == "/"+f.Name || strings.HasPrefix(v.Pointer, "/"+f.Name+"/") || v.Pointer == "" && f.Required &&
					content[f.Name] == nil {
					asked = append(asked, f)
				}
			}
		}
		if len(asked) == 0 {
			asked = fields
		}
	}
}

// ofObject returns a form with the type that the protocol requires. Without it
// the form could not be compiled, and would refuse nothing.
func ofObject(form json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(form, &members) != nil || members == nil || members["type"] != nil {
		return form
	}
	members["type"] = json.RawMessage(`"object"`)
	typed, err := json.Marshal(members)
	if err != nil {
		return form
	}
	return typed
}

// field asks for a field until the answer is one of its choices, if it has any.
// A nil value leaves the field out. ok is false if the input or the context
// ended.
func (p *person) field(ctx context.Context, f agent.Field) (value json.RawMessage, ok bool) {
	for {
		line, ok := p.read(ctx, question(f))
		if !ok || line == "" {
			return f.Default, ok
		}
		if value, ok := chosen(f, line); ok {
			return value, true
		}
		p.on.Note("  %s: this is not in the list", cli.OneLine(f.Name))
	}
}

// question returns the prompt for a field.
func question(f agent.Field) string {
	var words strings.Builder
	words.WriteString(cli.OneLine(cmp.Or(f.Title, f.Name)))
	if f.Description != "" {
		fmt.Fprintf(&words, " (%s)", cli.OneLine(f.Description))
	}
	for i, c := range f.Choices {
		fmt.Fprintf(&words, "\n    %d: %s", i+1, cli.OneLine(cmp.Or(c.Name, plain(c.Value))))
	}
	if len(f.Choices) > 0 {
		words.WriteString("\n   ")
	}
	switch {
	case f.Default != nil:
		fmt.Fprintf(&words, " [%s]", cli.OneLine(plain(f.Default)))
	case !f.Required:
		words.WriteString(" [none]")
	}
	return words.String() + ":"
}

// chosen returns the value that a person typed for a field. The text may be the
// number of a choice or, for a list, several separated by commas. ok is false
// if the field has choices and this is not one of them.
func chosen(f agent.Field, typed string) (value json.RawMessage, ok bool) {
	if len(f.Choices) == 0 {
		return describe.Value(f, typed), true
	}
	if f.Items == nil {
		return pick(f.Choices, typed)
	}
	var items []json.RawMessage
	for part := range strings.SplitSeq(typed, ",") {
		item, ok := pick(f.Choices, strings.TrimSpace(part))
		if !ok {
			return nil, false
		}
		items = append(items, item)
	}
	list, err := json.Marshal(items)
	return list, err == nil
}

// pick returns the value of the choice that a text numbers or names.
func pick(choices []agent.Choice, text string) (json.RawMessage, bool) {
	for i, c := range choices {
		if text == strconv.Itoa(i+1) {
			return c.Value, true
		}
	}
	for _, c := range choices {
		if text == c.Name || text == plain(c.Value) {
			return c.Value, true
		}
	}
	return nil, false
}

// plain returns a string without its quotes, and other JSON as it is.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// lines returns a text with its lines, each without characters that control the
// terminal, and indented below the first.
func lines(text string) string {
	var all []string
	for line := range strings.Lines(text) {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		all = append(all, indent+cli.OneLine(line))
	}
	return strings.Join(all, "\n  ")
}
