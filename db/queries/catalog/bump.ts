import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';

/** Tells that what the catalog shows may be different now: a new version, and a notification with the commit. */
export async function bumpCatalog(client: ClientBase, network: Network): Promise<void> {
  await client.query({
    name: 'bump-catalog',
    text: `with bumped as (
        insert into catalog_state (network, version) values ($1, 1)
        on conflict (network) do update set version = catalog_state.version + 1, changed_at = now()
        returning network)
      select pg_notify('catalog', network) from bumped`,
    values: [network],
  });
}
