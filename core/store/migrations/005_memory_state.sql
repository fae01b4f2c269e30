-- What the memory agent knows of conversations, a row for each of its steps.
-- There are no words in it: messages are ids, context and upto are places.
CREATE TABLE memory_state(
  memory INTEGER NOT NULL REFERENCES memory,
  thread TEXT NOT NULL,
  step INTEGER NOT NULL,
  id TEXT NOT NULL UNIQUE,
  control TEXT NOT NULL,
  count INTEGER NOT NULL,
  messages TEXT NOT NULL,
  tools TEXT NOT NULL,
  context INTEGER NOT NULL,
  upto INTEGER NOT NULL,
  at_us INTEGER NOT NULL,
  PRIMARY KEY(memory, thread, step)
) STRICT, WITHOUT ROWID;
