import type { Pool } from 'pg';

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

/** Opens a session with a nonce; false where the nonce was used before. */
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

/** Undefined for a token that is wrong, or whose time is over at `now`. */
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
