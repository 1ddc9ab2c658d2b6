package stepup

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sent returns Codes with the clock of the test, and the last code that was
// sent to each person.
func sent(now *time.Time) (*Codes, map[Person]string) {
	last := map[Person]string{}
	c := NewCodes(func(p Person, code string) { last[p] = code })
	c.clock = func() time.Time { return *now }
	return c, last
}

// wrong returns a code that differs from code.
func wrong(code string) string {
	if code == "000000" {
		return "000001"
	}
	return "000000"
}

func TestCode_WorksOnceForItsPerson(t *testing.T) {
	t.Parallel()
	now := time.Now()
	c, last := sent(&now)
	alice := Person{Subject: "alice"}
	require.NoError(t, c.Send(alice))
	code := last[alice]
	assert.Regexp(t, "^[0-9]{6}$", code)
	for _, other := range []Person{{}, {Subject: "bob"}, {Tenant: "acme", Subject: "alice"}, {Subject: "Alice"}} {
		assert.False(t, c.Check(other, code), other)
	}
	for _, text := range []string{"", wrong(code), code + "0", " " + code} {
		assert.False(t, c.Check(alice, text), text)
	}
	assert.True(t, c.Check(alice, code))
	assert.False(t, c.Check(alice, code))
}

func TestCode_AllowsFewGuesses(t *testing.T) {
	t.Parallel()
	now := time.Now()
	c, last := sent(&now)
	alice := Person{Subject: "alice"}
	require.NoError(t, c.Send(alice))
	code := last[alice]
	for range maxTries {
		require.NoError(t, c.Send(alice))
		assert.Equal(t, code, last[alice], "another request does not allow more guesses")
		assert.False(t, c.Check(alice, wrong(code)))
	}
	assert.False(t, c.Check(alice, code))
	now = now.Add(codeLife)
	require.NoError(t, c.Send(alice))
	assert.True(t, c.Check(alice, last[alice]))
}

func TestCode_Expires(t *testing.T) {
	t.Parallel()
	now := time.Now()
	c, last := sent(&now)
	alice := Person{Subject: "alice"}
	require.NoError(t, c.Send(alice))
	now = now.Add(codeLife)
	assert.False(t, c.Check(alice, last[alice]))
}

func TestCodes_AreBounded(t *testing.T) {
	t.Parallel()
	now := time.Now()
	c, last := sent(&now)
	for i := range maxCodes {
		require.NoError(t, c.Send(Person{Subject: fmt.Sprint(i)}))
	}
	require.Error(t, c.Send(Person{Subject: "alice"}))
	assert.NotContains(t, last, Person{Subject: "alice"})
	require.NoError(t, c.Send(Person{Subject: "0"}), "a person with a code gets it again")
	now = now.Add(codeLife)
	require.NoError(t, c.Send(Person{Subject: "alice"}))
	assert.Len(t, c.live, 1)
}
