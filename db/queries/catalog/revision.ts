import type { ClientBase } from 'pg';

/** The catalog of a network while one transaction writes it. */
export interface LockedCatalog {
  network: string;
  /** Revision of everything that this transaction changes. */
  revision: number;
}

/** Revisions that another database skips: more than a replica or a backup can lack. */
const skippedMax = 1_000_000;

/** SQL for the identity of the database. Promotion, and recovery to a point in time, change its timeline. */
const databaseId = `(select system_identifier from pg_control_system()) || '/'
      || (select oid from pg_database where datname = current_database()) || '/'
      || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)`;

/**
 * Locks a network's catalog until the end of the transaction. Take it after all other locks, and before you read the
 * data that you write into it: a statement that waits for a lock still sees the state from before its wait.
 *
 * A promoted replica or a restored backup may lack revisions that readers have seen. The first lock in such a database skips
 * their numbers, so that none is used again.
 */
export async function lockCatalog(client: ClientBase, network: string): Promise<LockedCatalog> {
  const { rows } = await client.query<{ version: number }>({
    name: 'lock-catalog',
    text: `insert into catalog_state as state (network, version, database_id) values ($1, 0, ${databaseId})
      on conflict (network) do update set database_id = excluded.database_id,
        version = state.version + case when state.database_id <> excluded.database_id then $2::bigint else 0 end,
        skipped = case when state.database_id <> excluded.database_id
          then state.skipped + int8multirange(int8range(state.version + 1, state.version + $2::bigint))
          else state.skipped end
      returning version`,
    values: [network, skippedMax],
  });
  return { network, revision: rows[0]!.version + 1 };
}

/** Stores the revision as the network's current one, and notifies channel `catalog` when the transaction commits. */
export async function advanceCatalog(
  client: ClientBase,
  { network, revision }: LockedCatalog,
): Promise<void> {
  await client.query({
    name: 'advance-catalog',
    text: `with advanced as (
        update catalog_state set version = $2, changed_at = now() where network = $1 and version < $2
        returning network)
      select pg_notify('catalog', network) from advanced`,
    values: [network, revision],
  });
}
