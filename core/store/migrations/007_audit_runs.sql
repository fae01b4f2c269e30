-- Rows of the log that tell of a run instead of an answer: what state it has
-- come into. There are no words in them, and they are not redacted.
ALTER TABLE audit ADD COLUMN state TEXT;
CREATE INDEX audit_state ON audit(run) WHERE state IS NOT NULL;

DROP TRIGGER audit_redact;
CREATE TRIGGER audit_redact BEFORE UPDATE ON audit
WHEN NOT (new.payload IS NULL AND new.salt IS NULL AND old.redacted_us IS NULL AND new.redacted_us IS NOT NULL
  AND new.seq = old.seq AND new.id = old.id AND new.at_us = old.at_us AND new.thread = old.thread AND new.run = old.run
  AND new.actor = old.actor AND new.node = old.node AND new.status = old.status AND old.state IS NULL AND new.state IS NULL
  AND new.payload_hash = old.payload_hash AND new.prev_hash = old.prev_hash AND new.hash = old.hash)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
