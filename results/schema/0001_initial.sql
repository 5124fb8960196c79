-- Schema 1. Identifiers (id) are 32 hex digits, made where things happen, in order of time; cells, workloads and
-- strategies are their own canonical texts and environments their content's hash, so stores merge by copying rows.
-- Times: *_utc_ns since 1970 UTC, *_mono_ns on the host's monotonic clock. A NULL in a REAL column is a NaN.
-- Nothing derived is stored: medians, intervals and verdicts are computed from these rows.

CREATE TABLE environment (
  hash TEXT PRIMARY KEY,
  json TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE workload (
  text TEXT PRIMARY KEY,
  json TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE strategy (
  text TEXT PRIMARY KEY,
  json TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE cell (
  text TEXT PRIMARY KEY,
  workload TEXT NOT NULL REFERENCES workload(text),
  system TEXT NOT NULL,
  strategy TEXT NOT NULL REFERENCES strategy(text),
  fabric TEXT NOT NULL,
  ranks INTEGER NOT NULL CHECK (ranks >= 1)
) WITHOUT ROWID;

CREATE TABLE campaign (
  id TEXT PRIMARY KEY,
  number INTEGER NOT NULL UNIQUE,
  status TEXT NOT NULL CHECK (status IN ('running', 'finished', 'interrupted', 'failed')),
  suite TEXT NOT NULL,
  suite_json TEXT NOT NULL,
  command_line TEXT NOT NULL,
  planned_json TEXT NOT NULL,
  planned_launches INTEGER NOT NULL,
  started_utc_ns INTEGER NOT NULL,
  ended_utc_ns INTEGER NOT NULL,
  host TEXT NOT NULL,
  user TEXT NOT NULL,
  version TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE launch (
  id TEXT PRIMARY KEY,
  campaign TEXT NOT NULL REFERENCES campaign(id),
  number INTEGER NOT NULL,
  cell TEXT NOT NULL REFERENCES cell(text),
  environment TEXT REFERENCES environment(hash),
  repetition INTEGER NOT NULL,
  block INTEGER NOT NULL,
  seed INTEGER NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('time', 'verify', 'profile', 'converge')),
  status TEXT NOT NULL CHECK (status IN ('planned', 'running', 'finished', 'failed', 'skipped', 'interrupted')),
  error_kind TEXT NOT NULL,
  error_message TEXT NOT NULL,
  ended_by TEXT NOT NULL,
  steps INTEGER NOT NULL,
  warmup INTEGER NOT NULL,
  threads INTEGER NOT NULL,
  started_utc_ns INTEGER NOT NULL,
  ended_utc_ns INTEGER NOT NULL,
  started_mono_ns INTEGER NOT NULL,
  ended_mono_ns INTEGER NOT NULL,
  load_before REAL,
  load_after REAL,
  bad_events INTEGER NOT NULL,
  bad_events_text TEXT NOT NULL,
  supervisor_json TEXT NOT NULL,
  run_folder TEXT NOT NULL,
  git_json TEXT NOT NULL,
  UNIQUE (campaign, number)
) WITHOUT ROWID;
CREATE INDEX launch_by_cell ON launch (cell);

CREATE TABLE launch_mark (
  launch TEXT NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (launch, position)
) WITHOUT ROWID;

CREATE TABLE process (
  launch TEXT NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  rank INTEGER NOT NULL,
  role TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  exit_code INTEGER,
  signal INTEGER,
  peak_rss_bytes INTEGER,
  peak_pss_bytes INTEGER,
  device_bytes INTEGER
);
CREATE INDEX process_by_launch ON process (launch);

-- A column of numbers, an entry a step. encoding: f64 and i64 are packed little-endian; f64_const and i64_const hold
-- one value that stands for all `count`; i64_delta is the first value as i64, then zigzag LEB128 differences.
CREATE TABLE series (
  launch TEXT NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  rank INTEGER NOT NULL,
  name TEXT NOT NULL,
  unit TEXT NOT NULL,
  count INTEGER NOT NULL,
  encoding TEXT NOT NULL CHECK (encoding IN ('f64', 'i64', 'f64_const', 'i64_const', 'i64_delta')),
  data BLOB NOT NULL,
  UNIQUE (launch, rank, name)
);

CREATE TABLE evaluation (
  launch TEXT NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  rank INTEGER NOT NULL,
  step INTEGER NOT NULL,
  samples_seen INTEGER NOT NULL,
  metric TEXT NOT NULL,
  value REAL,
  weights TEXT NOT NULL,
  mono_ns INTEGER NOT NULL
);
CREATE INDEX evaluation_by_launch ON evaluation (launch);

CREATE TABLE memory (
  launch TEXT NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  rank INTEGER NOT NULL,
  category TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  peak_bytes INTEGER NOT NULL
);
CREATE INDEX memory_by_launch ON memory (launch);

CREATE TABLE metric (
  launch TEXT NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  rank INTEGER NOT NULL,
  step INTEGER NOT NULL,
  name TEXT NOT NULL,
  unit TEXT NOT NULL,
  value REAL
);
CREATE INDEX metric_by_launch ON metric (launch);

-- has_gradient tells a gradient norm that is NaN (1, NULL) from one that was not taken (0, NULL).
CREATE TABLE fingerprint (
  launch TEXT NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  step INTEGER NOT NULL,
  tensor TEXT NOT NULL,
  parameter_norm REAL,
  has_gradient INTEGER NOT NULL,
  gradient_norm REAL
);
CREATE INDEX fingerprint_by_launch ON fingerprint (launch);

CREATE TABLE artifact (
  launch TEXT NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  path TEXT NOT NULL,
  format TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  hash TEXT NOT NULL
);
CREATE INDEX artifact_by_launch ON artifact (launch);

CREATE TABLE system (
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  manifest_json TEXT NOT NULL,
  probe_json TEXT NOT NULL,
  claims_json TEXT NOT NULL,
  PRIMARY KEY (name, hash)
) WITHOUT ROWID;

CREATE TABLE proof (
  id TEXT PRIMARY KEY,
  cell TEXT NOT NULL REFERENCES cell(text),
  environment TEXT NOT NULL REFERENCES environment(hash),
  state TEXT NOT NULL CHECK (state IN ('none', 'held', 'failed', 'reference')),
  launch TEXT NOT NULL,
  reference_launch TEXT NOT NULL,
  compared_json TEXT NOT NULL,
  differences_json TEXT NOT NULL,
  worst REAL,
  reason TEXT NOT NULL,
  at_utc_ns INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX proof_by_cell ON proof (cell, environment);

-- What people say, with who and when.
CREATE TABLE tag (
  text TEXT PRIMARY KEY,
  campaign TEXT NOT NULL REFERENCES campaign(id),
  who TEXT NOT NULL,
  at_utc_ns INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE note (
  id TEXT PRIMARY KEY,
  campaign TEXT REFERENCES campaign(id),
  launch TEXT REFERENCES launch(id),
  text TEXT NOT NULL,
  who TEXT NOT NULL,
  at_utc_ns INTEGER NOT NULL,
  CHECK ((campaign IS NULL) <> (launch IS NULL))
) WITHOUT ROWID;

-- Views for the common questions, with readable times.
CREATE VIEW campaigns AS
SELECT '@' || c.number AS selector, c.suite, c.status, c.planned_launches,
       (SELECT count(*) FROM launch l WHERE l.campaign = c.id AND l.status = 'finished') AS finished_launches,
       (SELECT count(*) FROM launch l WHERE l.campaign = c.id AND l.status = 'failed') AS failed_launches,
       strftime('%Y-%m-%dT%H:%M:%fZ', c.started_utc_ns / 1e9, 'unixepoch') AS started_utc,
       CASE c.ended_utc_ns WHEN 0 THEN NULL
         ELSE strftime('%Y-%m-%dT%H:%M:%fZ', c.ended_utc_ns / 1e9, 'unixepoch') END AS ended_utc,
       c.host, c.user, c.version, c.command_line,
       (SELECT group_concat(t.text, ' ') FROM tag t WHERE t.campaign = c.id) AS tags
FROM campaign c;

CREATE VIEW launches AS
SELECT '@' || c.number || '.' || l.number AS selector, l.cell, e.workload, e.system, e.strategy, e.fabric, e.ranks,
       l.mode, l.status, l.block, l.repetition, l.seed, l.steps, l.warmup, l.threads,
       l.error_kind, l.error_message, l.ended_by,
       (l.ended_mono_ns - l.started_mono_ns) / 1e9 AS seconds,
       strftime('%Y-%m-%dT%H:%M:%fZ', l.started_utc_ns / 1e9, 'unixepoch') AS started_utc,
       (SELECT sum(coalesce(p.peak_pss_bytes, p.peak_rss_bytes)) FROM process p WHERE p.launch = l.id) AS peak_memory_bytes,
       l.load_before, l.load_after, l.run_folder, l.environment, l.id AS launch, c.id AS campaign
FROM launch l JOIN campaign c ON c.id = l.campaign JOIN cell e ON e.text = l.cell;

CREATE VIEW latest_proofs AS
SELECT p.* FROM proof p
WHERE p.id = (SELECT q.id FROM proof q WHERE q.cell = p.cell AND q.environment = p.environment
              ORDER BY q.at_utc_ns DESC, q.id DESC LIMIT 1);
