import type { ClientBase, Pool } from 'pg';
import type { KeyScope } from '../../schema/agent-access.ts';
import { inTransaction } from '../../transaction.ts';

/** Issuer of keys that the operator created. Any other issuer is the address of a wallet's owner. */
export const operator = 'operator';

/** An executor key without the key. Times are milliseconds since the epoch. */
export interface ExecutorKey {
  id: string;
  network: string;
  walletId: string;
  label: string | null;
  /** `operator`, or the address of the owner who made it. */
  issuedBy: string;
  scope: KeyScope;
  createdMs: number;
  /** Null: it does not expire. */
  expiresMs: number | null;
}

interface KeyRow extends Omit<ExecutorKey, 'createdMs' | 'expiresMs'> {
  created_at: Date;
  expires_at: Date | null;
}

const columns =
  'k.id, k.network, k.wallet_id as "walletId", k.label, k.issued_by as "issuedBy", k.scope, k.created_at, k.expires_at';
const toKey = ({ created_at, expires_at, ...row }: KeyRow): ExecutorKey => ({
  ...row,
  createdMs: created_at.getTime(),
  expiresMs: expires_at?.getTime() ?? null,
});

/**
 * SQL condition: the issuer of key `k` has authority over the wallet. The operator always has it, an owner while the
 * wallet is theirs.
 */
const issuerHolds = `(k.issued_by = '${operator}' or exists (select from wallets w
  where w.network = k.network and w.wallet_id = k.wallet_id and w.owner = k.issued_by))`;

/**
 * SQL condition: key `k` works at the time of the expression `at`. It is neither revoked nor expired, and its issuer
 * still has authority over the wallet.
 */
const works = (at: string) =>
  `k.revoked_at is null and (k.expires_at is null or k.expires_at > ${at}) and ${issuerHolds}`;

interface NewKey extends Omit<ExecutorKey, 'createdMs' | 'expiresMs'> {
  digest: string;
  createdAt: Date;
  expiresAt: Date | null;
}

/**
 * Stores a key by its digest. A key that is already stored stays as it is. Returns `false` if the wallet already has
 * `most` working keys.
 */
export async function addKey(db: Pool, { digest, ...key }: NewKey, most: number): Promise<boolean> {
  return await inTransaction(db, async (client) => {
    // One wallet's keys are counted and added by one transaction at a time.
    await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `agent keys ${key.network} ${key.walletId}`,
    ]);
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int from agent_keys k where k.network = $1 and k.wallet_id = $2 and ${works('$3')}`,
      [key.network, key.walletId, key.createdAt],
    );
    if ((rows[0]?.count ?? 0) >= most) return false;
    await client.query(
      `insert into agent_keys (id, digest, network, wallet_id, label, issued_by, scope, created_at, expires_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
      [
        ...[key.id, digest, key.network, key.walletId, key.label],
        ...[key.issuedBy, key.scope, key.createdAt, key.expiresAt],
      ],
    );
    return true;
  });
}

/**
 * Finds a key that is not revoked, and checks that its issuer has authority over the wallet. Undefined if there is
 * none.
 */
export async function findKey(
  db: Pool,
  digest: string,
): Promise<(ExecutorKey & { issuerHolds: boolean }) | undefined> {
  const { rows } = await db.query<KeyRow & { issuerHolds: boolean }>({
    name: 'agent-key',
    text: `select ${columns}, ${issuerHolds} as "issuerHolds" from agent_keys k
      where k.digest = $1 and k.revoked_at is null`,
    values: [digest],
  });
  const [row] = rows;
  return row && { ...toKey(row), issuerHolds: row.issuerHolds };
}

interface KeysQuestion {
  network?: string | undefined;
  walletId?: string | undefined;
  now: Date;
  limit: number;
}

/** Keys that work, oldest first. */
export async function listKeys(
  db: Pool,
  { network, walletId, now, limit }: KeysQuestion,
): Promise<ExecutorKey[]> {
  const { rows } = await db.query<KeyRow>(
    `select ${columns} from agent_keys k where ${works('$1')}
      and ($2::text is null or k.network = $2) and ($3::text is null or k.wallet_id = $3)
      order by k.created_at, k.id limit $4`,
    [now, network ?? null, walletId ?? null, limit],
  );
  return rows.map(toKey);
}

/** Reads a key that is not revoked by its id, even if it does not work. */
export async function readKey(
  db: Pool | ClientBase,
  id: string,
  lock: '' | 'for update' = '',
): Promise<ExecutorKey | undefined> {
  const { rows } = await db.query<KeyRow>(
    `select ${columns} from agent_keys k where k.id = $1 and k.revoked_at is null ${lock}`,
    [id],
  );
  return rows[0] && toKey(rows[0]);
}

type KeyChange = Pick<ExecutorKey, 'label' | 'scope' | 'expiresMs'>;

/**
 * Replaces a key with the result of `change`. If `change` throws, the key stays as it is. Undefined if the key does not
 * exist or was revoked.
 */
export async function changeKey(
  db: Pool,
  id: string,
  change: (key: ExecutorKey) => KeyChange,
): Promise<ExecutorKey | undefined> {
  return await inTransaction(db, async (client) => {
    const key = await readKey(client, id, 'for update');
    if (!key) return undefined;
    const { label, scope, expiresMs } = change(key);
    const expiresAt = expiresMs === null ? null : new Date(expiresMs);
    await client.query('update agent_keys set label = $2, scope = $3, expires_at = $4 where id = $1', [
      ...[id, label, scope, expiresAt],
    ]);
    return { ...key, label, scope, expiresMs };
  });
}

/** Returns `false` if the key does not exist or was already revoked. */
export async function revokeKey(db: Pool, id: string, revokedAt: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'update agent_keys set revoked_at = $2 where id = $1 and revoked_at is null',
    [id, revokedAt],
  );
  return rowCount === 1;
}

/** State of the key that requested a run. `good` also covers runs that no key requested. */
export type KeyStanding = 'good' | 'ended' | 'changed';

/**
 * SQL expression for the state of the key that requested the run `r`, as of `at`. A key whose scope is not `scope`
 * (jsonb) was narrowed after the run was checked against it.
 */
export const keyStandingSql = (at: string, scope: string) => `
  case when r.caller not like 'key:%' then 'good' else coalesce((
    select case when not (${works(at)}) then 'ended' when k.scope <> ${scope} then 'changed' else 'good' end
    from agent_keys k where k.id = substr(r.caller, 5)
  ), 'ended') end`;

export interface Session {
  address: string;
  expiresAt: Date;
}

const openSql = `
with stale_nonces as (delete from agent_used_nonces where expires_at <= $3),
stale as (delete from agent_sessions where expires_at <= $3),
used as (
  insert into agent_used_nonces (nonce, expires_at) values ($1, $2) on conflict do nothing returning nonce
)
insert into agent_sessions (digest, address, created_at, expires_at)
select $4, $5, $3, $6 from used`;

/** Opens a session with a nonce. Returns `false` if the nonce was used before. */
export async function openSession(
  db: Pool,
  nonce: { nonce: string; expiresAt: Date },
  session: Session & { digest: string; createdAt: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(openSql, [
    nonce.nonce,
    nonce.expiresAt,
    session.createdAt,
    session.digest,
    session.address,
    session.expiresAt,
  ]);
  return rowCount === 1;
}

/** Undefined if the token is unknown or has expired at `now`. */
export async function findSession(db: Pool, digest: string, now: Date): Promise<Session | undefined> {
  const { rows } = await db.query<{ address: string; expires_at: Date }>({
    name: 'agent-session',
    text: 'select address, expires_at from agent_sessions where digest = $1 and expires_at > $2',
    values: [digest, now],
  });
  return rows[0] && { address: rows[0].address, expiresAt: rows[0].expires_at };
}

export async function closeSession(db: Pool, digest: string): Promise<void> {
  await db.query('delete from agent_sessions where digest = $1', [digest]);
}

/**
 * Returns those addresses that have a grant from the wallet: its delegates, and the recipients of caps that its owner
 * minted. A cap that was split off another cap does not count, because its holder chose the recipient.
 */
export async function readGranted(
  db: Pool,
  { network, walletId }: { network: string; walletId: string },
  addresses: readonly string[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ address: string }>({
    name: 'agent-granted',
    text: `
select delegate as address from delegates where network = $1 and wallet_id = $2 and delegate = any ($3::text[])
union
select recipient from caps where network = $1 and wallet_id = $2 and recipient = any ($3::text[])
  and parent is null and revoked_at is null and burned_at is null`,
    values: [network, walletId, addresses],
  });
  return new Set(rows.map(({ address }) => address));
}
