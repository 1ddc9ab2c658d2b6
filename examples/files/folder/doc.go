// Package folder holds the contracts of examples/files and the folder behind
// them: text files that tools read, write and list, below one root that no path
// leaves.
//
// [os.Root] keeps paths within the root, symbolic links included. [checkName]
// refuses before it what means something else on another system, and names that
// a person or a model would read otherwise than the system does.
//
// A write is atomic: the content goes to a temporary file in the same folder,
// is brought to the disk, and takes its name in one step, by a hard link where
// nothing may be replaced, so that of many writers one wins, and by a rename
// where it may. A server that is killed meanwhile leaves the temporary file,
// which no path names and no list shows.
package folder
