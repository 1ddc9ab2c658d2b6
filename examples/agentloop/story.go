package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolcontract/toolcontract/agent"
	"github.com/toolcontract/toolcontract/examples/agentloop/loop"
)

// scripted is a model that follows a script: it reads the last observation and
// answers as a good model would.
func scripted(_ context.Context, messages []loop.Message, _ []agent.Tool) (loop.Message, error) {
	last := messages[len(messages)-1]
	saw := func(texts ...string) bool {
		for _, text := range texts {
			if !strings.Contains(last.Text, text) {
				return false
			}
		}
		return true
	}
	switch {
	case last.Role == loop.RoleUser:
		return wants("I write the summary.", "files_write", `{"path":"notes/summary.txt","content":"Draft conclusions."}`)
	case saw("files_write", "already_exists"):
		return wants("There is a file already, and I was asked for a new summary. I replace it.",
			"files_write", `{"path":"notes/summary.txt","content":"Draft conclusions.","overwrite":true}`)
	case saw("Result of files_write"):
		return wants("Now the invoice. Which one is it?", "invoices_search", `{"by":{"customer":"c_max"},"unpaid":true}`)
	case saw("Result of invoices_search", "AC-1004"):
		return wants("AC-1004 was never sent. First I check what voiding it does.", "invoices_void",
			`{"invoice":"AC-1004","dryRun":true}`)
	case saw("Result of invoices_void", `"dryRun":true`):
		return wants("That is what I was asked for.", "invoices_void", `{"invoice":"AC-1004"}`)
	case saw("Result of invoices_void"):
		return loop.Message{Text: "The summary is written, and AC-1004 is void."}, nil
	}
	return loop.Message{Text: "I could not do it: " + last.Text}, nil
}

func wants(text, tool, arguments string) (loop.Message, error) {
	return loop.Message{Text: text, Calls: []loop.ToolCall{{Tool: tool, Arguments: arguments}}}, nil
}

// request is what the person wants.
const request = "Write a new summary of the notes, and void the invoice to Max Carpentry that was never sent."

// playStory runs the scripted model in two processes. The first one ends while
// a call waits for an approval, and the second one continues with its state.
func playStory(ctx context.Context, o *office, out *transcript) error {
	var stored []byte // in a program: a file, or a row of a database
	save := func(_ context.Context, s loop.State) (err error) {
		stored, err = json.Marshal(s)
		return err
	}
	out.print("person", request)
	err := process(ctx, o, out, loop.State{Messages: []loop.Message{{Role: loop.RoleUser, Text: request}}}, save)
	if !errors.Is(err, loop.ErrPending) {
		return err
	}
	tool, err := o.colleague.approve(ctx)
	if err != nil {
		return fmt.Errorf("approve the call of %s: %w", tool, err)
	}
	out.print("person", "Ben approves the call of "+tool+". A new process continues with the stored state.")
	var state loop.State
	if err := json.Unmarshal(stored, &state); err != nil {
		return err
	}
	return process(ctx, o, out, state, save)
}

// process is one process of the agent: its connections and its run.
func process(ctx context.Context, o *office, out *transcript, state loop.State,
	save func(context.Context, loop.State) error) error {
	agents, err := o.connect(ctx, agent.Host{})
	if err != nil {
		return err
	}
	defer disconnect(agents)
	_, err = loop.Run(ctx, loop.Task{
		Model: scripted, Callers: callers(agents), Policy: policy(), State: state, Save: save, Events: out.event,
	})
	return out.ended(err)
}
