-- Vectors in the order in which they were made: what is new is read alone.
CREATE TABLE vector(
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  seq INTEGER NOT NULL REFERENCES entry ON DELETE CASCADE,
  model TEXT NOT NULL,
  dim INTEGER NOT NULL,
  v BLOB NOT NULL CHECK(length(v) = 4 * dim),
  UNIQUE(model, seq)
) STRICT;
INSERT INTO vector(seq, model, dim, v) SELECT seq, model, dim, v FROM embedding ORDER BY seq;
DROP TABLE embedding;
ALTER TABLE vector RENAME TO embedding;
CREATE INDEX embedding_entry ON embedding(seq);
