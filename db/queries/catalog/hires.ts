import type { ClientBase } from 'pg';
import type { JobResult } from '../jobs.ts';
import { toColumns } from '../queryable.ts';
import { addPayments, addUses, paymentCoin } from './credits.ts';
import { makeOwnersDue } from './due-credits.ts';
import { type LockedCatalog, lockCatalog } from './revision.ts';

/**
 * Adds completed jobs to the credits of the owners who hired the providers, and the SUI that escrow paid for the jobs to the
 * payments of these owners. It locks the catalog.
 */
export async function addHires(
  client: ClientBase,
  network: string,
  results: readonly JobResult[],
): Promise<LockedCatalog> {
  const hires = results.flatMap((job) => (job.isHire ? { ...job, owner: job.payer! } : []));
  const payers = await addPayments(
    client,
    network,
    hires.flatMap(({ owner, provider: recipient, coin, amount }) =>
      coin === paymentCoin && amount !== null ? { owner, recipient, amount } : [],
    ),
  );
  const catalog = await lockCatalog(client, network);
  if (payers.length > 0) await makeOwnersDue(client, catalog, payers);
  if (hires.length === 0) return catalog;
  await client.query({
    name: 'add-hirers',
    text: addUses(`select $1, h.provider, true, h.owner, count(*), min(w.created_at), min(h.released_at),
        max(h.released_at), null::timestamptz
      from unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[]) h (provider, owner, wallet_id, released_at)
      left join wallets w on w.network = $1 and w.wallet_id = h.wallet_id
      group by h.provider, h.owner order by h.provider, h.owner`),
    values: [network, ...toColumns(hires, 'provider', 'owner', 'walletId', 'releasedAt')],
  });
  return catalog;
}

/**
 * Queues new wallets whose jobs were indexed before them, as sources are read independently: the credits of these jobs lack
 * the age of the wallet. Call it under the catalog's lock.
 */
export async function queueWallets(
  client: ClientBase,
  { network }: LockedCatalog,
  walletIds: readonly string[],
): Promise<void> {
  await client.query({
    name: 'queue-wallets',
    text: `insert into wallets_due (network, wallet_id)
      select distinct $1, wallet_id from unnest($2::text[]) w (wallet_id)
      where exists (select from jobs j where j.network = $1 and j.wallet_id = w.wallet_id)
      order by wallet_id on conflict do nothing`,
    values: [network, walletIds],
  });
}
