CREATE TABLE pause(
  n INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  run TEXT NOT NULL REFERENCES run,
  root TEXT NOT NULL REFERENCES run,
  thread TEXT NOT NULL REFERENCES thread,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX pause_run ON pause(run);

CREATE TABLE answer(
  pause TEXT NOT NULL PRIMARY KEY REFERENCES pause(id),
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX run_parent ON run(parent) WHERE parent IS NOT NULL;
CREATE INDEX run_recent ON run(started_us, id) WHERE parent IS NULL;

-- AUTOINCREMENT remembers the last number given out, so that rows that are
-- taken from the end are missed, too.
CREATE TABLE audit(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  at_us INTEGER NOT NULL,
  thread TEXT NOT NULL,
  run TEXT NOT NULL,
  actor TEXT NOT NULL,
  node TEXT NOT NULL,
  status TEXT NOT NULL,
  salt BLOB,
  payload TEXT,
  payload_hash BLOB NOT NULL CHECK(length(payload_hash) = 32),
  prev_hash BLOB NOT NULL CHECK(length(prev_hash) = 32),
  hash BLOB NOT NULL CHECK(length(hash) = 32),
  redacted_us INTEGER
) STRICT;
CREATE INDEX audit_run ON audit(run);
CREATE INDEX audit_thread ON audit(thread);

CREATE TRIGGER audit_append BEFORE INSERT ON audit
WHEN new.seq <= (SELECT coalesce(max(seq), 0) FROM audit)
  OR new.prev_hash <> coalesce((SELECT hash FROM audit ORDER BY seq DESC LIMIT 1), zeroblob(32))
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_keep BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

-- The one change that is allowed takes the payload away; the hashes stay.
CREATE TRIGGER audit_redact BEFORE UPDATE ON audit
WHEN NOT (new.payload IS NULL AND new.salt IS NULL AND old.redacted_us IS NULL AND new.redacted_us IS NOT NULL
  AND new.seq = old.seq AND new.id = old.id AND new.at_us = old.at_us AND new.thread = old.thread AND new.run = old.run
  AND new.actor = old.actor AND new.node = old.node AND new.status = old.status
  AND new.payload_hash = old.payload_hash AND new.prev_hash = old.prev_hash AND new.hash = old.hash)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
