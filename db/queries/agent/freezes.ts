import type { Pool } from 'pg';

/** Where nothing is signed; `*` stands for all. Times are milliseconds since the epoch. */
export interface Freeze {
  network: string;
  walletId: string;
  reason: string;
  frozenMs: number;
}

interface FreezeRow extends Omit<Freeze, 'frozenMs'> {
  frozen_at: Date;
}

/** Freezes, or changes the reason of what is frozen. */
export async function freeze(
  db: Pool,
  { network, walletId, reason, frozenAt }: Omit<Freeze, 'frozenMs'> & { frozenAt: Date },
): Promise<void> {
  await db.query(
    `insert into agent_freezes (network, wallet_id, reason, frozen_at) values ($1, $2, $3, $4)
      on conflict (network, wallet_id) do update set reason = excluded.reason`,
    [network, walletId, reason, frozenAt],
  );
}

/** False where this was not frozen. */
export async function unfreeze(
  db: Pool,
  { network, walletId }: Pick<Freeze, 'network' | 'walletId'>,
): Promise<boolean> {
  const { rowCount } = await db.query('delete from agent_freezes where network = $1 and wallet_id = $2', [
    network,
    walletId,
  ]);
  return rowCount === 1;
}

/** The newest first. */
export async function listFreezes(db: Pool, limit: number): Promise<Freeze[]> {
  const { rows } = await db.query<FreezeRow>(
    `select network, wallet_id as "walletId", reason, frozen_at from agent_freezes
      order by frozen_at desc limit $1`,
    [limit],
  );
  return rows.map(({ frozen_at, ...row }) => ({ ...row, frozenMs: frozen_at.getTime() }));
}
