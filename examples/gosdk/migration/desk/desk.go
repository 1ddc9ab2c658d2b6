// Package desk is an order desk in memory, with typed handlers for the official
// Go SDK. The servers of the folder above share it.
package desk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var (
	errNoSuchOrder = errors.New("no such order")
	errShipped     = errors.New("the order has been shipped")
)

// An order is an order of a customer. Its parcel is empty until it is shipped.
type order struct {
	id, item, parcel string
	notes            []string
}

// A Desk holds the orders. It is safe for concurrent use.
type Desk struct {
	mu     sync.Mutex
	orders []*order
}

// New returns a desk with two orders: o_1, which was shipped, and o_2.
func New() *Desk {
	return &Desk{orders: []*order{{id: "o_1", item: "a kettle", parcel: "at the depot"}, {id: "o_2", item: "two cups"}}}
}

// All is the input of a tool without parameters.
type All struct{}

// An Order is the input of a tool for one order.
type Order struct {
	ID string `json:"id"`
}

// A Label is the input of print_label.
type Label struct {
	ID    string `json:"id"`
	Width int    `json:"width,omitempty"`
}

// A Note is the input of add_note.
type Note struct {
	ID   string `json:"id"`
	Note string `json:"note"`
}

// Notes is the output of add_note.
type Notes struct {
	Notes int `json:"notes" jsonschema:"how many notes the order has now"`
}

// find returns the order with the id. The caller must hold the mutex.
func (d *Desk) find(id string) (*order, error) {
	if i := slices.IndexFunc(d.orders, func(o *order) bool { return o.id == id }); i >= 0 {
		return d.orders[i], nil
	}
	return nil, errNoSuchOrder
}

// ListOrders is the handler of list_orders.
func (d *Desk) ListOrders(context.Context, *mcp.CallToolRequest, All) (*mcp.CallToolResult, any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var lines []string
	for _, o := range d.orders {
		lines = append(lines, o.id+": "+o.item)
	}
	return text(strings.Join(lines, "\n")), nil, nil
}

// GetOrder is the handler of get_order.
func (d *Desk) GetOrder(_ context.Context, _ *mcp.CallToolRequest, in Order) (*mcp.CallToolResult, any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	o, err := d.find(in.ID)
	if err != nil {
		return nil, nil, err
	}
	return text(fmt.Sprintf("%s: %s\nnotes: %s", o.id, o.item, strings.Join(o.notes, "; "))), nil, nil
}

// TrackParcel is the handler of track_parcel.
func (d *Desk) TrackParcel(_ context.Context, _ *mcp.CallToolRequest, in Order) (*mcp.CallToolResult, any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	o, err := d.find(in.ID)
	switch {
	case err != nil:
		return nil, nil, err
	case o.parcel == "":
		return text("not shipped"), nil, nil
	}
	return text(o.parcel), nil, nil
}

// CancelOrder is the handler of cancel_order.
func (d *Desk) CancelOrder(_ context.Context, _ *mcp.CallToolRequest, in Order) (*mcp.CallToolResult, any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	o, err := d.find(in.ID)
	switch {
	case err != nil:
		return nil, nil, err
	case o.parcel != "":
		return nil, nil, errShipped
	}
	d.orders = slices.DeleteFunc(d.orders, func(other *order) bool { return other == o })
	return text("cancelled"), nil, nil
}

// PrintLabel is the handler of print_label.
func (d *Desk) PrintLabel(_ context.Context, _ *mcp.CallToolRequest, in Label) (*mcp.CallToolResult, any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	o, err := d.find(in.ID)
	if err != nil {
		return nil, nil, err
	}
	var label bytes.Buffer
	if err := png.Encode(&label, image.NewGray(image.Rect(0, 0, in.Width, 16))); err != nil {
		return nil, nil, err
	}
	result := text("label of " + o.id)
	result.Content = append(result.Content, &mcp.ImageContent{Data: label.Bytes(), MIMEType: "image/png"})
	return result, nil, nil
}

// AddNote is the handler of add_note.
func (d *Desk) AddNote(_ context.Context, _ *mcp.CallToolRequest, in Note) (*mcp.CallToolResult, Notes, error) {
	notes := d.Note(in.ID, in.Note)
	if notes == 0 {
		return nil, Notes{}, errNoSuchOrder
	}
	return nil, Notes{Notes: notes}, nil
}

// Note adds a note to an order and returns how many notes it has then. 0 means
// that there is no such order.
func (d *Desk) Note(id, note string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	o, err := d.find(id)
	if err != nil {
		return 0
	}
	o.notes = append(o.notes, note)
	return len(o.notes)
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}
