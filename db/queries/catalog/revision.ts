import type { ClientBase } from 'pg';

/** The catalog of a network while one transaction writes it. */
export interface LockedCatalog {
  network: string;
  /** Revision of everything that this transaction changes. */
  revision: number;
}

/**
 * Locks a network's catalog until the end of the transaction. Take it after all other locks, and before you read the
 * data that you write into it: a statement that waits for a lock still sees the state from before its wait.
 */
export async function lockCatalog(client: ClientBase, network: string): Promise<LockedCatalog> {
  const { rows } = await client.query<{ version: number }>({
    name: 'lock-catalog',
    text: `insert into catalog_state (network, version) values ($1, 0)
      on conflict (network) do update set version = catalog_state.version returning version`,
    values: [network],
  });
  return { network, revision: rows[0]!.version + 1 };
}

/** Stores the revision as the network's, and notifies channel `catalog` when the transaction commits. */
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
