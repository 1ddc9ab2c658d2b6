-- The tables of toolcontract's sqlstore, version 1, for MySQL and MariaDB. Each
-- statement is a transaction, so they can be run again if they were interrupted.
-- Servers refuse the tables until the last one has run.
CREATE TABLE IF NOT EXISTS tc_partitions (
  part    BINARY(32) PRIMARY KEY,
  entries BIGINT NOT NULL,
  bytes   BIGINT NOT NULL,
  kinds   BIGINT NOT NULL
) ENGINE = InnoDB;
CREATE TABLE IF NOT EXISTS tc_records (
  part        BINARY(32) NOT NULL,
  id          BINARY(32) NOT NULL,
  state       SMALLINT NOT NULL,
  owner       BINARY(16) NOT NULL,
  started     SMALLINT NOT NULL,
  fingerprint BINARY(32) NOT NULL,
  result      LONGBLOB,
  lease       BIGINT NOT NULL,
  ends        BIGINT NOT NULL,
  done        BIGINT NOT NULL,
  PRIMARY KEY (part, id),
  INDEX tc_records_ends (ends),
  INDEX tc_records_done (part, done)
) ENGINE = InnoDB;
CREATE TABLE IF NOT EXISTS tc_nonces (
  part  BINARY(32) NOT NULL,
  id    BINARY(32) NOT NULL,
  owner BINARY(16) NOT NULL,
  ends  BIGINT NOT NULL,
  PRIMARY KEY (part, id),
  INDEX tc_nonces_ends (ends)
) ENGINE = InnoDB;
CREATE TABLE IF NOT EXISTS tc_counts (
  part BINARY(32) NOT NULL,
  id   BINARY(32) NOT NULL,
  kind BINARY(32) NOT NULL,
  n    BIGINT NOT NULL,
  ends BIGINT NOT NULL,
  PRIMARY KEY (part, id, kind),
  INDEX tc_counts_ends (ends)
) ENGINE = InnoDB;
CREATE TABLE IF NOT EXISTS tc_schema (
  version INTEGER PRIMARY KEY,
  epoch   VARCHAR(64) NOT NULL
) ENGINE = InnoDB;
INSERT IGNORE INTO tc_schema (version, epoch) VALUES (1, uuid());
