package guard

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/dryrun"
	"github.com/toolcontract/toolcontract/internal/keyring"
)

// A token is what it says, then a tag over that and over the call that it is
// for. It is short, for a model copies it: 39 bytes are 52 characters of
// base64url, none of which has bits to spare.
const (
	tokenVersion = 1
	expiryAt     = 1            // milliseconds of the Unix epoch, big-endian
	nonceAt      = expiryAt + 6 //
	previewAt    = nonceAt + 10 // the start of the preview's SHA-256
	tagAt        = previewAt + 6
	tokenSize    = tagAt + keyring.TagSize
)

var (
	errNoToken      = errors.New("guard: no dryRunToken")
	errForeignToken = errors.New("guard: the dryRunToken is not one of this call's")
	errStaleToken   = errors.New("guard: the dryRunToken has expired")
	errSpentToken   = errors.New("guard: the dryRunToken was used before")
)

func requiresDryRun(e *entry) bool { return e.doc.DryRun == dryrun.Required }

// dryRunToken makes the token that stands in a preview.
func (c *call) dryRunToken(preview []byte) string {
	token := make([]byte, tagAt, tokenSize)
	var expiry [8]byte
	binary.BigEndian.PutUint64(expiry[:], uint64(time.Now().Add(c.set.guard.dryRunTTL).UnixMilli())) //nolint:gosec // after 1970
	copy(token[expiryAt:], expiry[2:])
	rand.Read(token[nonceAt:previewAt]) // never fails
	digest := sha256.Sum256(preview)
	copy(token[previewAt:], digest[:])
	token[0] = tokenVersion
	return base64.RawURLEncoding.EncodeToString(append(token, c.set.guard.ledger.dryRuns.Tag(c.tokenClaims(token))...))
}

// tokenClaims is what the tag of a token covers: the token, and the server, the
// tool, its contract, the principal and the arguments that it is for. None of
// these has a line break.
func (c *call) tokenClaims(token []byte) []byte {
	claims := append([]byte{}, token...)
	for _, part := range []string{c.audience(), c.entry.doc.Name, c.entry.tool.Digest(), c.terms(), c.principalDigest(), c.exactArguments()} {
		claims = append(append(claims, '\n'), part...)
	}
	return claims
}

// requireDryRun holds a call to a preview of exactly itself, that was given a
// short while ago. The token is spent later: a call that is refused or asked
// about in between does not use it up.
func requireDryRun(c *call) *Result {
	nonce, err := c.openDryRunToken(c.args.DryRunToken)
	if err != nil && c.waives(clauseDryRun) {
		return nil
	}
	if err != nil {
		return c.dryRunRequired(err)
	}
	c.dryNonce = nonce
	return nil
}

func (c *call) openDryRunToken(text string) (store.Nonce, error) {
	var none store.Nonce
	if text == "" {
		return none, errNoToken
	}
	token, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(token) != tokenSize || len(text) != base64.RawURLEncoding.EncodedLen(tokenSize) || token[0] != tokenVersion {
		return none, errForeignToken
	}
	if !c.set.guard.ledger.dryRuns.Verify(c.tokenClaims(token[:tagAt]), token[tagAt:]) {
		return none, errForeignToken
	}
	var expiry [8]byte
	copy(expiry[2:], token[expiryAt:nonceAt])
	left := time.Until(time.UnixMilli(int64(binary.BigEndian.Uint64(expiry[:])))) //nolint:gosec // 48 bits
	if left <= 0 {
		return none, errStaleToken
	}
	return store.Nonce{Key: c.scope().Key("dryrun\x00" + string(token[nonceAt:previewAt])), TTL: left + c.set.guard.dryRunTTL}, nil
}

// dryRunRequired tells the caller the one thing to do; why is for the log.
func (c *call) dryRunRequired(why error) *Result {
	c.cause = why
	return c.refuse(contract.CodeDryRunRequired, "run the same call with dryRun true first, and give it the dryRunToken of that preview: it counts once, for exactly these arguments, for a short time")
}

// spendDryRun uses the token up, where the claim of the call has not done so in
// the same step.
func spendDryRun(c *call) *Result {
	if c.dryNonce.IsZero() || c.drySpent {
		return nil
	}
	l, owner := c.set.guard.ledger, cmp.Or(c.owner, store.NewOwner())
	first, err := ask(c.ctx, l, func(ctx context.Context) (bool, error) { return l.store.Spend(ctx, c.dryNonce, owner) })
	if err != nil {
		c.cause = err
		return c.refuseLater(contract.CodeUnavailable, "it cannot be recorded that the dry run is used up", unavailableDelay)
	}
	if !first && !c.waives(clauseDryRun) {
		return c.dryRunRequired(errSpentToken)
	}
	c.drySpent = true
	return nil
}
