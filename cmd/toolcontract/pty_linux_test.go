package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A screen is a pseudo terminal of 100 columns, with the person in front of it.
type screen struct {
	t             *testing.T
	master, slave *os.File

	mu    sync.Mutex
	shown strings.Builder
	read  int // how much of shown the person has read
}

func newScreen(t *testing.T) *screen {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	var number uint32
	var unlock int32
	size := [4]uint16{40, 100}
	control(t, master, syscall.TIOCSPTLCK, unsafe.Pointer(&unlock))
	control(t, master, syscall.TIOCGPTN, unsafe.Pointer(&number))
	control(t, master, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	s := &screen{t: t, master: master, slave: slave}
	t.Cleanup(func() {
		_ = slave.Close()
		_ = master.Close()
	})
	go func() {
		for buffer := make([]byte, 4096); ; {
			n, err := master.Read(buffer)
			if err != nil {
				return
			}
			s.mu.Lock()
			s.shown.Write(buffer[:n])
			s.mu.Unlock()
		}
	}()
	return s
}

func control(t *testing.T, f *os.File, request uintptr, argument unsafe.Pointer) {
	t.Helper()
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(argument))
	require.Zero(t, errno)
}

// expect waits until a text is shown that the person has not read.
func (s *screen) expect(text string) {
	s.t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		s.mu.Lock()
		shown := s.shown.String()
		i := strings.Index(shown[s.read:], text)
		if i >= 0 {
			s.read += i + len(text)
		}
		s.mu.Unlock()
		if i >= 0 {
			return
		}
		if time.Now().After(deadline) {
			s.t.Errorf("%q is not shown:\n%s", text, shown)
			s.t.FailNow()
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// typed types a line.
func (s *screen) typed(line string) {
	_, err := s.master.WriteString(line + "\n")
	require.NoError(s.t, err)
}

// all returns what was shown.
func (s *screen) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}
