-- A conversation that goes on from another one: what was said there before the message
-- upto is said in it, too.
CREATE TABLE branch(
  thread TEXT NOT NULL PRIMARY KEY REFERENCES thread,
  parent TEXT NOT NULL REFERENCES thread,
  upto INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
