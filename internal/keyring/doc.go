// Package keyring seals bytes that leave the process and come back: results in a store, state in the
// hands of a client. What was sealed can be neither read nor altered without a key of the ring.
//
// It is AES-256-GCM (NIST SP 800-38D) under keys that HKDF-SHA256 (RFC 5869) derives from those of the
// ring, one for each purpose, so that what was sealed for one purpose does not open for another.
//
// What is not secret and has to stay short is tagged instead: a [Tagger] knows its own messages again.
//
// # Rotation
//
// The first key of a ring seals and tags, all open and verify. A new key is rolled out over several processes in three steps:
// first every process gets it as the last one, then as the first one, and when nothing that the old key
// sealed is needed any more the old one is left out.
//
// # Limits
//
// A nonce is 96 random bits. So one key must not seal more than 2^32 messages for one purpose (NIST SP
// 800-38D, section 8.3), counted over all processes that have it: rotate before. The keys are uniformly
// random, not passwords. Their identifier stands in clear text in what they seal, and so does the length
// of the plaintext. A message that was sealed opens any number of times: where it may be used once, say so
// inside, with a nonce that is remembered.
package keyring
