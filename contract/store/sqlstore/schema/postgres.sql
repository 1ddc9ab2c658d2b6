-- The tables of toolcontract's sqlstore, version 1, for PostgreSQL.
CREATE TABLE tc_schema (
  version INTEGER NOT NULL,
  epoch   TEXT NOT NULL
);
CREATE TABLE tc_partitions (
  part    BYTEA PRIMARY KEY,
  entries BIGINT NOT NULL,
  bytes   BIGINT NOT NULL,
  kinds   BIGINT NOT NULL
);
CREATE TABLE tc_records (
  part        BYTEA NOT NULL,
  id          BYTEA NOT NULL,
  state       SMALLINT NOT NULL,
  owner       BYTEA NOT NULL,
  started     SMALLINT NOT NULL,
  fingerprint BYTEA NOT NULL,
  result      BYTEA,
  lease       BIGINT NOT NULL,
  ends        BIGINT NOT NULL,
  done        BIGINT NOT NULL,
  PRIMARY KEY (part, id)
) WITH (fillfactor = 70);
CREATE INDEX tc_records_ends ON tc_records (ends);
CREATE INDEX tc_records_done ON tc_records (part, done) WHERE done > 0;
CREATE TABLE tc_nonces (
  part  BYTEA NOT NULL,
  id    BYTEA NOT NULL,
  owner BYTEA NOT NULL,
  ends  BIGINT NOT NULL,
  PRIMARY KEY (part, id)
);
CREATE INDEX tc_nonces_ends ON tc_nonces (ends);
CREATE TABLE tc_counts (
  part BYTEA NOT NULL,
  id   BYTEA NOT NULL,
  kind BYTEA NOT NULL,
  n    BIGINT NOT NULL,
  ends BIGINT NOT NULL,
  PRIMARY KEY (part, id, kind)
);
CREATE INDEX tc_counts_ends ON tc_counts (ends);
INSERT INTO tc_schema (version, epoch) VALUES (1, gen_random_uuid()::text);
