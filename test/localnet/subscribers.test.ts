import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { openSubscribers } from '../support/subscribers.ts';

const maxSubscribers = 1_024;

test('a thousand subscribers are followed, one more is UNAVAILABLE, and who leaves makes room', async () => {
  const localnet = await startTestLocalnet();
  onTestFinished(() => localnet.close());
  const subscribers = await openSubscribers(localnet.rpcUrl, maxSubscribers);
  onTestFinished(() => subscribers.close());
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: localnet.rpcUrl });
  const predicate = { oneofKind: 'sender', sender: { address: '0x5' } } as const;
  const subscribe = async () => {
    const filter = { terms: [{ literals: [{ negated: false, predicate }] }] };
    const { headers, responses } = client.subscriptionService.subscribeEvents({ filter });
    const first = responses[Symbol.asyncIterator]().next();
    await Promise.race([headers, first]);
    localnet.ledger.createCheckpoint();
    return first;
  };
  await expect(subscribe()).rejects.toMatchObject({ code: 'UNAVAILABLE' });

  localnet.ledger.createCheckpoint();
  await eventually(() => expect(subscribers.heard).toBe(maxSubscribers));
  expect(subscribers.ended).toBe(0);

  subscribers.close();
  const { value } = await eventually(subscribe);
  expect(value.watermark.cursor.length).toBeGreaterThan(0);
});
