-- The parts of words that the index takes for one, and the values of tags: of entries
-- that have any.
CREATE TABLE entry_part(
  seq INTEGER PRIMARY KEY REFERENCES entry ON DELETE CASCADE,
  scope TEXT NOT NULL,
  words TEXT NOT NULL
) STRICT;
CREATE VIRTUAL TABLE part_fts USING fts5(scope, words,
  content = 'entry_part', content_rowid = 'seq', tokenize = 'porter unicode61 remove_diacritics 2');
INSERT INTO part_fts(part_fts, rank) VALUES('secure-delete', 1);

CREATE TRIGGER part_index AFTER INSERT ON entry_part BEGIN
  INSERT INTO part_fts(rowid, scope, words) VALUES(new.seq, new.scope, new.words);
END;
CREATE TRIGGER part_change AFTER UPDATE ON entry_part BEGIN
  INSERT INTO part_fts(part_fts, rowid, scope, words) VALUES('delete', old.seq, old.scope, old.words);
  INSERT INTO part_fts(rowid, scope, words) VALUES(new.seq, new.scope, new.words);
END;
CREATE TRIGGER part_purge BEFORE DELETE ON entry_part BEGIN
  INSERT INTO part_fts(part_fts, rowid, scope, words) VALUES('delete', old.seq, old.scope, old.words);
END;
CREATE TRIGGER part_redact AFTER UPDATE ON entry WHEN new.redacted_us IS NOT NULL BEGIN
  DELETE FROM entry_part WHERE seq = new.seq;
END;
