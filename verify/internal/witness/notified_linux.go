//go:build amd64 || arm64

package witness

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// A notified call waits in the kernel while its arguments are read. Meanwhile
// its thread may be killed and the thread's number reused, so what was read
// counts only if the notification is still valid afterwards.
type notified struct {
	call    string
	thread  int
	args    [6]uint64
	sockets *sockets
}

// cwd takes the place of the folder argument for a call that has none.
const cwd = -1

// read returns memory of the thread. It can be shorter than n.
func (c *notified) read(address uint64, n int) ([]byte, error) {
	if address == 0 || n <= 0 {
		return nil, unix.EFAULT
	}
	buffer := make([]byte, n)
	local := []unix.Iovec{{Base: &buffer[0]}}
	local[0].SetLen(n)
	n, err := unix.ProcessVMReadv(c.thread, local, []unix.RemoteIovec{{Base: uintptr(address), Len: n}}, 0)
	if err != nil {
		return nil, err
	}
	return buffer[:n], nil
}

// text reads a zero-terminated string. It does not cross the end of a page
// until it must, because the next page may not exist.
func (c *notified) text(address uint64) (string, error) {
	const page = 4096
	var text []byte
	for len(text) < unix.PathMax {
		part, err := c.read(address, min(256, page-int(address%page)))
		if err != nil {
			return "", err
		}
		if last, _, ended := bytes.Cut(part, []byte{0}); ended {
			return string(append(text, last...)), nil
		}
		text = append(text, part...)
		address += uint64(len(part))
	}
	return "", unix.ENAMETOOLONG
}

// proc returns a path below the thread's folder in /proc.
func (c *notified) proc(name string) string { return fmt.Sprintf("/proc/%d/%s", c.thread, name) }

// fd returns the path of one of the thread's descriptors in /proc.
func (c *notified) fd(n int) string { return c.proc(fmt.Sprintf("fd/%d", n)) }

// link reads a symbolic link. It does not use package os, because the testing
// package records the files that a test reads with it.
func link(path string) (string, error) {
	buffer := make([]byte, unix.PathMax)
	n, err := unix.Readlink(path, buffer)
	if err != nil {
		return "", err
	}
	return string(buffer[:n]), nil
}

// exists reports whether a path leads to a file.
func exists(path string) bool {
	var st unix.Stat_t
	return unix.Stat(path, &st) == nil
}

// folder returns the folder that a relative path starts from. The argument dir
// has its descriptor.
func (c *notified) folder(dir int) (string, error) {
	if dir == cwd || int32(c.args[dir]) == unix.AT_FDCWD {
		return link(c.proc("cwd"))
	}
	return link(c.fd(int(int32(c.args[dir]))))
}

// path returns the absolute path that two arguments describe: a folder's
// descriptor, and a text. An empty text means the descriptor itself.
func (c *notified) path(dir, arg int) (string, error) {
	if c.args[arg] == 0 {
		return c.folder(dir) // as utimensat does
	}
	name, err := c.text(c.args[arg])
	if err != nil {
		return "", err
	}
	return c.absolute(dir, name)
}

// absolute returns the absolute path of a name.
func (c *notified) absolute(dir int, name string) (string, error) {
	if !filepath.IsAbs(name) {
		folder, err := c.folder(dir)
		if err != nil || name == "" {
			return folder, err
		}
		name = folder + "/" + name
	}
	if own, ok := ownLink(name); ok {
		target, err := link(c.proc(own))
		if err != nil {
			return "", err
		}
		name = target
	}
	switch {
	case !filepath.IsAbs(name):
		return "", errNoFile
	case strings.HasPrefix(name, "/proc/"): // self is the supervisor here
		return filepath.Clean(name), nil
	}
	return resolve(name), nil
}

// errNoFile reports a path that leads to a pipe, a socket or the like.
var errNoFile = errors.New("not a file")

// ownLink returns the name, below the process's folder in /proc, of a path that
// leads to an open file or to the process's own program.
func ownLink(path string) (name string, ok bool) {
	switch path {
	case "/dev/stdin":
		return "fd/0", true
	case "/dev/stdout":
		return "fd/1", true
	case "/dev/stderr":
		return "fd/2", true
	case "/proc/self/exe":
		return "exe", true
	}
	for _, folder := range []string{"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"} {
		if number, ok := strings.CutPrefix(path, folder); ok {
			return "fd/" + number, !strings.Contains(number, "/")
		}
	}
	return "", false
}

func (c *notified) event(kind Kind, detail string) Event {
	return Event{Kind: kind, By: Kernel, Detail: c.call + ": " + detail}
}

// pathEvent returns an event with a call's path, or without it if it could not
// be read.
func (c *notified) pathEvent(kind Kind, path string, err error, detail string) (Event, bool) {
	e := c.event(kind, detail)
	switch {
	case unreadable(err):
		e.Detail += "; its path cannot be read here"
	case err != nil:
		return Event{}, false // the call itself fails
	case kind != Exec && harmless(path):
		return Event{}, false
	}
	e.Path = path
	return e, true
}

// harmless reports whether writing to a path has no effect.
func harmless(path string) bool {
	switch path {
	case "/dev/null", "/dev/zero", "/dev/full":
		return true
	}
	return strings.HasPrefix(path, "/memfd:")
}

// act reads a call that can be described without its arguments.
func act(kind Kind, detail string) func(*notified) (Event, bool) {
	return func(c *notified) (Event, bool) { return c.event(kind, detail), true }
}

// path reads a call with one path.
func path(kind Kind, dir, arg int, detail string) func(*notified) (Event, bool) {
	return func(c *notified) (Event, bool) {
		path, err := c.path(dir, arg)
		return c.pathEvent(kind, path, err, detail)
	}
}

// descriptor reads a call that changes a descriptor's file.
func descriptor(kind Kind, arg int, detail string) func(*notified) (Event, bool) {
	return func(c *notified) (Event, bool) { return c.file(kind, int(int32(c.args[arg])), detail) }
}

// file returns the event of a change to an open file. Pipes, and files that no
// path leads to, have no event.
func (c *notified) file(kind Kind, fd int, detail string) (Event, bool) {
	path, err := link(c.fd(fd))
	if err == nil && !strings.HasPrefix(path, "/") {
		return Event{}, false
	}
	if unreadable(err) {
		kind = Unknown // it may be a pipe
	}
	if deleted, ok := strings.CutSuffix(path, " (deleted)"); ok {
		var st unix.Stat_t
		if err := unix.Stat(c.fd(fd), &st); err == nil && st.Nlink == 0 {
			return Event{}, false
		}
		path = deleted
	}
	return c.pathEvent(kind, path, err, detail)
}

// writeTo reads a call that writes to the descriptor in an argument.
func writeTo(arg int) func(*notified) (Event, bool) {
	return func(c *notified) (Event, bool) {
		fd := int(int32(c.args[arg]))
		if target, err := link(c.fd(fd)); err == nil && strings.HasPrefix(target, "socket:") {
			return c.sendOn(fd, target)
		}
		return c.file(Write, fd, "writes to the file")
	}
}

// open reads a call that opens a file with the flags in an argument.
func open(dir, arg, flags int) func(*notified) (Event, bool) {
	return func(c *notified) (Event, bool) { return c.openFile(dir, arg, c.args[flags]) }
}

// openat2 reads the flags from struct open_how.
func (c *notified) openat2() (Event, bool) {
	how, err := c.read(c.args[2], 8)
	if err != nil || len(how) < 8 {
		return c.event(Unknown, "opens a file with flags that cannot be read"), true
	}
	return c.openFile(0, 1, binary.NativeEndian.Uint64(how))
}

// creat reads a call that opens a file to replace its contents.
func (c *notified) creat() (Event, bool) {
	return c.openFile(cwd, 0, unix.O_CREAT|unix.O_WRONLY|unix.O_TRUNC)
}

// openFile returns the event of opening a file. Opening an existing file to
// read and write is not an event, because that is how databases open their
// files for reading. Writing to it is one.
func (c *notified) openFile(dir, arg int, flags uint64) (Event, bool) {
	if flags&unix.O_PATH != 0 || flags&unix.O_TMPFILE == unix.O_TMPFILE || flags&opensForWriting == 0 {
		return Event{}, false
	}
	path, err := c.path(dir, arg)
	switch {
	case flags&unix.O_CREAT != 0 && (flags&unix.O_EXCL != 0 || !exists(path)):
		return c.pathEvent(Write, path, err, "creates the file")
	case flags&unix.O_TRUNC != 0:
		return c.pathEvent(Write, path, err, "empties the file")
	case flags&unix.O_ACCMODE == unix.O_WRONLY:
		return c.pathEvent(Write, path, err, "opens the file for writing")
	}
	return Event{}, false
}

// mmap reads a shared mapping.
func (c *notified) mmap() (Event, bool) {
	return c.file(Unknown, int(int32(c.args[4])), "maps the file for writing")
}

// rename reads a call with two paths.
func rename(fromDir, from, toDir, to int) func(*notified) (Event, bool) {
	return func(c *notified) (Event, bool) {
		old, err := c.path(fromDir, from)
		e, ok := c.pathEvent(Rename, old, err, "renames it")
		if target, err := c.path(toDir, to); err == nil {
			e.To = target
		}
		return e, ok
	}
}

// execute reads a call that starts a program. A path that does not exist has
// no event, because looking for a program tries several.
func execute(dir, arg int) func(*notified) (Event, bool) {
	return func(c *notified) (Event, bool) {
		path, err := c.path(dir, arg)
		if err == nil && !exists(path) {
			return Event{}, false
		}
		return c.pathEvent(Exec, path, err, "starts a program")
	}
}

// kill reads a call that sends a signal. Signal zero only checks that a
// process exists, and a process that signals itself or its threads affects no
// other. target is the argument with the process or thread, or -1.
func kill(target, signal int) func(*notified) (Event, bool) {
	return func(c *notified) (Event, bool) {
		if int32(c.args[signal]) == 0 || target >= 0 && exists(c.proc(fmt.Sprintf("task/%d", int32(c.args[target])))) {
			return Event{}, false
		}
		return c.event(Signal, "sends a signal to another process"), true
	}
}
