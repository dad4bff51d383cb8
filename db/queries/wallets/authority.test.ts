import { beforeAll, expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { address } from '../../../test/support/read-model.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';
import { type AuthorityKey, readAuthority } from './authority.ts';

const [owner, agent, other] = [address(1), address(2), address(3)] as [string, string, string];
const service = `${address(5)}::m::Service`;
const [sui, usd, anyCoin] = ['sui::SUI', 'usd::USD', 'wallet::AnyCoin'].map(
  (name) => `${address(6)}::${name}`,
) as [string, string, string];

let walletId: string;
const db = useTestDatabase();
beforeAll(async () => {
  const rows = walletRows(db);
  walletId = await rows.wallet(owner);
  await rows.delegate(walletId, agent);
  await rows.allowance(walletId, agent, 'service', service, '7');
  await rows.allowance(walletId, agent, 'coin', sui, '8');
  await rows.allowance(walletId, agent, 'coin', usd, '9');
  await rows.delegate(walletId, other);
  await rows.allowance(walletId, other, 'service', service, '99');
  const elsewhere = await rows.wallet(owner);
  for (const [of, coin, allowance] of [
    [walletId, sui, '5'],
    [walletId, usd, '6'],
    [elsewhere, sui, '50'],
  ] as const) {
    await rows.grant(of, service, coin, allowance);
  }
  await rows.grant(walletId, `${service}2`, anyCoin, '4');
});

const read = (key: Partial<AuthorityKey> = {}) =>
  readAuthority(db.pool, {
    network: 'testnet',
    walletId,
    sender: agent,
    services: [service],
    coins: [sui],
    ...key,
  });

test("a sender's own budgets of the services and coins asked about come back, and the wallet's grants", async () => {
  expect(await read()).toMatchObject({
    owner,
    paused: false,
    delegate: { expiresMs: null, services: new Map([[service, 7n]]), coins: new Map([[sui, 8n]]) },
    grants: expect.arrayContaining([{ serviceType: service, coin: sui, allowance: '5' }]),
  });
});

test('of a service without a grant of the coin, one of another coin comes back', async () => {
  const { grants } = (await read({ coins: [] }))!;
  expect(grants).toEqual([{ serviceType: service, coin: sui, allowance: '5' }]);
});

test('a grant of any coin comes back whatever coin is asked about', async () => {
  const { grants } = (await read({ services: [`${service}2`] }))!;
  expect(grants).toEqual([{ serviceType: `${service}2`, coin: anyCoin, allowance: '4' }]);
});

test('a stranger is not a delegate, and of an unknown wallet nothing is known', async () => {
  expect((await read({ sender: address(9) }))?.delegate).toBeUndefined();
  expect(await read({ walletId: address(9) })).toBeUndefined();
  expect(await read({ network: 'mainnet' })).toBeUndefined();
});
