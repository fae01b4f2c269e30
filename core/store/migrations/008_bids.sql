-- What the bids of experts have come to, by how each expert is reached.
CREATE TABLE standing(
  expert TEXT NOT NULL,
  origin TEXT NOT NULL,
  prior REAL NOT NULL,
  claimed REAL NOT NULL,
  delivered REAL NOT NULL,
  bids INTEGER NOT NULL,
  awards INTEGER NOT NULL,
  at_us INTEGER NOT NULL,
  PRIMARY KEY(expert, origin)
) STRICT, WITHOUT ROWID;

-- Questions of the user that an expert has answered.
CREATE TABLE learned(
  no INTEGER PRIMARY KEY,
  expert TEXT NOT NULL,
  origin TEXT NOT NULL,
  question TEXT NOT NULL,
  thread TEXT NOT NULL,
  run TEXT NOT NULL,
  at_us INTEGER NOT NULL,
  UNIQUE(expert, origin, question)
) STRICT;
