import type { Pool } from 'pg';
import { toColumns } from '../queryable.ts';

/** Reads the version of each gas coin of a payer, as the database has it. */
export async function readKnownVersions(
  db: Pool,
  { network, payer }: { network: string; payer: string },
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.query<{ coinId: string; version: number }>({
    name: 'agent-known-versions',
    text: `select coin_id as "coinId", version from agent_gas_coins where network = $1 and payer = $2`,
    values: [network, payer],
  });
  return new Map(rows.map(({ coinId, version }) => [coinId, version]));
}

/** A transaction, and the wallets that its events name. */
export interface WalletTransaction {
  digest: string;
  walletIds: readonly string[];
}

/**
 * Returns those of the transactions that name a wallet and that no run has. Runs are looked up by the wallets, for which
 * there is an index, and only what is not found so by the digest alone.
 */
export async function readUnrecorded(
  db: Pool,
  network: string,
  transactions: readonly WalletTransaction[],
): Promise<WalletTransaction[]> {
  const named = transactions.flatMap(({ digest, walletIds }) =>
    walletIds.map((walletId) => ({ digest, walletId })),
  );
  if (named.length === 0) return [];
  const { rows } = await db.query<{ digest: string }>({
    name: 'agent-recorded',
    text: `select distinct r.digest from unnest($2::text[], $3::text[]) as t (digest, wallet_id)
      join agent_runs r on r.network = $1 and r.wallet_id = t.wallet_id and r.digest = t.digest`,
    values: [network, ...toColumns(named, 'digest', 'walletId')],
  });
  const recorded = new Set(rows.map(({ digest }) => digest));
  const suspects = transactions.filter(
    ({ digest, walletIds }) => walletIds.length > 0 && !recorded.has(digest),
  );
  if (suspects.length === 0) return [];
  const others = await db.query<{ digest: string }>({
    name: 'agent-recorded-anywhere',
    text: 'select digest from agent_runs where network = $1 and digest = any($2)',
    values: [network, suspects.map(({ digest }) => digest)],
  });
  const elsewhere = new Set(others.rows.map(({ digest }) => digest));
  return suspects.filter(({ digest }) => !elsewhere.has(digest));
}

/** Reads the transaction without a run for which a wallet is frozen. */
export async function readUnrecordedDigest(
  db: Pool,
  { network, walletId }: { network: string; walletId: string },
): Promise<string | undefined> {
  const { rows } = await db.query<{ digest: string | null }>({
    name: 'agent-unrecorded-digest',
    text: 'select digest from agent_freezes where network = $1 and wallet_id = $2',
    values: [network, walletId],
  });
  return rows[0]?.digest ?? undefined;
}
