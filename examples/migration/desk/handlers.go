package desk

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

var errNoSuchOrder = errors.New("no such order")

// find returns the order that the request names. The caller must hold the
// mutex.
func (d *Desk) find(req mcp.CallToolRequest) (*order, error) {
	id, err := req.RequireString("id")
	if err != nil {
		return nil, err
	}
	if o := d.order(id); o != nil {
		return o, nil
	}
	return nil, errNoSuchOrder
}

// ListOrders is the handler of list_orders.
func (d *Desk) ListOrders(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var lines []string
	for _, o := range d.orders {
		lines = append(lines, o.id+": "+o.item)
	}
	return mcp.NewToolResultText(strings.Join(lines, "\n")), nil
}

// GetOrder is the handler of get_order.
func (d *Desk) GetOrder(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	o, err := d.find(req)
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	return mcp.NewToolResultText(fmt.Sprintf("%s: %s\nnotes: %s", o.id, o.item, strings.Join(o.notes, "; "))), nil
}

// TrackParcel is the handler of track_parcel.
func (d *Desk) TrackParcel(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	o, err := d.find(req)
	switch {
	case err != nil:
		return mcp.NewToolResultError(err.Error()), nil
	case o.parcel == "":
		return mcp.NewToolResultText("not shipped"), nil
	}
	return mcp.NewToolResultText(o.parcel), nil
}

// CancelOrder is the handler of cancel_order.
func (d *Desk) CancelOrder(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	o, err := d.find(req)
	switch {
	case err != nil:
		return mcp.NewToolResultError(err.Error()), nil
	case o.parcel != "":
		return mcp.NewToolResultError("the order has been shipped"), nil
	}
	d.orders = slices.DeleteFunc(d.orders, func(other *order) bool { return other == o })
	return mcp.NewToolResultText("cancelled"), nil
}

// PrintLabel is the handler of print_label.
func (d *Desk) PrintLabel(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	o, err := d.find(req)
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	label, err := draw(req.GetInt("width", 64))
	if err != nil {
		return nil, err
	}
	return mcp.NewToolResultImage("label of "+o.id, base64.StdEncoding.EncodeToString(label), "image/png"), nil
}

// AddNote is the handler of add_note.
func (d *Desk) AddNote(_ context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	id, err := req.RequireString("id")
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	note, err := req.RequireString("note")
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	notes := d.Note(id, note)
	if notes == 0 {
		return mcp.NewToolResultError(errNoSuchOrder.Error()), nil
	}
	return mcp.NewToolResultText(fmt.Sprintf("note %d", notes)), nil
}
