//go:build amd64 || arm64

package witness

import (
	"encoding/binary"
	"strconv"

	"golang.org/x/sys/unix"
)

// Parts of the kernel's socket diagnosis interface that package unix lacks.
const (
	diagByFamily = 20 // SOCK_DIAG_BY_FAMILY
	diagShowPeer = 4  // UDIAG_SHOW_PEER
	diagPeer     = 2  // UNIX_DIAG_PEER
)

// unixPeer returns the inode of a unix socket's other end, or "" if the kernel
// does not name it.
func unixPeer(inode string) string {
	number, err := strconv.ParseUint(inode, 10, 32)
	if err != nil {
		return ""
	}
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return ""
	}
	defer func() { _ = unix.Close(fd) }()

	// struct nlmsghdr, then struct unix_diag_req with the cookie for none.
	request := make([]byte, 0, 40)
	request = binary.NativeEndian.AppendUint32(request, 40)
	request = binary.NativeEndian.AppendUint16(request, diagByFamily)
	request = binary.NativeEndian.AppendUint16(request, unix.NLM_F_REQUEST)
	request = binary.NativeEndian.AppendUint64(request, 0)
	request = append(request, unix.AF_UNIX, 0, 0, 0)
	request = binary.NativeEndian.AppendUint32(request, ^uint32(0))
	request = binary.NativeEndian.AppendUint32(request, uint32(number))
	request = binary.NativeEndian.AppendUint32(request, diagShowPeer)
	request = binary.NativeEndian.AppendUint64(request, ^uint64(0))
	if err := unix.Sendto(fd, request, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return ""
	}
	answer := make([]byte, 1024)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	const headers = 16 + 16 // struct nlmsghdr and struct unix_diag_msg
	if err != nil || n < headers || binary.NativeEndian.Uint16(answer[4:]) != diagByFamily {
		return ""
	}
	return peerAttribute(answer[headers:n])
}

// peerAttribute finds the inode in a list of netlink attributes.
func peerAttribute(list []byte) string {
	for len(list) >= 8 {
		size := int(binary.NativeEndian.Uint16(list))
		kind := binary.NativeEndian.Uint16(list[2:])
		if kind == diagPeer && size >= 8 {
			return strconv.FormatUint(uint64(binary.NativeEndian.Uint32(list[4:])), 10)
		}
		if size = (size + 3) &^ 3; size < 4 || size > len(list) {
			return ""
		}
		list = list[size:]
	}
	return ""
}
