// Package schemadoc finds the schemas within a JSON Schema document of draft
// 2020-12. It is the one place that knows which keywords hold subschemas.
//
// [Each] visits the direct subschemas of one schema. [New] finds all schemas of
// a document and resolves the references between them. Neither needs a valid
// document: anything that is not a schema is skipped.
package schemadoc
