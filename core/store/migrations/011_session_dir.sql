-- Where a sitting worked, and whether somebody was there to chat; of those before it is
-- not known.
ALTER TABLE session ADD COLUMN dir TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN unattended INTEGER NOT NULL DEFAULT 0;
