package main

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcontract/toolcontract/examples/oauth/payouts"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
)

var alice = people.PrincipalName{Issuer: "https://login.example.com", Tenant: "acme", Subject: "alice"}

// A mailbox is a step-up page with the last code that was sent to each person.
type mailbox struct {
	*codes
	page guard.StepUpPage
	last map[people.PrincipalName]string
}

func newMailbox() mailbox {
	last := map[people.PrincipalName]string{}
	c := newCodes(func(to people.PrincipalName, code string) { last[to] = code })
	return mailbox{c, c.stepUpPage(func(_ context.Context, r people.StepUpRequest) (string, error) {
		return "http://127.0.0.1:8080/step-up?id=" + r.ID, nil
	}), last}
}

// ask sends a person to the page, and returns the code.
func (m mailbox) ask(t *testing.T, who people.PrincipalName) string {
	t.Helper()
	address, err := m.page(t.Context(), people.StepUpRequest{ID: "x", Principal: who})
	require.NoError(t, err)
	assert.Equal(t, "http://127.0.0.1:8080/step-up?id=x", address)
	return m.last[who]
}

func TestCode_SignsInItsPersonOnce(t *testing.T) {
	t.Parallel()
	m := newMailbox()
	code := m.ask(t, alice)
	other := alice
	other.Tenant = ""
	assert.NotEqual(t, code, m.ask(t, other), "each person has their own code")
	assert.Equal(t, code, m.ask(t, alice), "the code stays the same while it is unused")
	for _, text := range []string{"", code[1:], code + "A", " " + code, "alice"} {
		_, err := m.verify(t.Context(), text)
		require.Error(t, err, text)
	}
	p, err := m.verify(t.Context(), code)
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now(), p.AuthTime, time.Minute)
	p.AuthTime = time.Time{}
	assert.Equal(t, guard.Principal{Issuer: alice.Issuer, Tenant: "acme", Subject: "alice", Human: true, ACR: payouts.ACR}, p)
	_, err = m.verify(t.Context(), code)
	require.Error(t, err)
	assert.NotEqual(t, code, m.ask(t, alice))
}

func TestCode_Expires(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMailbox()
		code := m.ask(t, alice)
		time.Sleep(codeLife)
		_, err := m.verify(t.Context(), code)
		require.Error(t, err)
		_, err = m.verify(t.Context(), m.ask(t, alice))
		require.NoError(t, err)
	})
}

func TestCodes_AreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMailbox()
		for i := range maxCodes {
			m.ask(t, people.PrincipalName{Subject: fmt.Sprint(i)})
		}
		_, err := m.page(t.Context(), people.StepUpRequest{ID: "x", Principal: alice})
		require.Error(t, err)
		assert.NotContains(t, m.last, alice)
		m.ask(t, people.PrincipalName{Subject: "0"}) // has a code, which is sent again
		time.Sleep(codeLife)
		m.ask(t, alice)
		assert.Len(t, m.live, 1)
	})
}
