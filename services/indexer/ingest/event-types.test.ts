import { createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { NodeRefusedError, startNodeDouble } from '@adaptor-marketplace/adaptor/testing/node-double';
import { expect, onTestFinished, test } from 'vitest';
import { readFirstCheckpoint } from './event-types.ts';

const [notFound, unavailable] = [5, 14];
const packages = [{ packageId: `0x${'a'.repeat(64)}` }];

type Handlers = Parameters<typeof startNodeDouble>[0];

const refuse = (code: number) => () => {
  throw new NodeRefusedError(code, 'no');
};
const getObject = () => ({ object: { previousTransaction: 'published' } });
const getTransaction = () => ({ transaction: { checkpoint: 77n } });

async function connect(handlers: Handlers) {
  const node = await startNodeDouble(handlers);
  const client = createChainClient({ url: node.url });
  onTestFinished(() => {
    client.close();
    node.close();
  });
  return client;
}

test('the first checkpoint is read from the archive if the node has pruned the publication', async () => {
  const node = await connect({ getObject, getTransaction: refuse(notFound) });
  const whole = await connect({ getObject, getTransaction });
  expect(await readFirstCheckpoint(node, async () => whole, packages)).toBe(77);
  // A store of transactions needs no object: the node names the transaction.
  const transactions = await connect({ getObject: refuse(notFound), getTransaction });
  expect(await readFirstCheckpoint(node, async () => transactions, packages)).toBe(77);
});

test('an archive that does not answer is asked again later, and history does not begin at genesis', async () => {
  const node = await connect({ getObject, getTransaction: refuse(notFound) });
  const away = await connect({ getObject, getTransaction: refuse(unavailable) });
  await expect(readFirstCheckpoint(node, async () => away, packages)).rejects.toThrow('UNAVAILABLE: no');
});

test('history begins at genesis if no node knows the publication', async () => {
  const node = await connect({ getObject, getTransaction: refuse(notFound) });
  expect(await readFirstCheckpoint(node, undefined, packages)).toBe(0);
  expect(await readFirstCheckpoint(node, async () => node, packages)).toBe(0);
});
