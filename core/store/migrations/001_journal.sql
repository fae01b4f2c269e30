PRAGMA application_id = 0x79616170; -- "yaap"

CREATE TABLE session(
  id TEXT NOT NULL PRIMARY KEY,
  started_us INTEGER NOT NULL,
  ended_us INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE thread(
  id TEXT NOT NULL PRIMARY KEY,
  session TEXT NOT NULL,
  title TEXT NOT NULL,
  created_us INTEGER NOT NULL,
  updated_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX thread_recent ON thread(updated_us, id);

CREATE TABLE run(
  id TEXT NOT NULL PRIMARY KEY,
  thread TEXT NOT NULL REFERENCES thread,
  parent TEXT REFERENCES run,
  runner TEXT NOT NULL,
  room TEXT NOT NULL,
  state TEXT NOT NULL CHECK(state IN ('running', 'completed', 'failed', 'interrupted')),
  depth INTEGER NOT NULL,
  started_us INTEGER NOT NULL,
  state_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- The claim: one root run at a time goes on in a thread.
CREATE UNIQUE INDEX run_claim ON run(thread) WHERE state = 'running' AND parent IS NULL;
CREATE INDEX run_room ON run(room) WHERE state = 'running';

CREATE TABLE message(
  id TEXT NOT NULL UNIQUE,
  thread TEXT NOT NULL REFERENCES thread,
  n INTEGER NOT NULL,
  run TEXT REFERENCES run,
  role TEXT NOT NULL,
  at_us INTEGER NOT NULL,
  body TEXT NOT NULL,
  UNIQUE(thread, n)
) STRICT;
CREATE INDEX message_run ON message(run, n) WHERE run IS NOT NULL;
CREATE TRIGGER message_updates_thread AFTER INSERT ON message BEGIN
  UPDATE thread SET updated_us = new.at_us WHERE id = new.thread AND updated_us < new.at_us;
END;

CREATE TABLE event(
  room TEXT NOT NULL,
  seq INTEGER NOT NULL,
  thread TEXT REFERENCES thread,
  run TEXT REFERENCES run,
  parent TEXT,
  type TEXT NOT NULL,
  at_us INTEGER NOT NULL,
  body TEXT NOT NULL,
  UNIQUE(room, seq)
) STRICT;
CREATE INDEX event_thread ON event(thread, at_us, room, seq) WHERE thread IS NOT NULL;

CREATE TABLE checkpoint(
  run TEXT NOT NULL REFERENCES run,
  step INTEGER NOT NULL,
  state TEXT NOT NULL,
  at_us INTEGER NOT NULL,
  UNIQUE(run, step)
) STRICT;
