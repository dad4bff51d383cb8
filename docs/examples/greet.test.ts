/**
 * Tests a package on a local network of its own, with Vitest.
 *
 *     npx vitest run docs/examples/greet.test.ts
 */
import { type Localnet, startLocalnet } from '@adaptor-marketplace/localnet';
import { execute } from '@adaptor-marketplace/localnet/account';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

let network: Localnet;
let alice: Awaited<ReturnType<Localnet['account']>>;
let packageId: string;

beforeAll(async () => {
  network = await startLocalnet();
  alice = await network.account();
  ({ packageId } = await network.publish('docs/examples/hello_adaptor'));
  network.snapshot('published');
});
// Each test starts from the state of this snapshot.
beforeEach(() => network.restore('published'));
afterAll(() => network.close());

const bob = `0x${'b'.repeat(64)}`;
const readBalance = async (owner: string) => (await alice.client.getBalance({ owner })).balance.balance;

test.each([5n, 7n])('a greeting brings a gift of %s MIST', async (gift) => {
  await execute(alice, (tx) => {
    tx.moveCall({
      target: `${packageId}::greeter::greet`,
      arguments: [tx.splitCoins(tx.gas, [gift]), tx.pure.address(bob)],
    });
  });
  expect(await readBalance(bob)).toBe(String(gift));
});
