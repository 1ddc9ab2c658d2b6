// Package folder holds the contracts of examples/files and the folder behind
// them. The tools read, write and list text files below one root; no path
// leaves the root.
//
// [os.Root] confines paths to the root and does not follow symbolic links out
// of it. Before that, [checkName] refuses names that another system would read
// differently, and names that look different to a person or a model.
//
// A write is atomic. The content goes to a temporary file in the same folder
// and is synced to disk. Then the file gets its name in one step: by a rename
// if it may replace a file, else by a hard link, so that only one of several
// writers succeeds. If the server is killed meanwhile, the temporary file
// stays. No path names it and no list shows it.
package folder
