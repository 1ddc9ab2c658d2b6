package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"sync"
	"time"

	"github.com/toolcontract/toolcontract/examples/oauth/payouts"
	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/guard/people"
)

const (
	codeLife = 5 * time.Minute
	maxCodes = 1000 // unexpired ones
)

var (
	errTooMany   = errors.New("too many people are signing in")
	errWrongCode = errors.New("no person has this code")
)

// codes are a stand-in for the sign-in of an authorization server. If a call
// waits for a person, that person is sent a code. The code signs in this person
// once, within five minutes. It has 128 random bits, so it cannot be guessed.
type codes struct {
	// send sends a code to a person. The client that waits for the person must
	// not see the code.
	send func(to people.PrincipalName, code string)

	mu   sync.Mutex
	live map[people.PrincipalName]code
}

type code struct {
	text string
	ends time.Time
}

func newCodes(send func(to people.PrincipalName, code string)) *codes {
	return &codes{send: send, live: map[people.PrincipalName]code{}}
}

// stepUpPage returns the option value for [guard.PeopleOptions.StepUpPage]. It
// sends a code to the person of each call that waits, and returns the address
// of the page.
func (c *codes) stepUpPage(address guard.StepUpPage) guard.StepUpPage {
	return func(ctx context.Context, r people.StepUpRequest) (string, error) {
		text, err := c.issue(r.Principal)
		if err != nil {
			return "", err
		}
		c.send(r.Principal, text)
		return address(ctx, r)
	}
}

// issue returns the unexpired code of a person, or a new one.
func (c *codes) issue(to people.PrincipalName) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if found, ok := c.live[to]; ok && now.Before(found.ends) {
		return found.text, nil
	}
	for of, old := range c.live {
		if !now.Before(old.ends) {
			delete(c.live, of)
		}
	}
	if len(c.live) >= maxCodes {
		return "", errTooMany
	}
	fresh := code{text: rand.Text(), ends: now.Add(codeLife)}
	c.live[to] = fresh
	return fresh.text, nil
}

// verify returns the person of a code, as the Verify of a sign-in page
// does. A code works once.
func (c *codes) verify(_ context.Context, text string) (guard.Principal, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	for of, sent := range c.live {
		if now.Before(sent.ends) && subtle.ConstantTimeCompare([]byte(sent.text), []byte(text)) == 1 {
			delete(c.live, of)
			return guard.Principal{
				Issuer: of.Issuer, Tenant: of.Tenant, Subject: of.Subject, Human: true, AuthTime: now, ACR: payouts.ACR,
			}, nil
		}
	}
	return guard.Principal{}, errWrongCode
}
