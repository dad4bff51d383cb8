/** Marks a file as ours ("SLN1"), so that a foreign database is refused instead of filled. */
export const applicationId = 0x534c4e31;

/** Raised with every change of the tables below, and of what genesis creates; another version's file is refused. */
export const schemaVersion = 8;

/**
 * Ids and addresses are 32-byte blobs, digests base58 text, u64 amounts decimal text (SQLite's integers are
 * signed). Versions, checkpoints and times stay far below 2^53 and are integers.
 *
 * `transactions.sequence` numbers transactions since genesis. A checkpoint holds what executed since the one
 * before, so the order of `sequence` is the order of the ledger, and a transaction's checkpoint and index are
 * known when it executes: building a checkpoint rewrites no transaction.
 */
export const schema = `
CREATE TABLE metadata (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE types (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- Rows are appended: with their contents in the order of random ids, each would be in another page.
CREATE TABLE object_versions (
  id INTEGER PRIMARY KEY,
  object_id BLOB NOT NULL,
  version INTEGER NOT NULL,
  digest TEXT NOT NULL,
  -- Absent for packages, whose contents are BCS of MovePackage.
  type_id INTEGER,
  owner_kind INTEGER NOT NULL,
  -- Address, parent object, or nothing.
  owner BLOB,
  -- Of party objects too: the version from which on consensus orders them.
  initial_shared_version INTEGER,
  public_transfer INTEGER NOT NULL,
  contents BLOB NOT NULL,
  previous_transaction TEXT NOT NULL,
  storage_rebate INTEGER NOT NULL,
  -- 1 of the newest version of an object that was deleted or wrapped.
  gone INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE UNIQUE INDEX object_versions_by_object ON object_versions (object_id, version);

-- Live objects of an address or a parent object.
CREATE TABLE owned_objects (
  owner_kind INTEGER NOT NULL,
  owner BLOB NOT NULL,
  type_id INTEGER NOT NULL,
  -- 2^64 - 1 - balance, big-endian, for coins: richest first.
  inverted_balance BLOB NOT NULL,
  object_id BLOB NOT NULL,
  PRIMARY KEY (owner_kind, owner, type_id, inverted_balance, object_id)
) STRICT, WITHOUT ROWID;

-- Objects that describe a coin: its metadata and its treasury, which anybody may own.
CREATE TABLE currency_objects (
  type_id INTEGER NOT NULL,
  object_id BLOB NOT NULL,
  PRIMARY KEY (type_id, object_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE package_versions (
  original_id BLOB NOT NULL,
  version INTEGER NOT NULL,
  package_id BLOB NOT NULL UNIQUE,
  PRIMARY KEY (original_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE balances (
  owner BLOB NOT NULL,
  coin_type TEXT NOT NULL,
  -- In coins that an address owns, and in funds of an address or an object.
  coins TEXT NOT NULL,
  funds TEXT NOT NULL,
  PRIMARY KEY (owner, coin_type)
) STRICT, WITHOUT ROWID;

CREATE TABLE transactions (
  sequence INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  checkpoint INTEGER NOT NULL,
  transaction_index INTEGER NOT NULL,
  bcs BLOB NOT NULL,
  signatures TEXT NOT NULL,
  effects_bcs BLOB NOT NULL,
  effects_digest TEXT NOT NULL,
  events_bcs BLOB,
  events_digest TEXT,
  failure_description TEXT,
  balance_changes TEXT NOT NULL,
  -- JSON: arrays of id, type, change, version before, version after.
  objects TEXT NOT NULL,
  -- JSON: its keys in transaction_keys, for pruning.
  keys TEXT NOT NULL
) STRICT;

-- key: a hash, see keyNumber.
CREATE TABLE transaction_keys (
  key INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  PRIMARY KEY (key, sequence)
) STRICT, WITHOUT ROWID;

-- Without those that follow from the one before: see CheckpointStore.
CREATE TABLE checkpoints (
  sequence INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  timestamp_ms INTEGER NOT NULL,
  -- First transaction (transactions.sequence), and how many.
  first_transaction INTEGER NOT NULL,
  transaction_count INTEGER NOT NULL,
  summary_bcs BLOB NOT NULL,
  contents_bcs BLOB NOT NULL
) STRICT;

-- At most one row: how many checkpoints there are behind the last of the table above.
CREATE TABLE quiet_checkpoints (
  id INTEGER PRIMARY KEY CHECK (id = 0),
  count INTEGER NOT NULL
) STRICT;
`;

/** Every table, in an order in which they can be emptied. */
export const tables = [...schema.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name!);
