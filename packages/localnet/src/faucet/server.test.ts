import { requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Localnet } from '../start.ts';
import { startTestLocalnet } from '../testing/start.ts';
import { faucetGrant } from './faucet.ts';

let localnet: Localnet;
beforeAll(async () => {
  localnet = await startTestLocalnet();
});
afterAll(() => localnet.close());

const post = (path: string, body: string) =>
  fetch(new URL(path, localnet.faucetUrl), { method: 'POST', body });
const address = (digit: string) => `0x${digit.padStart(64, '0')}`;
const balance = (owner: string) => localnet.ledger.getBalance(owner, '0x2::sui::SUI').coins;
const grant = BigInt(faucetGrant.coins) * faucetGrant.mistPerCoin;

test('the SDK gets coins for an address, and they are there at once', async () => {
  const answer = await requestSuiFromFaucetV2({ host: localnet.faucetUrl, recipient: address('a1') });
  expect(answer.coins_sent).toHaveLength(faucetGrant.coins);
  expect(localnet.ledger.getObject(answer.coins_sent![0]!.id)).toBeDefined();
  expect(balance(address('a1'))).toBe(grant);
});

test('requests at the same time are all served', async () => {
  const recipients = Array.from({ length: 8 }, (_, index) => address(`b${index}`));
  await Promise.all(
    recipients.map((recipient) => requestSuiFromFaucetV2({ host: localnet.faucetUrl, recipient })),
  );
  expect(recipients.map(balance)).toEqual(recipients.map(() => grant));
});

test('the older path answers in its older shape', async () => {
  const body = JSON.stringify({ FixedAmountRequest: { recipient: address('c1') } });
  const answer = (await (await post('/gas', body)).json()) as { transferredGasObjects: object[] };
  expect(answer.transferredGasObjects).toHaveLength(faucetGrant.coins);
});

test.each([
  ['no JSON', 'no json'],
  ['no request', '{}'],
  ['no address', JSON.stringify({ FixedAmountRequest: { recipient: 'me' } })],
  ['an empty address', JSON.stringify({ FixedAmountRequest: { recipient: '' } })],
  ['an address without digits', JSON.stringify({ FixedAmountRequest: { recipient: '0x' } })],
  ['too long an address', JSON.stringify({ FixedAmountRequest: { recipient: '0x'.padEnd(100, '1') } })],
])('%s is a 400 that says so', async (_name, body) => {
  const response = await post('/v2/gas', body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ status: { Failure: { internal: expect.any(String) } } });
});

test('a body too large is a 413, and another path a 404 that names it', async () => {
  expect((await post('/v2/gas', 'x'.repeat(100_000))).status).toBe(413);
  const elsewhere = await post('/elsewhere', '{}');
  expect(elsewhere.status).toBe(404);
  expect(await elsewhere.text()).toContain('nothing at /elsewhere;');
});
