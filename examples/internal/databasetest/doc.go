// Package databasetest runs a real PostgreSQL or MariaDB server during a test.
package databasetest
