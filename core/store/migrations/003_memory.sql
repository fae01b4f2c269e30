-- Whether a user or a model says something in words.
ALTER TABLE message ADD COLUMN spoken INTEGER NOT NULL DEFAULT 0;
UPDATE message SET spoken = 1
WHERE role IN ('user', 'assistant') AND CASE WHEN json_valid(body) THEN trim(coalesce(json_extract(body, '$.text'), '')) <> '' END;

CREATE TABLE vault(
  id TEXT NOT NULL PRIMARY KEY,
  title TEXT NOT NULL UNIQUE,
  created_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE memory(
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  vault TEXT NOT NULL REFERENCES vault,
  title TEXT NOT NULL,
  kind TEXT NOT NULL,
  created_us INTEGER NOT NULL,
  UNIQUE(vault, title)
) STRICT;

-- AUTOINCREMENT: a place is given out once, so that cursors stay good.
-- day is the date in words, for the search; scope keeps it inside a memory.
CREATE TABLE entry(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  memory INTEGER NOT NULL REFERENCES memory,
  thread TEXT NOT NULL,
  message TEXT,
  part INTEGER NOT NULL,
  role TEXT NOT NULL CHECK(role IN ('user', 'assistant', 'system', 'tool')),
  raw TEXT NOT NULL,
  summary TEXT NOT NULL,
  tags TEXT NOT NULL,
  corrects TEXT,
  reason TEXT NOT NULL,
  day TEXT NOT NULL,
  created_us INTEGER NOT NULL,
  expires_us INTEGER,
  redacted_us INTEGER,
  scope TEXT GENERATED ALWAYS AS ('m' || memory) VIRTUAL,
  UNIQUE(message, part)
) STRICT;
CREATE INDEX entry_recent ON entry(memory, seq);
CREATE INDEX entry_thread ON entry(thread, memory, seq);
CREATE INDEX entry_corrects ON entry(corrects) WHERE corrects IS NOT NULL;
CREATE INDEX entry_expires ON entry(expires_us) WHERE expires_us IS NOT NULL;
CREATE INDEX entry_redacted ON entry(memory, redacted_us) WHERE redacted_us IS NOT NULL;

CREATE VIRTUAL TABLE entry_fts USING fts5(scope, summary, raw, day,
  content = 'entry', content_rowid = 'seq', tokenize = 'porter unicode61 remove_diacritics 2');
INSERT INTO entry_fts(entry_fts, rank) VALUES('rank', 'bm25(0.0, 2.0, 1.0, 1.0)');
INSERT INTO entry_fts(entry_fts, rank) VALUES('secure-delete', 1);

-- Messages that are to be remembered and have no entry yet.
CREATE TABLE unrecorded(
  no INTEGER PRIMARY KEY,
  memory INTEGER NOT NULL REFERENCES memory,
  message TEXT NOT NULL UNIQUE REFERENCES message(id) ON DELETE CASCADE
) STRICT;
CREATE INDEX unrecorded_memory ON unrecorded(memory, no);

-- Ids of messages whose words were removed, so that they do not come back.
CREATE TABLE forgotten(message TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;

CREATE TRIGGER entry_forgotten BEFORE INSERT ON entry
WHEN EXISTS (SELECT 1 FROM forgotten WHERE message = new.message)
BEGIN SELECT RAISE(IGNORE); END;

CREATE TRIGGER entry_index AFTER INSERT ON entry BEGIN
  INSERT INTO entry_fts(rowid, scope, summary, raw, day) VALUES(new.seq, new.scope, new.summary, new.raw, new.day);
  DELETE FROM unrecorded WHERE message = new.message;
END;

-- The one change that is allowed takes the words away.
CREATE TRIGGER entry_redact BEFORE UPDATE ON entry BEGIN
  SELECT RAISE(ABORT, 'entries are append-only') WHERE NOT (
    old.redacted_us IS NULL AND new.redacted_us IS NOT NULL
    AND new.raw = '' AND new.summary = '' AND new.tags = '{}' AND new.reason = ''
    AND new.seq = old.seq AND new.id = old.id AND new.memory = old.memory AND new.thread = old.thread
    AND new.message IS old.message AND new.part = old.part AND new.role = old.role AND new.corrects IS old.corrects
    AND new.day = old.day AND new.created_us = old.created_us AND new.expires_us IS old.expires_us);
  INSERT INTO entry_fts(entry_fts, rowid, scope, summary, raw, day) VALUES('delete', old.seq, old.scope, old.summary, old.raw, old.day);
END;

CREATE TRIGGER entry_purge BEFORE DELETE ON entry BEGIN
  SELECT RAISE(ABORT, 'entries are append-only') WHERE old.expires_us IS NULL;
  INSERT INTO entry_fts(entry_fts, rowid, scope, summary, raw, day)
    SELECT 'delete', old.seq, old.scope, old.summary, old.raw, old.day WHERE old.redacted_us IS NULL;
END;

CREATE TABLE context(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  memory INTEGER NOT NULL REFERENCES memory,
  upto INTEGER NOT NULL,
  content TEXT NOT NULL,
  created_us INTEGER NOT NULL
) STRICT;
CREATE INDEX context_recent ON context(memory, seq);
CREATE TRIGGER context_keep BEFORE UPDATE ON context
BEGIN SELECT RAISE(ABORT, 'contexts are append-only'); END;

CREATE TABLE embedding(
  seq INTEGER NOT NULL REFERENCES entry ON DELETE CASCADE,
  model TEXT NOT NULL,
  dim INTEGER NOT NULL,
  v BLOB NOT NULL CHECK(length(v) = 4 * dim),
  PRIMARY KEY(model, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX embedding_entry ON embedding(seq);

-- The last row of a thread counts; without a memory it is not remembered.
CREATE TABLE recording(
  no INTEGER PRIMARY KEY,
  thread TEXT NOT NULL REFERENCES thread,
  memory INTEGER REFERENCES memory,
  at_us INTEGER NOT NULL,
  UNIQUE(thread, at_us)
) STRICT;

-- What is said from now on is to be remembered; of a thread that nobody has
-- said anything about yet, also what was said before.
CREATE TRIGGER recording_begins AFTER INSERT ON recording
WHEN new.memory IS NOT NULL AND NOT EXISTS (SELECT 1 FROM recording WHERE thread = new.thread AND no < new.no)
BEGIN
  INSERT INTO unrecorded(memory, message)
    SELECT new.memory, message.id FROM message LEFT JOIN run ON run.id = message.run
    WHERE message.thread = new.thread AND message.spoken AND run.parent IS NULL
      AND NOT EXISTS (SELECT 1 FROM entry WHERE entry.message = message.id)
    ORDER BY message.n;
END;

CREATE TRIGGER message_recorded AFTER INSERT ON message WHEN new.spoken BEGIN
  INSERT INTO unrecorded(memory, message)
    SELECT memory, new.id FROM recording
    WHERE no = (SELECT max(no) FROM recording WHERE thread = new.thread) AND memory IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM run WHERE id = new.run AND parent IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM entry WHERE message = new.id);
END;

CREATE TRIGGER message_forgotten BEFORE INSERT ON message
WHEN EXISTS (SELECT 1 FROM forgotten WHERE message = new.id)
BEGIN SELECT RAISE(IGNORE); END;
