package sqlstore_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// A disk records in order what SQLite writes to a file and to its log, and when
// it waits until that is on the disk.
type disk struct {
	mu     sync.Mutex
	path   string
	before map[string][]byte // the content of the files before the writes, by their suffixes
	writes []write
}

// A write is a change of a file, or a sync.
type write struct {
	suffix string // of the file's name: empty, or that of the log
	kind   writeKind
	at     int64 // the offset, or the size that remains
	data   []byte
}

type writeKind uint8

const (
	isWrite writeKind = iota
	isTruncation
	isSync
)

// logSuffix is what SQLite adds to the name of a file for that of its log.
const logSuffix = "-wal"

// sector is the size of what a disk writes as a whole.
const sector = 512

// len returns the number of writes so far.
func (d *disk) len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.writes)
}

// A loss is what a loss of power keeps of the writes that were not synced.
type loss uint8

const (
	keepsNone   loss = iota
	keepsAll         // as a killed process does
	keepsTorn        // all but half of the last one
	keepsRandom      // each sector or not
	losses
)

func (l loss) String() string { return [...]string{"none", "all", "a torn write", "some"}[l] }

// fail writes the files as they are after a loss of power that follows the
// first n writes.
func (d *disk) fail(t *testing.T, n int, l loss, to string) {
	t.Helper()
	for _, suffix := range []string{"", logSuffix} {
		var changes []write
		synced := 0
		for _, w := range d.writes[:n] {
			switch {
			case w.suffix != suffix:
			case w.kind == isSync:
				synced = len(changes)
			default:
				changes = append(changes, w)
			}
		}
		content := bytes.Clone(d.before[suffix])
		for i, w := range changes {
			content = w.apply(content, func(at int) bool {
				switch {
				case i < synced || l == keepsAll:
					return true
				case l == keepsTorn:
					return i < len(changes)-1 || at < len(w.data)/2
				}
				return l == keepsRandom && rand.IntN(2) == 0
			})
		}
		require.NoError(t, os.WriteFile(to+suffix, content, 0o600))
	}
}

// apply changes the content of a file. kept reports for each offset within the
// write at which a sector begins whether it is kept.
func (w write) apply(content []byte, kept func(at int) bool) []byte {
	if w.kind == isTruncation {
		if kept(0) {
			content = append(content, make([]byte, max(0, int(w.at)-len(content)))...)[:w.at]
		}
		return content
	}
	for at := 0; at < len(w.data); {
		end := min(len(w.data), at+sector-(int(w.at)+at)%sector)
		if kept(at) {
			offset := int(w.at) + at
			content = append(content, make([]byte, max(0, offset+end-at-len(content)))...)
			copy(content[offset:], w.data[at:end])
		}
		at = end
	}
	return content
}

// recordingVFS is the name under which SQLite knows the file system whose
// writes are recorded.
const recordingVFS = "recording"

// disks are the recorded ones by the paths of their files, files the open files
// by their addresses, and methods the copies of the methods of files.
var (
	disks   sync.Map
	files   sync.Map
	methods sync.Map
)

// An openFile is a file on a disk.
type openFile struct {
	disk   *disk
	suffix string
	of     *sqlite3.Tsqlite3_io_methods
}

// newDisk records what is written to a path.
func newDisk(t *testing.T, path string) *disk {
	t.Helper()
	registerVFS()
	d := &disk{path: path}
	disks.Store(path, d)
	t.Cleanup(func() { disks.Delete(path) })
	return d
}

// realVFS is the file system of the machine.
var realVFS *sqlite3.Tsqlite3_vfs

var registerVFS = sync.OnceFunc(func() {
	tls := libc.NewTLS()
	found := sqlite3.Xsqlite3_vfs_find(tls, 0)
	realVFS = at[sqlite3.Tsqlite3_vfs](found)
	made := copied(tls, found, unsafe.Sizeof(*realVFS))
	name, err := libc.CString(recordingVFS)
	if err != nil {
		panic(err)
	}
	vfs := at[sqlite3.Tsqlite3_vfs](made)
	vfs.FzName, vfs.FxOpen = name, pointer(openRecorded)
	if sqlite3.Xsqlite3_vfs_register(tls, made, 0) != sqlite3.SQLITE_OK {
		panic("the file system is not registered")
	}
})

func copied(tls *libc.TLS, from, size uintptr) uintptr {
	to := libc.Xmalloc(tls, libc.Tsize_t(size))
	return libc.Xmemcpy(tls, to, from, libc.Tsize_t(size))
}

// at returns what is at an address in the memory of libc.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// pointer returns the pointer that SQLite has of a function, and function the
// function of a pointer.
func pointer[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

func function[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&p)) }

func openRecorded(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32 {
	open := function[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](realVFS.FxOpen)
	rc := open(tls, vfs, name, file, flags, out)
	if rc != sqlite3.SQLITE_OK || name == 0 {
		return rc
	}
	path, isLog := strings.CutSuffix(libc.GoString(name), logSuffix)
	d, ok := disks.Load(path)
	if !ok {
		return rc
	}
	opened := &openFile{disk: d.(*disk)}
	if isLog {
		opened.suffix = logSuffix
	}
	own := at[sqlite3.Tsqlite3_file](file).FpMethods
	opened.of = at[sqlite3.Tsqlite3_io_methods](own)
	made, ok := methods.Load(own)
	if !ok {
		address := copied(tls, own, unsafe.Sizeof(*opened.of))
		m := at[sqlite3.Tsqlite3_io_methods](address)
		m.FxWrite, m.FxTruncate, m.FxSync, m.FxClose = pointer(writeFile), pointer(truncateFile), pointer(syncFile), pointer(closeFile)
		made, _ = methods.LoadOrStore(own, address)
	}
	at[sqlite3.Tsqlite3_file](file).FpMethods = made.(uintptr)
	files.Store(file, opened)
	return rc
}

// record records a write, and returns the file.
func record(file uintptr, w write) *openFile {
	f, _ := files.Load(file)
	opened := f.(*openFile)
	w.suffix = opened.suffix
	opened.disk.mu.Lock()
	defer opened.disk.mu.Unlock()
	opened.disk.writes = append(opened.disk.writes, w)
	return opened
}

func writeFile(tls *libc.TLS, file, data uintptr, n int32, offset int64) int32 {
	f := record(file, write{kind: isWrite, at: offset, data: append([]byte{}, unsafe.Slice(at[byte](data), n)...)})
	return function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](f.of.FxWrite)(tls, file, data, n, offset)
}

func truncateFile(tls *libc.TLS, file uintptr, size int64) int32 {
	f := record(file, write{kind: isTruncation, at: size})
	return function[func(*libc.TLS, uintptr, int64) int32](f.of.FxTruncate)(tls, file, size)
}

func syncFile(tls *libc.TLS, file uintptr, flags int32) int32 {
	f := record(file, write{kind: isSync})
	return function[func(*libc.TLS, uintptr, int32) int32](f.of.FxSync)(tls, file, flags)
}

func closeFile(tls *libc.TLS, file uintptr) int32 {
	f, _ := files.LoadAndDelete(file)
	return function[func(*libc.TLS, uintptr) int32](f.(*openFile).of.FxClose)(tls, file)
}

// forget makes what was written so far the content of the disk.
func (d *disk) forget(t *testing.T) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.before = map[string][]byte{}
	for _, suffix := range []string{"", logSuffix} {
		content, err := os.ReadFile(d.path + suffix)
		require.NoError(t, err)
		d.before[suffix] = content
	}
	d.writes = nil
}
