// Package keyring seals bytes that leave the process and return to it: results
// in a store, and state that a client carries. Without a key of the ring, a
// sealed message can be neither read nor altered.
//
// Messages are sealed with AES-256-GCM (NIST SP 800-38D). HKDF-SHA256 (RFC
// 5869) derives the keys from those of the ring, one for each purpose, so that
// a message that was sealed for one purpose does not open for another.
//
// A message that is not secret and has to stay short is tagged instead: a
// [Tagger] recognises the messages that it tagged. If a message must stay
// secret and only be compared, a [Digester] makes its digest.
//
// # Rotation
//
// The first key of a ring seals and tags; all keys open and verify. Roll a new
// key out over several processes in three steps. First every process gets it as
// the last key, then as the first one. When no message of the old key is needed
// any more, remove the old key.
//
// # Limits
//
// A nonce is 96 random bits. So one key must not seal more than 2^32 messages
// for one purpose (NIST SP 800-38D, section 8.3), counted over all processes
// that have it: rotate before. Keys must be uniformly random; passwords are not
// suitable. A sealed message shows the identifier of its key and the length of
// its plaintext.
//
// A sealed message opens any number of times. If it may be used only once, put
// a nonce into it and remember the nonce.
package keyring
