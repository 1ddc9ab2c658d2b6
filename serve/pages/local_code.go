package pages

import (
	"crypto/hmac"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/toolcontract/toolcontract/internal/private"
)

const (
	fieldCode  = "code"
	codeFolder = "toolcontract" // in the user's cache folder
)

// A localCode is a code in a file that only the user of this process can read.
// A person who opens a question's address signs in with it, without needing the
// server's output. Each code works once. It is safe for concurrent use.
type localCode struct {
	name string // of the file

	mu         sync.Mutex
	path, code string // empty: there is no file
}

// file returns the file's path, writing the file first if there is none. It is
// empty if the file cannot be written.
func (c *localCode) file() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.code == "" && c.write() != nil {
		return ""
	}
	return c.path
}

// write writes a file with a new code.
func (c *localCode) write() error {
	folder, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	folder = filepath.Join(folder, codeFolder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	path := filepath.Join(folder, c.name)
	code := rand.Text()
	_ = os.Remove(path) // left by a process that was killed, perhaps with another mode
	file, err := private.Create(path)
	if err != nil {
		return err
	}
	_, err = file.WriteString(code + "\n")
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		c.path, c.code = path, code
	}
	return err
}

// spend reports whether a code is the one in the file. The next call of file
// then writes a new one.
func (c *localCode) spend(code string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.code == "" || !hmac.Equal([]byte(c.code), []byte(strings.TrimSpace(code))) {
		return false
	}
	c.end()
	return true
}

func (c *localCode) remove() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end()
}

func (c *localCode) end() {
	if c.code != "" {
		_ = os.Remove(c.path) // its code no longer works
	}
	c.path, c.code = "", ""
}
