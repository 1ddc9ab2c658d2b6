package mail

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSearch_FindsContacts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, query string
		want        []string
	}{
		{"by name in any case", "ANNA", []string{"anna@example.com"}},
		{"by address", "max@", []string{"max@example.com"}},
		{"all contacts", "", []string{"anna@example.com", "max@example.com"}},
		{"no contact, as an empty list", "zoe", []string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, err := searchContacts(t.Context(), SearchInput{Query: tt.query})
			require.NoError(t, err)
			found := []string{}
			require.NotNil(t, out.Contacts)
			for _, c := range out.Contacts {
				found = append(found, c.Email)
			}
			assert.Equal(t, tt.want, found)
		})
	}
}
