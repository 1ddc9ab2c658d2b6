// Package databasetest runs a real PostgreSQL server during a test.
package databasetest
