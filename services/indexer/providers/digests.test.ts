import type { LocalNode, Localnet } from '@adaptor-marketplace/localnet';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { settingsFor } from '../../../test/support/frames/packages.ts';
import { providersFor } from '../../../test/support/providers.ts';
import { DigestComparison } from './digests.ts';

const { signal } = new AbortController();

let localnet: Localnet;
let other: LocalNode;
beforeEach(async () => {
  localnet = await startTestLocalnet();
  onTestFinished(() => localnet.close());
  for (let made = 0; made < 5; made++) localnet.ledger.createCheckpoint();
  other = await localnet.openNode();
});

function open() {
  const providers = providersFor(settingsFor(localnet.rpcUrl, { otherProviders: [{ url: other.rpcUrl }] }));
  onTestFinished(() => providers.close());
  return {
    providers,
    digests: new DigestComparison(providers),
    hosts: providers.list.map(({ host }) => host),
  };
}

test('two providers of one chain agree, though one is late', async () => {
  other.misbehaviour.set({ late: { checkpoints: 2, share: 1, seed: 1 } });
  const { providers, digests } = open();
  await digests.compareAll(signal);
  expect(digests.failure).toBeUndefined();
  for (const provider of providers.list) await digests.requireAgreement(provider, signal);
});

test('two digests of one checkpoint are an error that names both providers, the checkpoint and the digests', async () => {
  other.misbehaviour.set({ fork: { from: 3 } });
  const { providers, digests, hosts } = open();
  await digests.compareAll(signal);
  expect(digests.failure).toMatchObject({ code: 'providers_disagree' });
  const [first, second] = hosts;
  expect(digests.failure?.message).toMatch(
    new RegExp(
      `^${first} and ${second} give different digests for checkpoint 5 of testnet: \\w+ and \\w+\\. Find out`,
    ),
  );
  await expect(digests.requireAgreement(providers.list[0], signal)).rejects.toBe(digests.failure);
});

test('a fork is found before it is followed, though the provider before it is away', async () => {
  other.misbehaviour.set({
    failCalls: { code: 'UNAVAILABLE', share: 1, seed: 1, methods: ['GetCheckpoint'] },
  });
  const { providers, digests } = open();
  const [first, second] = providers.list;
  await digests.requireAgreement(first, signal);
  await digests.compareAll(signal);
  expect(digests.failure).toBeUndefined();
  localnet.misbehaviour.set({ failCalls: { code: 'UNAVAILABLE', share: 1, seed: 1 } });
  other.misbehaviour.set({ failCalls: null, fork: { from: 1 } });
  await expect(digests.requireAgreement(second!, signal)).rejects.toMatchObject({
    code: 'providers_disagree',
  });
});
