package main

import (
	"context"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolcontract/toolcontract/guard/people"
)

// A person is the user of a client that can ask questions. The script sets the
// answers.
type person struct {
	mu    sync.Mutex
	agree bool
	asked string // the last question
}

// answers sets the answer to the next questions.
func (p *person) answers(agree bool) func(context.Context) error {
	return func(context.Context) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.agree = agree
		return nil
	}
}

// question returns the last question and forgets it.
func (p *person) question() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.asked
	p.asked = ""
	return q
}

// Elicit implements mcp-go's handler for questions.
func (p *person) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = r.Params.Message
	answer := mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionDecline}
	if p.agree {
		answer = mcp.ElicitationResponse{Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{people.ConfirmKey: true}}
	}
	return &mcp.ElicitationResult{ElicitationResponse: answer}, nil
}
