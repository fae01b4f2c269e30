-- Why a run has failed or was interrupted: the code of its error, empty where
-- it waits for an answer.
ALTER TABLE run ADD COLUMN code TEXT NOT NULL DEFAULT '';
