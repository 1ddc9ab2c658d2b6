package mail

import (
	"context"
	"strings"

	"github.com/toolcontract/toolcontract/contract"
)

// A SearchInput holds the arguments of contacts.search. The tags of its blank
// fields declare the contract. There are several such fields because a tag
// cannot span lines.
//
// Results are untrusted although the address book belongs to the organisation:
// the model reads names that somebody once typed into a form or a signature.
type SearchInput struct {
	_ contract.Tags `name:"contacts.search" title:"Search contacts" version:"1.0.0" category:"contacts"`
	_ contract.Tags `description:"Finds people in the organisation's address book by name or address."`
	_ contract.Tags `effect:"read-only" trust:"untrusted" reads:"private" permissions:"contacts:read"`

	Query string `json:"query" jsonschema:"maxLength=200" jsonschema_description:"Part of a name or of an address. Empty finds everybody."`
}

// A Contact is one entry of the address book.
type Contact struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

// A SearchOutput is the result of contacts.search, in the order of the address
// book.
type SearchOutput struct {
	Contacts []Contact `json:"contacts"`
}

// addressBook returns all contacts of the example.
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
	return contract.New("", searchContacts).Build()
}
