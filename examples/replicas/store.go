package main

import (
	"database/sql"
	"errors"
	"io"
	"log/slog"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"github.com/toolcontract/toolcontract/store"
	"github.com/toolcontract/toolcontract/store/redisstore"
	"github.com/toolcontract/toolcontract/store/sqlstore"
)

// openStore opens the store that the servers share: a PostgreSQL, whose tables
// it makes if they do not exist, or a Redis.
func openStore(url string) (store.Store, io.Closer, error) {
	if !isPostgres(url) {
		redis, err := redisstore.Open(url, redisstore.WithLogger(slog.Default()))
		return redis, redis, err
	}
	db, err := sql.Open("pgx", url)
	if err != nil {
		return nil, nil, errors.New("the URL of the PostgreSQL cannot be read")
	}
	records, err := sqlstore.Open(db, sqlstore.Postgres, sqlstore.WithMigration())
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return records, db, nil
}

func isPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}
