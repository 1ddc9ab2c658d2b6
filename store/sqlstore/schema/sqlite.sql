-- The tables of toolcontract's sqlstore, version 1, for SQLite.
CREATE TABLE tc_partitions (
  part    BLOB PRIMARY KEY,
  entries INTEGER NOT NULL,
  bytes   INTEGER NOT NULL,
  kinds   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE tc_records (
  part        BLOB NOT NULL,
  id          BLOB NOT NULL,
  state       INTEGER NOT NULL,
  owner       BLOB NOT NULL,
  started     INTEGER NOT NULL,
  fingerprint BLOB NOT NULL,
  result      BLOB,
  lease       INTEGER NOT NULL,
  ends        INTEGER NOT NULL,
  done        INTEGER NOT NULL,
  PRIMARY KEY (part, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tc_records_ends ON tc_records (ends);
CREATE INDEX tc_records_done ON tc_records (part, done) WHERE done > 0;
CREATE TABLE tc_nonces (
  part  BLOB NOT NULL,
  id    BLOB NOT NULL,
  owner BLOB NOT NULL,
  ends  INTEGER NOT NULL,
  PRIMARY KEY (part, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tc_nonces_ends ON tc_nonces (ends);
CREATE TABLE tc_counts (
  part BLOB NOT NULL,
  id   BLOB NOT NULL,
  kind BLOB NOT NULL,
  n    INTEGER NOT NULL,
  ends INTEGER NOT NULL,
  PRIMARY KEY (part, id, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX tc_counts_ends ON tc_counts (ends);
CREATE TABLE tc_schema (
  version INTEGER NOT NULL,
  epoch   TEXT NOT NULL
) STRICT;
INSERT INTO tc_schema (version, epoch) VALUES (1, lower(hex(randomblob(16))));
