-- The tables of toolcontract's sqlstore, version 1, for PostgreSQL.
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
-- A time d after now, or the last time.
CREATE FUNCTION tc_in(now BIGINT, d BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN d > 9223372036854775807 - now THEN 9223372036854775807 ELSE now + d END
$$;
-- The time in nanoseconds since 1970. told is 0, or in tests a time or the
-- negated lead over the clock.
CREATE FUNCTION tc_clock(told BIGINT) RETURNS BIGINT LANGUAGE sql VOLATILE AS $$
  SELECT CASE WHEN told > 0 THEN told ELSE (extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 1000 - told END
$$;
-- Whether all statements of a transaction see the database as it was at its
-- first one, also after they have waited for a lock.
CREATE FUNCTION tc_snapshot_is_fixed() RETURNS BOOLEAN LANGUAGE sql STABLE AS $$
  SELECT current_setting('transaction_isolation') IN ('repeatable read', 'serializable')
$$;
-- A claim in one round trip. The status is that of package store. It is 0 if
-- the claim needs the long way, because something must be removed for it or
-- because of the isolation level. Nothing has changed then. clock is the time at
-- which the claim was decided.
CREATE FUNCTION tc_claim(
  told BIGINT, p BYTEA, i BYTEA, claimer BYTEA, arguments BYTEA, p_lease BIGINT, retention BIGINT, start BOOLEAN,
  rerun BOOLEAN, replaced BYTEA, p_nonce BYTEA, ttl BIGINT, p_counts BYTEA, budget BIGINT, most_entries BIGINT,
  most_bytes BIGINT, entry_bytes BIGINT,
  OUT status INTEGER, OUT found_state SMALLINT, OUT found_result BYTEA, OUT lease_left BIGINT, OUT clock BIGINT
) LANGUAGE plpgsql SET lock_timeout = 0 AS $$
DECLARE
  r tc_records; own BOOLEAN; held BIGINT; kept BIGINT; highest BIGINT; window_end BIGINT; spender BYTEA; spent_until BIGINT;
  added BIGINT; locked BOOLEAN := false; begun BOOLEAN := start;
BEGIN
  status := 0; found_state := 0; lease_left := 0;
  LOOP -- first without a lock, because most answers need none
    IF locked THEN -- the transaction of a call may hold the record, and needs the lock of the partition last
      SELECT * INTO r FROM tc_records WHERE part = p AND id = i FOR UPDATE NOWAIT;
    ELSE
      SELECT * INTO r FROM tc_records WHERE part = p AND id = i;
    END IF;
    clock := tc_clock(told); -- not before what the query saw, which may be newer than the call
    own := FALSE;
    IF r.ends > clock AND NOT (r.state <> 1 AND r.owner IS NOT DISTINCT FROM replaced) THEN
      own := r.state = 1 AND r.owner = claimer;
      IF r.fingerprint <> arguments THEN status := 5; RETURN; END IF;
      IF r.state IN (2, 3) THEN status := 3; found_state := r.state; found_result := r.result; RETURN; END IF;
      IF r.state = 1 AND NOT own AND r.lease > clock THEN status := 2; lease_left := r.lease - clock; RETURN; END IF;
      IF (r.state = 4 OR r.started = 1 AND NOT own) AND NOT rerun THEN status := 4; RETURN; END IF;
    END IF;
    EXIT WHEN locked;
    IF tc_snapshot_is_fixed() THEN RETURN; END IF;
    locked := true;
    SELECT entries, bytes INTO held, kept FROM tc_partitions WHERE part = p FOR UPDATE;
    IF NOT FOUND THEN
      INSERT INTO tc_partitions (part, entries, bytes, kinds) VALUES (p, 0, 0, 0)
        ON CONFLICT (part) DO UPDATE SET part = excluded.part RETURNING entries, bytes INTO held, kept;
    END IF;
  END LOOP;
  IF r.ends <= clock THEN RETURN; END IF;
  IF budget > 0 THEN
    SELECT max(n), max(ends) INTO highest, window_end FROM tc_counts WHERE part = p AND id = p_counts;
    IF window_end <= clock THEN RETURN; END IF;
    IF highest >= budget AND NOT own THEN status := 7; RETURN; END IF;
  END IF;
  added := CASE WHEN r.id IS NULL THEN 1 ELSE 0 END;
  IF ttl > 0 THEN
    SELECT owner, ends INTO spender, spent_until FROM tc_nonces WHERE part = p AND id = p_nonce;
    IF spent_until <= clock THEN RETURN; END IF;
    IF spender IS NULL THEN
      added := added + 1;
    ELSIF spender <> claimer AND (r.id IS NULL OR r.state <> 1 OR r.started = 1 OR spender <> r.owner) THEN
      status := 6;
      RETURN;
    END IF;
  END IF;
  IF added > 0 AND (held + added > most_entries OR kept > most_bytes - (held + added) * entry_bytes) THEN RETURN; END IF;
  IF ttl > 0 AND spender IS NULL THEN
    INSERT INTO tc_nonces (part, id, owner, ends) VALUES (p, p_nonce, claimer, tc_in(clock, ttl));
  ELSIF ttl > 0 AND spender <> claimer THEN
    UPDATE tc_nonces SET owner = claimer WHERE part = p AND id = p_nonce;
  END IF;
  IF r.id IS NULL THEN
    INSERT INTO tc_records (part, id, state, owner, started, fingerprint, lease, ends, done) VALUES
      (p, i, 1, claimer, begun::integer, arguments, tc_in(clock, p_lease), tc_in(clock, retention), 0);
  ELSE
    begun := begun OR r.state = 4 OR r.state = 1 AND r.started = 1;
    UPDATE tc_records SET state = 1, owner = claimer, started = begun::integer, fingerprint = arguments, result = NULL,
      lease = tc_in(clock, p_lease), ends = tc_in(clock, retention), done = 0 WHERE part = p AND id = i;
  END IF;
  IF added > 0 OR r.result IS NOT NULL THEN
    UPDATE tc_partitions SET entries = held + added, bytes = kept - coalesce(length(r.result), 0) WHERE part = p;
  END IF;
  status := 1;
END
$$;
-- Counts the bytes that a completion adds to a partition, and forgets counts of
-- failures. It takes the lock of the partition first, as every change does.
CREATE FUNCTION tc_count(p BYTEA, added BIGINT, forgotten BYTEA) RETURNS VOID LANGUAGE plpgsql
SET lock_timeout = 0 AS $$
DECLARE
  removed BIGINT;
BEGIN
  PERFORM FROM tc_partitions WHERE part = p FOR UPDATE;
  DELETE FROM tc_counts WHERE part = p AND id = forgotten;
  GET DIAGNOSTICS removed = ROW_COUNT;
  IF added <> 0 OR removed > 0 THEN
    UPDATE tc_partitions SET bytes = bytes + added, kinds = kinds - removed WHERE part = p;
  END IF;
END
$$;
-- A completion in one round trip. The status is 1 if it took place or had taken
-- place, 2 if the owner does not hold the record, and 0 if it needs the long way.
-- A late one is part of the transaction of a call, whose process may stop before
-- the commit. So it is counted by a trigger while the server commits, and does
-- not lock the partition before. Its result then drops no others: the next claim
-- does.
CREATE FUNCTION tc_complete(
  told BIGINT, p BYTEA, i BYTEA, completer BYTEA, p_state SMALLINT, p_result BYTEA, retention BIGINT, forgotten BYTEA,
  most_bytes BIGINT, entry_bytes BIGINT, late BOOLEAN,
  OUT status INTEGER, OUT clock BIGINT
) LANGUAGE plpgsql SET lock_timeout = 0 AS $$
DECLARE
  r tc_records; held BIGINT; kept BIGINT; size BIGINT := coalesce(length(p_result), 0);
BEGIN
  status := 0;
  IF late THEN
    SELECT entries, 0 INTO held, kept FROM tc_partitions WHERE part = p;
  ELSE
    SELECT entries, bytes INTO held, kept FROM tc_partitions WHERE part = p FOR UPDATE;
  END IF;
  clock := tc_clock(told);
  IF NOT FOUND THEN RETURN; END IF; -- nothing is locked, because the row was removed while this waited
  SELECT * INTO r FROM tc_records WHERE part = p AND id = i FOR UPDATE NOWAIT;
  IF r.id IS NULL OR r.ends <= clock OR r.owner <> completer THEN status := 2; RETURN; END IF;
  IF r.state IN (2, 3) THEN status := 1; RETURN; END IF;
  IF retention <= 0 THEN RETURN; END IF;
  IF size > 0 AND kept - coalesce(length(r.result), 0) > most_bytes - held * entry_bytes - size THEN
    IF NOT late THEN RETURN; END IF;
    p_result := NULL;
    size := 0;
  END IF;
  IF late THEN
    PERFORM set_config('toolcontract.forgotten', coalesce(encode(forgotten, 'hex'), 'nothing'), true);
  ELSE
    PERFORM tc_count(p, size - coalesce(length(r.result), 0), forgotten);
  END IF;
  UPDATE tc_records SET state = p_state, result = p_result, ends = tc_in(clock, retention),
    done = CASE WHEN size > 0 THEN clock ELSE 0 END WHERE part = p AND id = i;
  status := 1;
END
$$;
CREATE FUNCTION tc_count_late() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tc_count(NEW.part, coalesce(length(NEW.result), 0) - coalesce(length(OLD.result), 0),
    decode(nullif(current_setting('toolcontract.forgotten'), 'nothing'), 'hex'));
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER tc_records_late AFTER UPDATE ON tc_records DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (current_setting('toolcontract.forgotten', true) <> '') EXECUTE FUNCTION tc_count_late();
CREATE TABLE tc_schema (
  version INTEGER NOT NULL,
  epoch   TEXT NOT NULL
);
INSERT INTO tc_schema (version, epoch) VALUES (1, gen_random_uuid()::text);
