package oauth

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/MicahParks/jwkset"

	"github.com/toolcontract/toolcontract/guard"
	"github.com/toolcontract/toolcontract/internal/origin"
)

const (
	// keyAge is the age after which a key counts only if the issuer still
	// publishes it or cannot be reached.
	keyAge = time.Hour
	// staleAge is how old keys may be while the issuer cannot be reached.
	staleAge = 24 * time.Hour
	// fetchPause is the minimum time between two fetches, because anyone can
	// invent a kid.
	fetchPause = 10 * time.Second
	// fetchTimeout bounds one fetch.
	fetchTimeout = 5 * time.Second
	// maxKeySet bounds a key set, in bytes.
	maxKeySet = 1 << 20
	// maxRedirects bounds the redirects of one fetch.
	maxRedirects = 3
	// minRSABits is the smallest modulus of an RSA key, in bits.
	minRSABits = 2048
)

// A KeySet holds the public keys that an issuer publishes (RFC 7517). It
// fetches them when the first token arrives, again after an hour, and for an
// unknown kid, but at most every 10 seconds. So a key that the issuer revokes
// counts for at most an hour. While the issuer cannot be reached, known keys
// count for a day. [NewKeySet] returns one; the zero KeySet is not usable. It
// is safe for concurrent use. There is nothing to close.
type KeySet struct {
	address string
	client  *http.Client
	log     *slog.Logger // of a test; nil: slog.Default() at each line

	mu       sync.Mutex
	keys     map[string]publishedKey // by kid
	fetched  time.Time               // of keys; zero: never
	tried    time.Time               // the end of the last fetch
	failed   bool                    // the last fetch failed
	fetching chan struct{}           // closed when the running fetch ends; nil: none runs
}

// A publishedKey is a public key for signatures. The zero value is no key.
type publishedKey struct {
	crypto.PublicKey
	algorithm string // the only one that the key is for; empty: any that fits
}

// NewKeySet returns the keys at an address, which is the issuer's jwks_uri (RFC
// 8414 §2). It must be https, or http on a loopback address, without a user.
// NewKeySet fetches nothing.
func NewKeySet(address string) (*KeySet, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || !origin.IsSafe(u) {
		return nil, errors.New("oauth: the address of the key set is not https without a user; http is only for loopback addresses")
	}
	client := &http.Client{Transport: bounded{http.DefaultTransport}, CheckRedirect: checkRedirect}
	return &KeySet{address: address, client: client}, nil
}

// Key returns the key with an identifier, for a [VerifierConfig]. It returns
// nil if the issuer has no such key for signatures with the algorithm, which is
// the alg of the token. A key whose use, key_ops or alg is not for signatures
// does not count, nor does an RSA key of less than 2048 bits. The error wraps
// [guard.ErrUnavailable] if the key is not known and the issuer cannot be
// reached.
func (k *KeySet) Key(ctx context.Context, kid, alg string) (crypto.PublicKey, error) {
	if fetch := k.refresh(kid); fetch != nil {
		select {
		case <-fetch:
		case <-ctx.Done():
			return nil, errUnreachable
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	key := k.known(kid)
	switch {
	case key.PublicKey == nil && k.failed:
		return nil, errUnreachable
	case key.algorithm != "" && key.algorithm != alg:
		return nil, nil //nolint:nilnil // the issuer has no such key
	}
	return key.PublicKey, nil
}

var errUnreachable = fmt.Errorf("oauth: the key set cannot be fetched: %w", guard.ErrUnavailable)

// refresh starts a fetch if the key is unknown or old, unless the last fetch
// ended less than fetchPause ago. It returns the running fetch if the caller
// must wait for it. During an outage no caller waits for an old key.
func (k *KeySet) refresh(kid string) <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	known := k.known(kid).PublicKey != nil
	if known && time.Since(k.fetched) < keyAge {
		return nil
	}
	if k.fetching == nil && time.Since(k.tried) >= fetchPause {
		k.fetching = make(chan struct{})
		go k.fetch(k.fetching)
	}
	if known && k.failed {
		return nil
	}
	return k.fetching
}

// known returns a key of the last fetch that succeeded, unless that was too
// long ago.
func (k *KeySet) known(kid string) publishedKey {
	if time.Since(k.fetched) >= staleAge {
		return publishedKey{}
	}
	return k.keys[kid]
}

// fetch replaces the keys. It continues when a caller gives up, because others
// may be waiting for it.
func (k *KeySet) fetch(ended chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
	defer cancel()
	keys, err := k.download(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tried = time.Now()
	k.failed = err != nil
	if err == nil {
		k.keys = keys
		k.fetched = k.tried
	} else {
		k.logger().Warn("oauth: the key set cannot be fetched", "address", k.address, "error", err)
	}
	k.fetching = nil
	close(ended)
}

func (k *KeySet) logger() *slog.Logger {
	if k.log == nil {
		return slog.Default()
	}
	return k.log
}

// download returns the public keys for signatures, by kid. It ignores keys that
// it does not understand (RFC 7517 §5), but not all keys of a set.
func (k *KeySet) download(ctx context.Context) (map[string]publishedKey, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, k.address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := k.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // it was only read
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("oauth: the issuer answered with status %d", resp.StatusCode)
	}
	var set struct {
		Keys *[]json.RawMessage `json:"keys"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&set); err != nil {
		return nil, err
	}
	if set.Keys == nil {
		return nil, errors.New("oauth: the answer of the issuer is not a key set")
	}
	keys := map[string]publishedKey{}
	for _, raw := range *set.Keys {
		if kid, key := readKey(raw); key.PublicKey != nil {
			keys[kid] = key
		}
	}
	if len(keys) == 0 && len(*set.Keys) > 0 {
		return nil, errors.New("oauth: the key set has no key for signatures that this server understands")
	}
	return keys, nil
}

// readKey reads a public key for signatures. It returns the zero value for
// anything else, such as secrets and private keys, because anybody could sign
// with a published one.
func readKey(raw json.RawMessage) (kid string, key publishedKey) {
	var about jwkset.JWKMarshal
	if json.Unmarshal(raw, &about) != nil || about.D != "" || !verifies(about) {
		return "", publishedKey{}
	}
	read, err := jwkset.NewJWKFromMarshal(about, jwkset.JWKMarshalOptions{}, jwkset.JWKValidateOptions{})
	if err != nil || !isForSignatures(read.Key()) {
		return "", publishedKey{}
	}
	return about.KID, publishedKey{read.Key(), about.ALG.String()}
}

// verifies reports whether a key may verify signatures (RFC 7517 §4.2 to §4.4).
func verifies(about jwkset.JWKMarshal) bool {
	use := about.USE == "" || about.USE == jwkset.UseSig
	operation := len(about.KEYOPS) == 0 || slices.Contains(about.KEYOPS, jwkset.KeyOpsVerify)
	return use && operation && (about.ALG == "" || slices.Contains(supported, about.ALG.String()))
}

// isForSignatures reports whether a public key is of a kind that this package
// verifies with, and long enough (RFC 7518 §3.3).
func isForSignatures(key crypto.PublicKey) bool {
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		return k != nil
	case *rsa.PublicKey:
		return k != nil && k.N != nil && k.N.BitLen() >= minRSABits
	case ed25519.PublicKey:
		return true
	}
	return false
}

// bounded bounds the size of responses. A longer one is cut off, so that it
// does not parse as JSON.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = limitedBody{io.LimitReader(resp.Body, maxKeySet), resp.Body}
	}
	return resp, err
}

type limitedBody struct {
	io.Reader
	io.Closer
}

// checkRedirect refuses to leave https, even for a loopback address: an issuer
// must not choose what the server fetches from its own machine.
func checkRedirect(r *http.Request, via []*http.Request) error {
	leaves := r.URL.Scheme != "https" && via[0].URL.Scheme == "https"
	if len(via) > maxRedirects || leaves || !origin.IsSafe(r.URL) {
		return errors.New("oauth: the redirect leads to an address that is not https, or there are too many redirects")
	}
	return nil
}
