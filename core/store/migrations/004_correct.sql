-- What is said about an entry beside it. A tag without a value is one that was
-- taken away; until_us counts in place of the entry's own expires_us.
CREATE TABLE entry_tag(
  seq INTEGER NOT NULL REFERENCES entry ON DELETE CASCADE,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  at_us INTEGER NOT NULL,
  PRIMARY KEY(seq, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE entry_life(
  seq INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE,
  until_us INTEGER NOT NULL,
  at_us INTEGER NOT NULL
) STRICT;
CREATE INDEX entry_life_until ON entry_life(until_us);

-- Places without words stay: they keep the words from coming back.
DROP TRIGGER entry_purge;
CREATE TRIGGER entry_purge BEFORE DELETE ON entry BEGIN
  SELECT RAISE(ABORT, 'entries are append-only') WHERE old.redacted_us IS NOT NULL
    OR coalesce((SELECT until_us FROM entry_life WHERE seq = old.seq), old.expires_us, 9223372036854775807) = 9223372036854775807;
  INSERT INTO entry_fts(entry_fts, rowid, scope, summary, raw, day) VALUES('delete', old.seq, old.scope, old.summary, old.raw, old.day);
END;
