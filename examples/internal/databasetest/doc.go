// Package postgrestest runs a real PostgreSQL server during a test.
package postgrestest
