-- The tables of toolcontract's sqlstore, version 1, for MySQL and MariaDB.
CREATE TABLE tc_schema (
  version INTEGER NOT NULL,
  epoch   VARCHAR(64) NOT NULL
) ENGINE = InnoDB;
CREATE TABLE tc_partitions (
  part    BINARY(32) PRIMARY KEY,
  entries BIGINT NOT NULL,
  bytes   BIGINT NOT NULL,
  kinds   BIGINT NOT NULL
) ENGINE = InnoDB;
CREATE TABLE tc_records (
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
  PRIMARY KEY (part, id)
) ENGINE = InnoDB;
CREATE INDEX tc_records_ends ON tc_records (ends);
CREATE INDEX tc_records_done ON tc_records (part, done);
CREATE TABLE tc_nonces (
  part  BINARY(32) NOT NULL,
  id    BINARY(32) NOT NULL,
  owner BINARY(16) NOT NULL,
  ends  BIGINT NOT NULL,
  PRIMARY KEY (part, id)
) ENGINE = InnoDB;
CREATE INDEX tc_nonces_ends ON tc_nonces (ends);
CREATE TABLE tc_counts (
  part BINARY(32) NOT NULL,
  id   BINARY(32) NOT NULL,
  kind BINARY(32) NOT NULL,
  n    BIGINT NOT NULL,
  ends BIGINT NOT NULL,
  PRIMARY KEY (part, id, kind)
) ENGINE = InnoDB;
CREATE INDEX tc_counts_ends ON tc_counts (ends);
INSERT INTO tc_schema (version, epoch) VALUES (1, uuid());
