import type { Pool } from 'pg';

/** An executor key without the key. Times are milliseconds since the epoch. */
export interface ExecutorKey {
  id: string;
  network: string;
  walletId: string;
  label: string | null;
  createdMs: number;
}

interface KeyRow extends Omit<ExecutorKey, 'createdMs'> {
  created_at: Date;
}

const columns = 'id, network, wallet_id as "walletId", label, created_at';
const toKey = ({ created_at, ...row }: KeyRow): ExecutorKey => ({ ...row, createdMs: created_at.getTime() });

/** Keeps a key by its digest; one that is there already stays as it is. */
export async function addKey(
  db: Pool,
  { digest, ...key }: Omit<ExecutorKey, 'createdMs'> & { digest: string; createdAt: Date },
): Promise<void> {
  await db.query(
    `insert into agent_keys (id, digest, network, wallet_id, label, created_at)
      values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [key.id, digest, key.network, key.walletId, key.label, key.createdAt],
  );
}

/** Undefined for a key that is wrong or revoked. */
export async function findKey(db: Pool, digest: string): Promise<ExecutorKey | undefined> {
  const { rows } = await db.query<KeyRow>({
    name: 'agent-key',
    text: `select ${columns} from agent_keys where digest = $1 and revoked_at is null`,
    values: [digest],
  });
  return rows[0] && toKey(rows[0]);
}

/** Keys that are good, oldest first. */
export async function listKeys(
  db: Pool,
  { walletId, limit }: { walletId: string | undefined; limit: number },
): Promise<ExecutorKey[]> {
  const { rows } = await db.query<KeyRow>(
    `select ${columns} from agent_keys where revoked_at is null and ($1::text is null or wallet_id = $1)
      order by created_at, id limit $2`,
    [walletId ?? null, limit],
  );
  return rows.map(toKey);
}

/** False where there is no such key that was good. */
export async function revokeKey(db: Pool, id: string, revokedAt: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'update agent_keys set revoked_at = $2 where id = $1 and revoked_at is null',
    [id, revokedAt],
  );
  return rowCount === 1;
}
