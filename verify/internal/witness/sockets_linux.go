//go:build amd64 || arm64

package witness

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// sockets remembers where sockets are connected to. When a connected socket is
// writeTo to, the kernel gives no address.
type sockets struct {
	peers map[string]peer // by the text of the descriptor's link
}

// A peer is one end of a connection. The zero value means that it is not known.
type peer struct{ network, address string }

// socketAddress parses a socket address. It returns the family and host:port,
// or "unix:" and a path or name.
func (c *notified) socketAddress(address, size uint64) (family uint16, text string, err error) {
	raw, err := c.read(address, int(min(size, unix.SizeofSockaddrAny)))
	if err != nil {
		return 0, "", err
	}
	if len(raw) < 2 {
		return 0, "", unix.EINVAL
	}
	family = binary.NativeEndian.Uint16(raw)
	raw = raw[2:]
	switch {
	case family == unix.AF_INET && len(raw) >= 6:
		ip := netip.AddrFrom4([4]byte(raw[2:6]))
		return family, netip.AddrPortFrom(ip, binary.BigEndian.Uint16(raw)).String(), nil
	case family == unix.AF_INET6 && len(raw) >= 22:
		ip := netip.AddrFrom16([16]byte(raw[6:22])).Unmap()
		return family, netip.AddrPortFrom(ip, binary.BigEndian.Uint16(raw)).String(), nil
	case family == unix.AF_UNIX && len(raw) > 0 && raw[0] == 0: // abstract
		return family, "unix:@" + printable(raw[1:]), nil
	case family == unix.AF_UNIX:
		name, _, _ := bytes.Cut(raw, []byte{0})
		path, err := c.absolute(cwd, string(name))
		return family, "unix:" + path, err
	}
	return family, fmt.Sprintf("family %d", family), nil
}

// printable quotes what a report cannot show.
func printable(name []byte) string {
	quoted := strconv.Quote(string(name))
	return quoted[1 : len(quoted)-1]
}

// protocol returns the kernel's name for a socket's protocol, such as "TCPv6".
func (c *notified) protocol(fd int) string {
	buffer := make([]byte, 32)
	n, err := unix.Getxattr(c.fd(fd), "system.sockprotoname", buffer)
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(buffer[:n]), "\x00")
}

// network returns a protocol's name in events.
func network(protocol string) string {
	switch {
	case strings.HasPrefix(protocol, "UNIX"):
		return "unix"
	case strings.HasPrefix(protocol, "MPTCP"):
		return "tcp"
	}
	return strings.ToLower(strings.TrimSuffix(protocol, "v6"))
}

// connect reads a connection's peer. Connecting a UDP socket sends nothing:
// package net does it to choose an address. A later write is an event.
func (c *notified) connect() (Event, bool) {
	fd := int(int32(c.args[0]))
	family, address, err := c.socketAddress(c.args[1], c.args[2])
	e := c.event(Connect, "connects")
	switch {
	case unreadable(err):
		e.Detail += "; the address cannot be read here"
		return e, true
	case err != nil, family == unix.AF_UNSPEC, family == unix.AF_NETLINK:
		return e, false
	}
	e.Network = network(c.protocol(fd))
	e.Address = address
	if socket, err := link(c.fd(fd)); err == nil {
		c.sockets.peers[socket] = peer{e.Network, e.Address}
	}
	return e, e.Network != "udp"
}

// unreadable reports whether a process's memory may not be read.
func unreadable(err error) bool { return errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) }

// bind reads a socket's own address.
func (c *notified) bind() (Event, bool) {
	family, address, err := c.socketAddress(c.args[1], c.args[2])
	e := c.event(Listen, "takes an address")
	switch {
	case unreadable(err):
		e.Detail += "; it cannot be read here"
		return e, true
	case err != nil, family == unix.AF_NETLINK:
		return e, false
	}
	e.Network = network(c.protocol(int(int32(c.args[0]))))
	e.Address = address
	return e, true
}

// sendto reads a message that may have an address.
func (c *notified) sendto() (Event, bool) {
	if c.args[4] == 0 {
		return writeTo(0)(c)
	}
	return c.message(c.args[4], c.args[5], c.args[1])
}

// sendmsg reads struct msghdr. Of several messages, it reads the first.
func (c *notified) sendmsg() (Event, bool) {
	header, err := c.read(c.args[1], 32)
	if err != nil || len(header) < 32 {
		return c.event(Send, "sends a message that cannot be read here"), unreadable(err)
	}
	name := binary.NativeEndian.Uint64(header)
	size := binary.NativeEndian.Uint32(header[8:])
	var data uint64
	if iov, err := c.read(binary.NativeEndian.Uint64(header[16:]), 8); err == nil && len(iov) == 8 {
		data = binary.NativeEndian.Uint64(iov)
	}
	if name == 0 {
		return writeTo(0)(c)
	}
	return c.message(name, uint64(size), data)
}

func (c *notified) message(address, size, data uint64) (Event, bool) {
	family, text, err := c.socketAddress(address, size)
	e := c.event(Send, "sends a message")
	switch {
	case unreadable(err):
		e.Detail += "; its address cannot be read here"
		return e, true
	case err != nil:
		return e, false
	case family == unix.AF_NETLINK:
		return c.netlink(data)
	}
	e.Network = network(c.protocol(int(int32(c.args[0]))))
	e.Address = text
	return e, true
}

// netlink reads a request to the kernel. Package net lists the machine's
// interfaces with requests that only dump.
func (c *notified) netlink(data uint64) (Event, bool) {
	header, err := c.read(data, 8)
	if err == nil && len(header) == 8 && binary.NativeEndian.Uint16(header[6:])&unix.NLM_F_DUMP == unix.NLM_F_DUMP {
		return Event{}, false
	}
	return c.event(Unknown, "sends a request to the kernel by netlink"), true
}

// sendOn returns the event of a write to a connected socket. An answer to a
// peer on this machine has none, because that peer's end of the connection
// already has an event.
func (c *notified) sendOn(fd int, socket string) (Event, bool) {
	e := c.event(Send, "sends over an open connection")
	to, known := c.sockets.peers[socket]
	if !known {
		protocol := c.protocol(fd)
		if protocol == "NETLINK" {
			return c.netlink(c.args[1])
		}
		inode := strings.TrimSuffix(strings.TrimPrefix(socket, "socket:["), "]")
		var accepted bool
		to, accepted = c.lookUp(protocol, inode)
		if to.address == "" && to.network == "unix" {
			return e, false // a socket pair
		}
		if accepted && loopback(to.address) {
			return e, false
		}
		if to.address != "" && !accepted {
			c.sockets.peers[socket] = to
		}
	}
	e.Network, e.Address = to.network, to.address
	return e, true
}

// lookUp finds the peer of a socket that was connected before the filter was
// installed, or that the process accepted.
func (c *notified) lookUp(protocol, inode string) (to peer, accepted bool) {
	to.network = network(protocol)
	switch to.network {
	case "tcp":
		return c.inet(to.network, inode, "net/tcp", "net/tcp6")
	case "udp":
		return c.inet(to.network, inode, "net/udp", "net/udp6")
	case "unix":
		return c.unix(inode)
	}
	return to, false
}

// inet reads the kernel's tables of internet sockets: addresses in hexadecimal
// in columns 1 and 2, the state in column 3, the inode in column 9.
func (c *notified) inet(network, inode string, tables ...string) (to peer, accepted bool) {
	const listening = "0A"
	to.network = network
	own, listeners := "", map[string]bool{}
	for _, table := range tables {
		c.lines(table, func(columns []string) {
			if len(columns) < 10 {
				return
			}
			if columns[3] == listening {
				listeners[portOf(columns[1])] = true
			}
			if columns[9] == inode {
				own = portOf(columns[1])
				to.address = internetAddress(columns[2])
			}
		})
	}
	return to, own != "" && listeners[own]
}

// portOf returns the port of an address in the table.
func portOf(column string) string {
	_, port, _ := strings.Cut(column, ":")
	return port
}

// internetAddress parses an address in the table, whose words are in the
// machine's byte order.
func internetAddress(column string) string {
	host, port, _ := strings.Cut(column, ":")
	raw, err := hex.DecodeString(host)
	number, err2 := strconv.ParseUint(port, 16, 16)
	if err != nil || err2 != nil || len(raw)%4 != 0 {
		return ""
	}
	for word := range len(raw) / 4 {
		binary.NativeEndian.PutUint32(raw[4*word:], binary.BigEndian.Uint32(raw[4*word:]))
	}
	ip, ok := netip.AddrFromSlice(raw)
	if !ok {
		return ""
	}
	return netip.AddrPortFrom(ip.Unmap(), uint16(number)).String()
}

// unix finds a unix socket's peer. The socket that a listener accepted has the
// listener's path, and its peer has none.
func (c *notified) unix(inode string) (to peer, accepted bool) {
	to.network = "unix"
	other := unixPeer(inode)
	if other == "0" { // not accepted yet, so the tables do not name it
		to.address, other = "unix:", ""
	}
	c.lines("net/unix", func(columns []string) {
		if len(columns) < 8 {
			return
		}
		switch columns[6] {
		case inode:
			to.address, accepted = "unix:"+columns[7], true
		case other:
			if !accepted {
				to.address = "unix:" + columns[7]
			}
		}
	})
	return to, accepted
}

// lines calls f with the columns of each line in a table.
func (c *notified) lines(table string, f func(columns []string)) {
	fd, err := unix.Open(c.proc(table), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer func() { _ = unix.Close(fd) }()
	for scanner := bufio.NewScanner(reader(fd)); scanner.Scan(); {
		f(strings.Fields(scanner.Text()))
	}
}
