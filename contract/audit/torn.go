package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
)

// isTorn reports whether a line that is no record is the beginning of one. It is strict, so that a record
// of which a byte was changed does not pass for one that was torn.
func isTorn(line []byte) bool {
	if len(line) == 0 || !bytes.HasPrefix(line, []byte(recordStart)[:min(len(line), len(recordStart))]) {
		return false
	}
	// No string of an event contains prevStart, for its quotation marks are escaped there.
	if i := bytes.Index(line, []byte(prevStart)); i >= 0 &&
		(len(line)-i == len(sealForm) || !beginsSeal(line[i:])) {
		return false
	}
	var value json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(line)).Decode(&value), io.ErrUnexpectedEOF)
}

// tornLines are the bytes of a log after its last record: lines that were begun and not ended. They are
// hashed with the record that follows them.
type tornLines struct{ state hash.Hash }

// add returns the torn lines with further bytes; t may be nil.
func (t *tornLines) add(b []byte) *tornLines {
	if t == nil {
		t = &tornLines{sha256.New()}
	}
	t.state.Write(b)
	return t
}

// clone returns a copy.
func (t *tornLines) clone() (*tornLines, error) {
	cloner, ok := t.state.(hash.Cloner)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	state, err := cloner.Clone()
	if err != nil {
		return nil, err
	}
	return &tornLines{state}, nil
}

// sum returns the hash of a record that follows the torn lines, and leaves them as they are. t may be nil.
func (t *tornLines) sum(unhashed []byte) (string, error) {
	all := &tornLines{sha256.New()}
	if t != nil {
		var err error
		if all, err = t.clone(); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(all.add(unhashed).add([]byte("}")).state.Sum(nil)), nil
}
