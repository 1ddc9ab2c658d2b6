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

// isTorn reports whether a line is the beginning of a record, but not a record.
// It is strict, so that a record with a changed byte does not look torn.
func isTorn(line []byte) bool {
	if len(line) == 0 || !bytes.HasPrefix(line, []byte(recordStart)[:min(len(line), len(recordStart))]) {
		return false
	}
	// No string of an event contains prevStart, because JSON escapes its
	// quotation marks.
	if i := bytes.Index(line, []byte(prevStart)); i >= 0 &&
		(len(line)-i == len(sealForm) || !beginsSeal(line[i:])) {
		return false
	}
	var value json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(line)).Decode(&value), io.ErrUnexpectedEOF)
}

// tornLines are incomplete lines after the last record of a log. The hash of
// the next record covers them.
type tornLines struct{ state hash.Hash }

// add returns the torn lines with more bytes. t may be nil.
func (t *tornLines) add(b []byte) *tornLines {
	if t == nil {
		t = &tornLines{sha256.New()}
	}
	t.state.Write(b)
	return t
}

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

// sum returns the hash of a record that follows the torn lines, without
// changing them. t may be nil.
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
