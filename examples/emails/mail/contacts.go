package mail

import (
	"context"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
)

// A SearchInput is what contacts.search takes. Its blank fields are the
// contract: a tag cannot span lines, so the marker is repeated.
//
// The contacts are the organisation's own, and still not trusted: a name is
// what somebody once typed into a form or a signature, and the model reads it.
type SearchInput struct {
	_ contract.Facts `name:"contacts.search" title:"Search contacts" version:"1.0.0" category:"contacts"`
	_ contract.Facts `description:"Finds people in the organisation's address book by name or address."`
	_ contract.Facts `effect:"read-only" trust:"untrusted" permissions:"contacts:read"`

	Query string `json:"query" jsonschema:"maxLength=200" jsonschema_description:"Part of a name or of an address. Empty finds everybody."`
}

// A Contact is one entry of the address book.
type Contact struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

// A SearchOutput is what contacts.search returns, in the address book's order.
type SearchOutput struct {
	Contacts []Contact `json:"contacts"`
}

// addressBook is everybody the example knows.
func addressBook() []Contact {
	return []Contact{
		{ID: "c_anna", Name: "Anna Keller", Email: "anna@example.com"},
		{ID: "c_max", Name: "Max Brandt", Email: "max@example.com"},
	}
}

func searchContacts(_ context.Context, in SearchInput) (SearchOutput, error) {
	query := strings.ToLower(strings.TrimSpace(in.Query))
	out := SearchOutput{Contacts: []Contact{}}
	for _, c := range addressBook() {
		if strings.Contains(strings.ToLower(c.Name), query) || strings.Contains(c.Email, query) {
			out.Contacts = append(out.Contacts, c)
		}
	}
	return out, nil
}

func contactsSearch() (*contract.Tool, error) {
	return contract.FromTags(searchContacts).Build()
}
