package upstream

import (
	"context"
	"encoding/json"
	"fmt"
)

// ListTools returns all tools of the server, of all pages. If the list changes
// while it is read, it is read again, at most twice. A list beyond a bound, one
// that repeats a cursor, and one that changes each time are a [*ListError].
func (c *Client) ListTools(ctx context.Context) (Listing, error) {
	l, err := c.connected(ctx)
	if err != nil {
		return Listing{}, err
	}
	for range maxListings {
		before := c.changes.Load()
		listing, err := c.pages(ctx, l)
		if err != nil {
			return Listing{}, err
		}
		if c.changes.Load() == before {
			return listing, nil
		}
	}
	return Listing{}, &ListError{Rule: ruleListChanging, Message: "the list changes each time that it is read"}
}

// pages reads the list once.
func (c *Client) pages(ctx context.Context, l *link) (Listing, error) {
	listing := Listing{Version: l.version, Name: l.server}
	cursors, cursor, size := map[string]bool{}, "", 0
	for range MaxListPages {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		raw, err := c.request(ctx, l.Conn, l.version, "tools/list", "", params)
		if err != nil {
			return Listing{}, err
		}
		var page struct {
			Tools []json.RawMessage `json:"tools"`
			Next  string            `json:"nextCursor"`
		}
		if json.Unmarshal(raw, &page) != nil {
			return Listing{}, &ListError{Rule: ruleListForm, Message: "the list is not of the form that the protocol defines"}
		}
		size += len(raw)
		listing.Tools = append(listing.Tools, page.Tools...)
		switch {
		case size > MaxListBytes:
			return Listing{}, &ListError{Rule: ruleListBytes, Message: fmt.Sprintf("the list has more than %d bytes", MaxListBytes), Remedy: "shorten the descriptions of its tools, or split the server"}
		case len(listing.Tools) > MaxListTools:
			return Listing{}, &ListError{Rule: ruleListTools, Message: fmt.Sprintf("the list has more than %d tools", MaxListTools), Remedy: "split the server"}
		case page.Next == "":
			return listing, nil
		case cursors[page.Next]:
			return Listing{}, &ListError{Rule: ruleListCursor, Message: "a cursor leads back to an earlier page"}
		}
		cursor = page.Next
		cursors[cursor] = true
	}
	return Listing{}, &ListError{Rule: ruleListPages, Message: fmt.Sprintf("the list has more than %d pages", MaxListPages)}
}
