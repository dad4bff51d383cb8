import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  isExecutable,
  listOpSteps,
  type Manifest,
  parseManifest,
  pureTypeName,
} from '@adaptor-marketplace/adaptor/manifest';
import { type Account, createAccounts } from '@adaptor-marketplace/localnet/account';
import { startBlobStore } from '@adaptor-marketplace/localnet/blobs/server';
import { fromBase64 } from '@mysten/sui/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { registryEvents } from '../../lib/chain/events/registry.ts';
import type { Adaptors, ListedAdaptor } from '../../services/demo/deploy.ts';
import { findCreatedObject, milliSui, publish } from '../../services/demo/publish.ts';
import { takeOut, useAdaptors, useVenues } from '../../services/demo/usage.ts';
import {
  agentAsDelegate,
  type DemoWallet,
  depositDollars,
  grantServices,
  openWallet,
} from '../../services/demo/wallets.ts';
import { draftBody } from '../../services/gateway/publish/draft.ts';
import { type AdaptorNetwork, startAdaptorNetwork } from '../support/adaptor-network.ts';
import { buildRequest } from '../support/build-request.ts';
import { startTestGateway } from '../support/gateway.ts';

type Draft = z.infer<typeof draftBody>;
type Op = Manifest['ops'][number];

const closing = new AsyncDisposableStack();
let network: AdaptorNetwork;
let blobStoreUrl: string;
let gatewayUrl: string;
/** The account that acts for wallets. */
let agent: Account;
/** The adaptors with the manifests that their publisher wrote by hand. */
let adaptors: Adaptors;

const names = [
  'tipJar',
  'termSavings',
  'poolSwap',
  'relaySwap',
  'shareVault',
  'flashLending',
  'creditLending',
  'accountLending',
  'marketSupply',
  'stablecoinAccount',
  'liquidStaking',
  'concentratedLiquidity',
  'perpetualTrading',
] as const satisfies (keyof Adaptors)[];

/** Publishes every adaptor, and uses each of its ops from one wallet. No adaptor is listed. */
beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'drafts-'));
  closing.defer(() => rm(dir, { recursive: true }));
  const blobs = await startBlobStore({ dir, host: '127.0.0.1', port: 0 });
  closing.defer(() => blobs.close());
  blobStoreUrl = blobs.url;
  network = await startAdaptorNetwork();
  closing.defer(() => network.close());
  ({ adaptors } = network);
  agent = await network.newAccount();
  const registry = await publish(network.keeper, 'registry');
  await useEverything(await newWallet(), adaptors);
  // The node's lists contain only transactions in checkpoints.
  network.localnet.ledger.createCheckpoint();

  const gateway = await startTestGateway(undefined, {
    network: {
      rpcUrl: network.localnet.rpcUrl,
      registryPackageId: registry.packageId,
      registryObjectId: findCreatedObject(registry, '::registry::Registry'),
      walletPackageId: network.walletPackage,
      aggregatorUrl: blobs.url,
      publisherUrl: blobs.url,
    },
  });
  closing.defer(() => gateway.close());
  gatewayUrl = gateway.url;
});
afterAll(() => closing.disposeAsync());

async function newWallet(): Promise<DemoWallet> {
  const { coins, keeper, walletPackage } = network;
  const wallet = await openWallet(await network.newAccount(), walletPackage, {
    acting: [agentAsDelegate({ agent }, coins, adaptors)],
    setUp: [(tx, target) => grantServices(tx, target, adaptors, coins)],
  });
  await depositDollars(keeper, coins, [wallet]);
  return wallet;
}

/** Calls every op of the adaptors by its call spec, most of them as a delegate. */
async function useEverything(wallet: DemoWallet, by: Adaptors): Promise<void> {
  const { coins } = network;
  await useAdaptors(agent, coins, by, { wallets: [wallet], rounds: 12, from: 0 });
  await useVenues(agent, { coins, adaptors: by }, { wallets: [wallet], ending: wallet, pass: () => {} });
  await takeOut(wallet, coins, by);
}

async function draft(body: object): Promise<Draft> {
  const answer = await fetch(`${gatewayUrl}/api/adaptors/draft`, buildRequest(body));
  expect(answer.status, await answer.clone().text()).toBe(200);
  return draftBody.parse(await answer.json());
}

describe('for every adaptor, after a few calls', () => {
  const drafts = new Map<string, Draft>();
  let publishers: Account[];

  beforeAll(async () => {
    publishers = await createAccounts(network.keeper, names.length, milliSui(100));
    // The adaptors are drafted one after another, because a node limits the work of concurrent requests.
    for (const [index, name] of names.entries()) {
      const { packageId, manifest } = adaptors[name];
      const sender = publishers[index]!.address;
      const { name: title, summary } = manifest;
      const said = { name: title, summary, values: listValueNames(manifest.ops) };
      drafts.set(name, await draft({ packageId, ...said, upload: true, sender }));
    }
  });

  test.each(names)('the drafted manifest of %s is the one that a person wrote', (name) => {
    const { manifest, serviceType, executableOps, warnings } = drafts.get(name)!;
    const written = adaptors[name];
    expect(serviceType).toBe(written.serviceType);
    const executable = written.manifest.ops.filter(isExecutable);
    expect(useWrittenCoins(written, manifest).manifest.ops.map(toComparable)).toEqual(
      executable.map(toComparable),
    );
    expect(executableOps).toEqual(manifest.ops);
    expect(manifest.category).toBe(written.manifest.category);
    expect(manifest.supportedCoins?.toSorted()).toEqual(written.manifest.supportedCoins?.toSorted());
    const codes = warnings.map(({ code }) => code).filter((code) => code !== 'object_from_past_calls');
    const ofPackages = name === 'relaySwap' ? ['package_from_past_calls'] : [];
    // The keeper published the packages, and other accounts list them here.
    expect(codes).toEqual([...ofPackages, 'publisher_not_verified']);
  });

  test.each(names)(
    'the drafted transaction lists %s, under a uri where its manifest is found',
    async (name) => {
      const { register, manifestUri, manifestHash, manifest } = drafts.get(name)!;
      const publisher = publishers[names.indexOf(name)]!;
      const transaction = fromBase64(register.transaction!.base64!);
      const { signature } = await publisher.keypair.signTransaction(transaction);
      const executed = await network.client.core.executeTransaction({
        transaction,
        signatures: [signature],
        include: { events: true },
      });
      const [event] = executed.Transaction?.events ?? [];
      const { packageId, serviceType } = adaptors[name];
      expect(registryEvents.decode('Registered', event!.bcs)).toMatchObject({
        publisher: publisher.address,
        packageId,
        serviceType,
        manifestUri,
        manifestHash,
      });
      const blob = await fetch(`${blobStoreUrl}/v1/blobs/${manifestUri!.slice('walrus://'.length)}`);
      const found = parseManifest(new Uint8Array(await blob.arrayBuffer()), manifestHash);
      expect(found).toEqual({ status: 'verified', body: manifest, hash: manifestHash });
    },
  );

  test('every op executes by its drafted call spec', async () => {
    const drafted = names.map((name) => [name, useWrittenCoins(adaptors[name], drafts.get(name)!.manifest)]);
    await useEverything(await newWallet(), Object.fromEntries(drafted));
  });
});

/** Names of the values that each op requires from callers. Bytecode does not always have these names. */
function listValueNames(ops: readonly Op[]): Record<string, string[]> {
  const named = ops.map((op) => [
    `${op.module}::${op.entry}`,
    listOpSteps(op).flatMap(({ args }) =>
      args.flatMap((argument) => (argument.role === 'pure' ? [argument.name!] : [])),
    ),
  ]);
  return Object.fromEntries(named.filter(([, names]) => names!.length > 0));
}

/**
 * The parts of an op that a drafted manifest must have in common with a written one. Texts for people and examples are
 * left out.
 */
function toComparable(op: Op) {
  const { kind, module, entry, intentMode } = op;
  const steps = listOpSteps(op).map(({ args, packageId, ...step }) => ({
    ...step,
    // The writer of a multi-call op need not say whether an object is mutable. The function decides it.
    args: args.map((argument) => {
      if (argument.role === 'pure') {
        return { role: 'pure', type: pureTypeName(argument.type), name: argument.name };
      }
      return op.calls && argument.role === 'object' ? { ...argument, mutable: undefined } : argument;
    }),
    packageId,
  }));
  return { kind, module, entry, intentMode, steps };
}

/**
 * The drafted manifest. If the written one fixes the type of a coin that the draft requests, the fixed type is used.
 * Both are right for an op whose object determines the type.
 */
function useWrittenCoins({ manifest: written, ...listed }: ListedAdaptor, manifest: Manifest): ListedAdaptor {
  const ops = manifest.ops.map((op) => {
    const { call: like } = written.ops.find(({ entry }) => entry === op.entry)!;
    if (!op.call) return op;
    const typeArgs = op.call.typeArgs.map((type, index) => {
      const other = like!.typeArgs[index]!;
      return type === 'coinOut' && other.includes('::') ? other : type;
    });
    return { ...op, call: { ...op.call, typeArgs } };
  });
  return { ...listed, manifest: { ...manifest, ops } };
}
