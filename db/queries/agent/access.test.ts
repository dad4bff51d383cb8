import { expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { addKey, operator, revokeKeys } from './access.ts';

const db = useTestDatabase();

const at = (minute: number) => new Date(Date.UTC(2026, 2, 14, 12, minute));
const [network, walletId] = ['testnet', 'wallet'];

async function issue(
  id: string,
  minute: number,
  { issuedBy = 'owner', expiresAt = null as Date | null } = {},
) {
  const key = { id, digest: `digest of ${id}`, network, walletId, label: null, issuedBy, scope: {} };
  return await addKey(db.pool, { ...key, createdAt: at(minute), expiresAt }, 3);
}

async function storedIds(): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>('select id from agent_keys order by created_at, id');
  return rows.map(({ id }) => id);
}

test('an owner who makes and revokes keys without end leaves as many rows as keys may work, and the operator’s', async () => {
  await db.pool.query(
    `insert into wallets (network, wallet_id, owner, identity, created_at, created_checkpoint, created_tx_index,
       created_event_index) values ($1, $2, 'owner', 'identity', now(), 0, 0, 0)`,
    [network, walletId],
  );
  await issue('of the operator', 0, { issuedBy: operator });
  await revokeKeys(db.pool, ['of the operator'], at(0));
  await issue('expired', 1, { expiresAt: at(2) });
  for (let minute = 3; minute < 13; minute += 1) {
    expect(await issue(`revoked ${minute}`, minute)).toBe(true);
    await revokeKeys(db.pool, [`revoked ${minute}`], at(minute));
  }
  await issue('works', 13);
  expect(await storedIds()).toEqual(['of the operator', 'revoked 10', 'revoked 11', 'revoked 12', 'works']);
});
