package main

import (
	"context"
	"slices"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/risk"
	"github.com/toolcontract/toolcontract/trust"
)

// A ReplyInput holds the arguments of tickets.reply.
type ReplyInput struct {
	Number int `json:"number" jsonschema:"minimum=1"`
}

// A Reply is the form that a person at the desk fills in.
type Reply struct {
	Text  string `json:"text" jsonschema:"minLength=1,maxLength=500" jsonschema_description:"What the customer reads."`
	Close bool   `json:"close,omitempty" jsonschema:"default=true" jsonschema_description:"The ticket is done."`
}

func (d *desk) reply() contract.Buildable {
	return contract.New("tickets.reply", d.draft).
		From(defaults).
		Description("Writes a reply to a ticket with the person at the desk, who has the last word.").
		Effect(risk.LowRiskWrite).
		Trust(trust.Trusted).
		Permissions("tickets:reply").
		SideEffects(contract.SideEffect{Description: "The reply is kept, and the ticket may leave the queue.", Reach: contract.Internal,
			Undo: contract.Reversible, OnRepeat: "The person is asked again."}).
		Failures(errNoTicket).
		Asks(3, Reply{}) // a draft, the reply, and the reply again if it doesn't fit
}

// draft changes nothing before its last question, because each answer runs it
// again from the start.
func (d *desk) draft(ctx context.Context, in ReplyInput) (Reply, error) {
	d.mu.Lock()
	i := slices.IndexFunc(d.tickets, func(t Ticket) bool { return t.Number == in.Number })
	d.mu.Unlock()
	if i < 0 {
		return Reply{}, errNoTicket.At("/number")
	}
	draft, err := contract.Sample(ctx, "Write two polite sentences that answer this ticket: "+d.tickets[i].Text, 200)
	if err != nil {
		return Reply{}, err
	}
	reply, err := contract.Ask[Reply](ctx, "What do we reply? A draft: "+draft)
	if err != nil {
		return Reply{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tickets[i].Open = d.tickets[i].Open && !reply.Close
	return reply, nil
}
