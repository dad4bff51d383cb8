import type { ClientBase, Pool } from 'pg';
import { createQueryBuilder } from '../../client.ts';
import { lockUntilCommit } from '../../lock.ts';
import { eq } from '../../orm/drizzle.ts';
import { type Item, type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { inTransaction } from '../../transaction.ts';

/** Issuer of keys that the operator created. Any other issuer is the address of a wallet's owner. */
export const operator = 'operator';

const columns = readColumns(tables.agentKeys, ['id', 'network', 'walletId', 'label', 'issuedBy', 'scope'], {
  createdMs: 'createdAt',
  expiresMs: 'expiresAt',
});

type KeyRow = Row<typeof columns>;

/** An executor key without the key. Times are milliseconds since the epoch. */
export type ExecutorKey = Item<typeof columns>;

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

type NewKey = Omit<typeof tables.agentKeys.$inferSelect, 'revokedAt'>;

/**
 * Deletes the keys of a wallet that ended first, beyond the latest `$4`. An owner can make and revoke keys without end.
 * Keys of the operator stay, so that a key with a fixed digest does not work again after it was revoked.
 */
const forgetEndedSql = `
delete from agent_keys where id in (
  select id from agent_keys
  where network = $1 and wallet_id = $2 and issued_by <> '${operator}' and (revoked_at is not null or expires_at <= $3)
  order by coalesce(revoked_at, expires_at) desc, id offset $4)`;

/**
 * Stores a key by its digest. A key that is already stored stays as it is. Returns `false` if the wallet already has
 * `most` working keys. As many of its owners' keys that have ended stay beside them.
 */
export async function addKey(db: Pool, key: NewKey, most: number): Promise<boolean> {
  return await inTransaction(db, async (client) => {
    // One wallet's keys are counted and added by one transaction at a time.
    await lockUntilCommit(client, `agent keys ${key.network} ${key.walletId}`);
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int from agent_keys k where k.network = $1 and k.wallet_id = $2 and ${works('$3')}`,
      [key.network, key.walletId, key.createdAt],
    );
    if ((rows[0]?.count ?? 0) >= most) return false;
    await client.query(forgetEndedSql, [key.network, key.walletId, key.createdAt, most]);
    await createQueryBuilder(client).insert(tables.agentKeys).values(key).onConflictDoNothing();
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
    text: `select ${columns.select('k')}, ${issuerHolds} as "issuerHolds" from agent_keys k
      where k.digest = $1 and k.revoked_at is null`,
    values: [digest],
  });
  const [row] = rows;
  return row && { ...columns.toItem(row), issuerHolds: row.issuerHolds };
}

interface KeysQuery {
  network?: string | undefined;
  walletId?: string | undefined;
  now: Date;
  limit: number;
}

/** Keys that work, oldest first. */
export async function listKeys(
  db: Pool,
  { network, walletId, now, limit }: KeysQuery,
): Promise<ExecutorKey[]> {
  const { rows } = await db.query<KeyRow>(
    `select ${columns.select('k')} from agent_keys k where ${works('$1')}
      and ($2::text is null or k.network = $2) and ($3::text is null or k.wallet_id = $3)
      order by k.created_at, k.id limit $4`,
    [now, network ?? null, walletId ?? null, limit],
  );
  return rows.map(columns.toItem);
}

/** Reads a key that is not revoked by its id, even if it does not work. */
export async function readKey(
  db: Pool | ClientBase,
  id: string,
  lock: '' | 'for update' = '',
): Promise<ExecutorKey | undefined> {
  const { rows } = await db.query<KeyRow>(
    `select ${columns.select('k')} from agent_keys k where k.id = $1 and k.revoked_at is null ${lock}`,
    [id],
  );
  return rows[0] && columns.toItem(rows[0]);
}

/** Reads those of the keys that are not revoked. */
export async function readKeys(db: Pool, ids: readonly string[]): Promise<ExecutorKey[]> {
  const { rows } = await db.query<KeyRow>(
    `select ${columns.select('k')} from agent_keys k where k.id = any ($1::text[]) and k.revoked_at is null`,
    [ids],
  );
  return rows.map(columns.toItem);
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
    await createQueryBuilder(client)
      .update(tables.agentKeys)
      .set({ label, scope, expiresAt })
      .where(eq(tables.agentKeys.id, id));
    return { ...key, label, scope, expiresMs };
  });
}

/** Revokes keys. @returns the ids of those that exist and were not revoked */
export async function revokeKeys(db: Pool, ids: readonly string[], revokedAt: Date): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    'update agent_keys set revoked_at = $2 where id = any ($1::text[]) and revoked_at is null returning id',
    [ids, revokedAt],
  );
  return rows.map(({ id }) => id);
}

/** State of the key that requested a run. `good` also covers runs that no key requested. */
export type KeyStanding = 'good' | 'ended' | 'changed';

/**
 * SQL expression for the state of the key that requested the run `r`, as of `at`. A key whose scope is not `scope`
 * (jsonb) was narrowed after the run was checked against it.
 */
export const buildKeyStandingSql = (at: string, scope: string) => `
  case when r.caller not like 'key:%' then 'good' else coalesce((
    select case when not (${works(at)}) then 'ended' when k.scope <> ${scope} then 'changed' else 'good' end
    from agent_keys k where k.id = substr(r.caller, 5)
  ), 'ended') end`;

const sessionColumns = readColumns(tables.agentSessions, ['address', 'expiresAt']);

type Session = Row<typeof sessionColumns>;

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
  const { rows } = await db.query<Session>({
    name: 'agent-session',
    text: `select ${sessionColumns.select('s')} from agent_sessions s where s.digest = $1 and s.expires_at > $2`,
    values: [digest, now],
  });
  return rows[0];
}

/** Closes sessions. @returns the addresses of those that were open */
export async function closeSessions(db: Pool, digests: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ address: string }>(
    'delete from agent_sessions where digest = any ($1::text[]) returning address',
    [digests],
  );
  return rows.map(({ address }) => address);
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
