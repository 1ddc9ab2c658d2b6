// Package keyring seals bytes that leave the process and return to it: results
// in a store, and state that a client carries. Without a key of the ring,
// nobody can read or alter a sealed message.
//
// Messages are sealed with AES-256-GCM (NIST SP 800-38D). HKDF-SHA256 (RFC
// 5869) derives a key for each purpose from those of the ring, so a message
// sealed for one purpose does not open for another.
//
// For a message that is not secret and has to stay short, use a [Tagger]. To
// compare a secret message without storing it, use a [Digester].
//
// # Rotation
//
// The first key of a ring seals and tags; all keys open and verify. Roll out a
// new key over several processes in three steps: add it to every process as the
// last key, then make it the first, and remove the old key once its messages
// are no longer needed.
//
// # Limits
//
// A nonce is 96 random bits. So one key must not seal more than 2^32 messages
// for one purpose, over all processes that share it (NIST SP 800-38D, section
// 8.3): rotate it before that. Keys must be uniformly random; passwords won't
// do. A sealed message shows the identifier of its key and the length of its
// plaintext.
//
// A sealed message can be opened any number of times. To make it work only
// once, put a nonce into it and remember the nonce.
package keyring
