package stepup

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"math/big"
	"sync"
	"time"
)

const (
	codeLife = 5 * time.Minute
	// maxTries bounds the guesses at one code. A person gets the same code
	// until it expires, so the bound holds for every five minutes.
	maxTries = 5
	maxCodes = 1000 // unexpired ones
)

// A Person can sign in. Tenant is empty for people without one.
type Person struct{ Tenant, Subject string }

// Codes signs people in with codes that work once. Make it with [NewCodes]. It
// is safe for concurrent use.
type Codes struct {
	send  func(p Person, code string)
	clock func() time.Time

	mu   sync.Mutex
	live map[Person]*code
}

type code struct {
	text  string
	tries int
	ends  time.Time
}

// NewCodes returns Codes that sends codes to people with send. The client that
// waits for the person must not see the codes.
func NewCodes(send func(p Person, code string)) *Codes {
	return &Codes{send: send, clock: time.Now, live: map[Person]*code{}}
}

var errTooMany = errors.New("stepup: too many people are signing in")

// Send sends p a code. Until that code expires, further calls send it again.
func (c *Codes) Send(p Person) error {
	text, err := c.issue(p)
	if err == nil {
		c.send(p, text)
	}
	return err
}

func (c *Codes) issue(p Person) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock()
	if found := c.live[p]; found != nil && now.Before(found.ends) {
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
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		return "", err
	}
	fresh := &code{text: fmt.Sprintf("%06d", n), ends: now.Add(codeLife)}
	c.live[p] = fresh
	return fresh.text, nil
}

// Check reports whether text is the code of p. A code works once.
func (c *Codes) Check(p Person, text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.live[p]
	if found == nil || !c.clock().Before(found.ends) || found.tries >= maxTries {
		return false
	}
	found.tries++
	if subtle.ConstantTimeCompare([]byte(found.text), []byte(text)) != 1 {
		return false
	}
	delete(c.live, p)
	return true
}
