//go:build amd64 || arm64

package witness

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"
)

// A message travels between the two processes, as a length and JSON.
type message struct {
	Op     string  `json:"op,omitempty"`
	Why    string  `json:"why,omitempty"`
	Report []byte  `json:"report,omitempty"`
	Events []Event `json:"events,omitempty"`
}

// The child's operations. The supervisor answers those in the second row.
const (
	opReady, opRefused, opReport = "ready", "refused", "report"
	opBegin, opEnd               = "begin", "end"
)

// A reader reads from a blocking descriptor.
type reader int

// Read reads, and continues after a signal.
func (r reader) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(int(r), p)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// send writes a message, with a descriptor if rights has one. It uses only
// sendmsg, because the filter exempts that call on this socket.
func send(fd int, m message, rights []byte) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	frame := append(binary.NativeEndian.AppendUint32(nil, uint32(len(body))), body...)
	for len(frame) > 0 {
		n, err := unix.SendmsgN(fd, frame, rights, nil, unix.MSG_NOSIGNAL)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		frame, rights = frame[n:], nil
	}
	return nil
}

// receive reads a message. The first read also takes a descriptor if one was
// sent, and returns it, or -1.
func receive(fd int) (m message, descriptor int, err error) {
	var size [4]byte
	oob := make([]byte, unix.CmsgSpace(4))
	var n, oobn int
	for {
		n, oobn, _, _, err = unix.Recvmsg(fd, size[:], oob, unix.MSG_CMSG_CLOEXEC)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return m, -1, err
	}
	if n == 0 {
		return m, -1, io.EOF
	}
	if descriptor, err = rightsOf(oob[:oobn]); err != nil {
		return m, -1, err
	}
	if _, err = io.ReadFull(reader(fd), size[n:]); err != nil {
		return m, descriptor, err
	}
	body := make([]byte, binary.NativeEndian.Uint32(size[:]))
	if _, err = io.ReadFull(reader(fd), body); err != nil {
		return m, descriptor, err
	}
	if err = json.Unmarshal(body, &m); err != nil {
		return m, descriptor, fmt.Errorf("message of the other process: %w", err)
	}
	return m, descriptor, nil
}

// rightsOf returns a control message's descriptor, or -1.
func rightsOf(oob []byte) (int, error) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return -1, err
	}
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			return -1, err
		}
		for _, fd := range fds {
			return fd, nil
		}
	}
	return -1, nil
}
