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
let guestBook: string;

beforeAll(async () => {
  network = await startLocalnet();
  alice = await network.account();
  const published = await network.publish('docs/examples/hello_adaptor');
  packageId = published.packageId;
  guestBook = await findCreated(published.upgradeCapId, '::greeter::GuestBook');
  network.snapshot('published');
});
// Each test starts from the state of this snapshot.
beforeEach(() => network.restore('published'));
afterAll(() => network.close());

/** Finds an object that the transaction which last changed another one has created, by the end of its type. */
async function findCreated(objectId: string, type: string): Promise<string> {
  const { object } = await alice.client.getObject({ objectId, include: { previousTransaction: true } });
  const digest = object.previousTransaction!;
  const { Transaction } = await alice.client.getTransaction({ digest, include: { objectTypes: true } });
  return Object.entries(Transaction!.objectTypes).find(([, one]) => one.endsWith(type))![0];
}

test.each(['Alice', 'Bob'])('%s is the first guest', async (name) => {
  await execute(alice, (tx) => {
    tx.moveCall({
      target: `${packageId}::greeter::greet`,
      arguments: [tx.object(guestBook), tx.pure.string(name)],
    });
  });
  const { object } = await alice.client.getObject({ objectId: guestBook, include: { json: true } });
  expect(object.json).toMatchObject({ guests: '1' });
});
