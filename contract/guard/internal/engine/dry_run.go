package engine

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"time"

	"github.com/toolcontract/toolcontract/contract"
	"github.com/toolcontract/toolcontract/contract/guard/internal/answer"
	"github.com/toolcontract/toolcontract/contract/guard/internal/facts"
	"github.com/toolcontract/toolcontract/contract/store"
	"github.com/toolcontract/toolcontract/internal/keyring"
)

// A token is its content, then a tag over the content and the call. It is short
// because a model copies it: 39 bytes fill exactly 52 characters of base64url.
const (
	tokenVersion = 1
	expiryAt     = 1             // milliseconds of the Unix epoch, big-endian
	nonceAt      = expiryAt + 6  // random
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

// A previewToken is the valid token of the preview that a call follows. The
// zero value means that there is no token.
type previewToken struct{ nonce store.Nonce }

// newPreviewToken returns the token of a preview.
func newPreviewToken(u understood, preview []byte) string {
	token := make([]byte, tagAt, tokenSize)
	var expiry [8]byte
	binary.BigEndian.PutUint64(expiry[:], uint64(time.Now().Add(u.engine.config.DryRunTTL).UnixMilli())) //nolint:gosec // after 1970
	copy(token[expiryAt:], expiry[2:])
	rand.Read(token[nonceAt:previewAt]) // never fails
	digest := sha256.Sum256(preview)
	copy(token[previewAt:], digest[:])
	token[0] = tokenVersion
	return base64.RawURLEncoding.EncodeToString(append(token, u.engine.ledger.PreviewTags().Tag(taggedWith(u, token))...))
}

// taggedWith returns the bytes that the tag of a token covers: the token, and
// its server, tool, contract, principal and arguments. None of these has a line
// break.
func taggedWith(u understood, token []byte) []byte {
	covered := append([]byte{}, token...)
	for _, part := range []string{
		u.audience(), u.tool.Doc.Name, u.tool.Digest, u.terms(), u.principalDigest(), u.exactArguments(),
	} {
		covered = append(append(covered, '\n'), part...)
	}
	return covered
}

// requireDryRun refuses a call without a recent preview of exactly this call.
// The token is spent later, so that it stays valid if a stage in between
// refuses the call or asks about it.
func requireDryRun(u understood) (previewToken, *answer.Answer) {
	if u.round != nil { // the first round had it
		return previewToken{}, nil
	}
	token, err := openPreviewToken(u, u.args.DryRunToken)
	if err != nil && !u.waives(facts.ClauseDryRun) {
		return previewToken{}, dryRunRequired(err)
	}
	return token, nil
}

func openPreviewToken(u understood, text string) (previewToken, error) {
	var none previewToken
	if text == "" {
		return none, errNoToken
	}
	token, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(token) != tokenSize || len(text) != base64.RawURLEncoding.EncodedLen(tokenSize) ||
		token[0] != tokenVersion {
		return none, errForeignToken
	}
	if !u.engine.ledger.PreviewTags().Verify(taggedWith(u, token[:tagAt]), token[tagAt:]) {
		return none, errForeignToken
	}
	var expiry [8]byte
	copy(expiry[2:], token[expiryAt:nonceAt])
	left := time.Until(time.UnixMilli(int64(binary.BigEndian.Uint64(expiry[:])))) //nolint:gosec // 48 bits
	if left <= 0 {
		return none, errStaleToken
	}
	key := u.scope().Key("dryrun\x00" + string(token[nonceAt:previewAt]))
	return previewToken{store.Nonce{Key: key, TTL: left + u.engine.config.DryRunTTL}}, nil
}

// dryRunRequired refuses a call without a valid token, and names the only
// remedy.
func dryRunRequired(cause error) *answer.Answer {
	return answer.Refuse(answer.NewRefusal(contract.CodeDryRunRequired, "first run the same call with dryRun true, "+
		"then repeat it with the dryRunToken of that preview; "+
		"the token counts once, for exactly these arguments, for a short time").Because(cause))
}

// spendDryRun spends the token, unless the claim of the call has already spent
// it.
func spendDryRun(a agreed, held claim) *answer.Answer {
	if a.preview.nonce.Key.IsZero() || held.spentPreview {
		return nil
	}
	first, err := a.engine.ledger.Spend(a.ctx, a.preview.nonce, a.grant.Spender())
	if err != nil {
		return answer.Refuse(answer.Unavailable("the use of the dry run cannot be recorded").Because(err))
	}
	if !first && !a.waives(facts.ClauseDryRun) {
		return dryRunRequired(errSpentToken)
	}
	return nil
}
