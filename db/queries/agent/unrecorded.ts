import type { Pool } from 'pg';

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

/** A transaction that names a wallet. */
export interface WalletTransaction {
  walletId: string;
  digest: string;
}

/** Returns those of the transactions that no run of their wallet has. */
export async function readUnrecorded(
  db: Pool,
  network: string,
  transactions: readonly WalletTransaction[],
): Promise<WalletTransaction[]> {
  if (transactions.length === 0) return [];
  const { rows } = await db.query<WalletTransaction>({
    name: 'agent-unrecorded',
    text: `select t.wallet_id as "walletId", t.digest
      from unnest($2::text[], $3::text[]) as t (wallet_id, digest)
      where not exists (select from agent_runs r
        where r.network = $1 and r.wallet_id = t.wallet_id and r.digest = t.digest)`,
    values: [
      network,
      transactions.map(({ walletId }) => walletId),
      transactions.map(({ digest }) => digest),
    ],
  });
  return rows;
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
