// Package fieldtag reads the contract tags of the fields of an input or an
// output, such as contract:"secret", and applies them to values.
package fieldtag
