package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
	"github.com/toolcontract/toolcontract/trust"
)

// A colleague approves calls outside the client. A real one decides on the page
// of package pages.
type colleague struct {
	mu     sync.Mutex
	people guard.People
	last   people.PendingQuestion
}

// Attach implements guard.Approver.
func (c *colleague) Attach(p guard.People) error {
	c.people = p
	return nil
}

// Pending implements guard.Approver.
func (c *colleague) Pending(_ context.Context, q people.PendingQuestion) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = q
	return "", nil
}

// approve approves the last question, and returns its text.
func (c *colleague) approve(ctx context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last.Token == "" {
		return "", errors.New("no call waits for an approval")
	}
	ben := guard.Principal{Issuer: "agentloop", Subject: "ben", Human: true}
	return c.last.Tool, c.people.Decide(ctx, c.last.Token, true, ben)
}

// asker asks the person at the terminal. Only "yes" approves.
func asker(in io.Reader, out io.Writer) func(context.Context, agent.Question) (agent.Answer, error) {
	lines := bufio.NewScanner(in)
	var mu sync.Mutex
	return func(_ context.Context, q agent.Question) (agent.Answer, error) {
		mu.Lock()
		defer mu.Unlock()
		text := fmt.Sprintf("\n%s\n%s %s\nso far: %s\n", q.Message, q.Tool.Name, q.Arguments, q.Chain)
		if len(q.Preview) > 0 {
			text += fmt.Sprintf("preview: %s\n", q.Preview)
		}
		text, _ = trust.Sanitize(text) // the model wrote the arguments
		fmt.Fprint(out, text)
		if q.Typed() {
			fmt.Fprint(out, "the word, or nothing to decline: ")
		} else {
			fmt.Fprint(out, "yes or no: ")
		}
		if !lines.Scan() {
			return agent.Answer{Action: agent.Cancel}, lines.Err()
		}
		switch answer := strings.TrimSpace(lines.Text()); {
		case q.Typed() && answer != "":
			return q.Type(answer), nil
		case q.Confirms() && answer == "yes":
			return q.Approve(), nil
		}
		return agent.Answer{Action: agent.Decline}, nil
	}
}
