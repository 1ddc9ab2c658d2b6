package dryruns

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/guard/internal/recorder"
	"github.com/toolcontract/toolcontract/internal/keyring"
	"github.com/toolcontract/toolcontract/store"
)

// A token is its content, then a tag over the content and the call. It is short
// because a model copies it: 39 bytes fill exactly 52 characters of base64url.
const (
	tokenVersion = 1
	hintSize     = 2
	expiryAt     = 1             // milliseconds of the Unix epoch, big-endian
	nonceAt      = expiryAt + 6  // a hint of the server and its keys, then random
	previewAt    = nonceAt + 10  // the start of the preview's SHA-256
	tagAt        = previewAt + 6 // the tag
	tokenSize    = tagAt + keyring.TagSize
)

var (
	errNoToken      = errors.New("guard: no dryRunToken")
	errForeignToken = errors.New("guard: the dryRunToken does not belong to this call")
	errStaleToken   = errors.New("guard: the dryRunToken has expired")
	errSpentToken   = errors.New("guard: the dryRunToken was used before")
)

func (pr *Previewer) newToken(c *DryRun, preview []byte) string {
	token := make([]byte, tagAt, tokenSize)
	var expiry [8]byte
	binary.BigEndian.PutUint64(expiry[:], uint64(time.Now().Add(pr.ttl).UnixMilli())) //nolint:gosec // after 1970
	copy(token[expiryAt:], expiry[2:])
	rand.Read(token[nonceAt:previewAt]) // never fails
	copy(token[nonceAt:], pr.ledger.PreviewTags().Tag([]byte(c.Header.Audience))[:hintSize])
	digest := sha256.Sum256(preview)
	copy(token[previewAt:], digest[:])
	token[0] = tokenVersion
	return base64.RawURLEncoding.EncodeToString(append(token, pr.ledger.PreviewTags().Tag(tagInput(c, token))...))
}

// tagInput returns the bytes that the tag of a token covers: the token, and
// its server, tool, contract, principal and arguments. None of these has a line
// break.
func tagInput(c *DryRun, token []byte) []byte {
	covered := append([]byte{}, token...)
	h := &c.Header
	for _, part := range []string{h.Audience, h.Tool, h.Contract, h.Terms, h.Principal, h.Arguments} {
		covered = append(append(covered, '\n'), part...)
	}
	return covered
}

// Require refuses a call without a recent preview of exactly this call, and
// returns what the call spends. It is spent later, so that it stays valid if a
// stage in between refuses the call or asks about it.
func (pr *Previewer) Require(c *DryRun) (store.Nonce, *answer.Refusal) {
	token, err := pr.openToken(c, c.Args.DryRunToken)
	if err != nil && !c.Journal.Waives(facts.ClauseDryRun) {
		return store.Nonce{}, refuseUnrun(err)
	}
	return token, nil
}

func (pr *Previewer) openToken(c *DryRun, text string) (store.Nonce, error) {
	var none store.Nonce
	if text == "" {
		return none, errNoToken
	}
	token, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(token) != tokenSize || len(text) != base64.RawURLEncoding.EncodedLen(tokenSize) ||
		token[0] != tokenVersion {
		return none, errForeignToken
	}
	if !pr.ledger.PreviewTags().Verify(tagInput(c, token[:tagAt]), token[tagAt:]) {
		if !pr.ledger.PreviewTags().VerifyPart([]byte(c.Header.Audience), token[nonceAt:nonceAt+hintSize]) {
			pr.ledger.Foreign()
		}
		return none, errForeignToken
	}
	var expiry [8]byte
	copy(expiry[2:], token[expiryAt:nonceAt])
	left := time.Until(time.UnixMilli(int64(binary.BigEndian.Uint64(expiry[:])))) //nolint:gosec // 48 bits
	if left <= 0 {
		return none, errStaleToken
	}
	return store.Nonce{Key: c.Scope.Key("dryrun\x00" + string(token[nonceAt:previewAt])), TTL: left + pr.ttl}, nil
}

// refuseUnrun refuses a call without a valid token, and names the only remedy.
func refuseUnrun(cause error) *answer.Refusal {
	return answer.NewRefusal(contract.CodeDryRunRequired, "first run the same call with dryRun true, "+
		"then repeat it with the dryRunToken of that preview; "+
		"the token counts once, for exactly these arguments, for a short time").Because(cause)
}

// RefuseSpent refuses a call whose token has been used.
func RefuseSpent() *answer.Refusal { return refuseUnrun(errSpentToken) }

// Spend spends what [Previewer.Require] returned. It does nothing for the zero
// nonce.
func (pr *Previewer) Spend(ctx context.Context, nonce store.Nonce, by store.Owner, j *recorder.Journal) *answer.Refusal {
	if nonce.Key.IsZero() {
		return nil
	}
	first, err := pr.ledger.Spend(ctx, nonce, by)
	if err != nil {
		return answer.Unavailable("the use of the dry run cannot be recorded").Because(err)
	}
	if !first && !j.Waives(facts.ClauseDryRun) {
		return RefuseSpent()
	}
	return nil
}
