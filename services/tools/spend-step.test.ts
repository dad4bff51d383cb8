import { createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { startNodeDouble } from '@adaptor-marketplace/adaptor/testing/node-double';
import { allowlistRule, walletRules } from '@adaptor-marketplace/adaptor/transactions';
import { GrpcTypes } from '@mysten/sui/grpc';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Policy } from '../../db/queries/wallets/policies.ts';
import { type Cap, capTypes, encodeCap, type ScopedCap } from '../../lib/chain/caps.ts';
import { ProblemError } from '../../lib/errors/index.ts';
import { useTestDatabase } from '../../test/support/database.ts';
import { address } from '../../test/support/read-model.ts';
import { walletRows } from '../../test/support/wallet-rows.ts';
import { type CapChoice, chooseCap, readCaps } from './spend-step.ts';

describe('caps', () => {
  // This node lists what strangers sent first. A running network lists in the order of random ids.

  const [sender, owner, walletPackageId] = [address(2), address(3), address(0xaa)] as [
    string,
    string,
    string,
  ];
  const { ADDRESS } = GrpcTypes.Owner_OwnerKind;
  const createCap = (id: string, walletId: string): ScopedCap => ({
    kind: 'scoped',
    id,
    walletId,
    policyVersion: 1,
    coin: `${address(2)}::sui::SUI`,
    remaining: '100',
    depth: 0,
    maxDepth: 0,
    parent: null,
    ancestors: [],
  });

  /** Caps and their holders, by id. */
  const objects = new Map<string, { cap: ScopedCap; holder: string }>();
  let node: Awaited<ReturnType<typeof startNodeDouble>>;
  let client: ReturnType<typeof createChainClient>;

  const db = useTestDatabase();
  beforeAll(async () => {
    node = await startNodeDouble({
      listOwnedObjects: ({ objectType }: GrpcTypes.ListOwnedObjectsRequest) => {
        if (!objectType?.endsWith(capTypes.scoped)) return { objects: [] };
        const junk = encodeCap(createCap(address(0x99), address(0x66)));
        return { objects: [{ contents: { value: junk } }], nextPageToken: Uint8Array.of(1) };
      },
      batchGetObjects: ({ requests }: GrpcTypes.BatchGetObjectsRequest) => ({
        objects: requests.map(({ objectId = '' }) => {
          const { cap, holder } = objects.get(objectId)!;
          const object = {
            objectId,
            objectType: `${walletPackageId}::${capTypes.scoped}`,
            owner: { kind: ADDRESS, address: holder },
            contents: { value: encodeCap(cap) },
          };
          return { result: { oneofKind: 'object', object } };
        }),
      }),
    });
    client = createChainClient({ url: node.url });
  });
  afterAll(async () => {
    client?.close();
    node?.close();
  });

  test('however many caps strangers send, those that the owner minted and those that are named are found', async () => {
    const rows = walletRows(db);
    const walletId = await rows.wallet(owner);
    const [minted, moved, revoked] = await Promise.all([
      rows.cap(walletId, { recipient: sender }),
      rows.cap(walletId, { recipient: sender }),
      rows.cap(walletId, { recipient: sender, revokedAt: new Date() }),
    ]);
    const named = address(0x77);
    for (const id of [minted, moved, revoked, named]) {
      objects.set(id, { cap: createCap(id, walletId), holder: id === moved ? owner : sender });
    }
    const dependencies = { network: 'testnet' as const, walletPackageId, client, db: db.pool };
    const { caps } = await readCaps(dependencies, { sender, walletId, requestedIds: [named] });
    expect(caps.map(({ id }) => id)).toEqual([named, minted]);
  });

  test('a cap that is a party object, which no spend can use, does not come before the others', async () => {
    const walletId = address(0x55);
    const [party, own] = [address(0x78), address(0x79)] as [string, string];
    const build = (id: string, kind: GrpcTypes.Owner_OwnerKind) => ({
      objectId: id,
      objectType: `${walletPackageId}::${capTypes.scoped}`,
      version: 5n,
      digest: 'd',
      owner: { kind, address: sender, version: 5n },
      contents: { value: encodeCap(createCap(id, walletId)) },
    });
    const listing = [build(party, GrpcTypes.Owner_OwnerKind.CONSENSUS_ADDRESS), build(own, ADDRESS)];
    const double = await startNodeDouble({
      listOwnedObjects: ({ objectType }: GrpcTypes.ListOwnedObjectsRequest) => ({
        objects: objectType?.endsWith(capTypes.scoped) ? listing : [],
      }),
    });
    onTestFinished(() => double.close());
    const client = createChainClient({ url: double.url });
    onTestFinished(() => client.close());
    const dependencies = { network: 'testnet' as const, walletPackageId, client, db: db.pool };
    const { caps } = await readCaps(dependencies, { sender, walletId, requestedIds: [] });
    expect(caps.map(({ id }) => id)).toEqual([own]);
  });
});

describe('the choice of a cap', () => {
  const [walletId, sender, recipient] = [address(1), address(2), address(3)] as [string, string, string];
  const coin = `${address(2)}::sui::SUI`;
  const walletPackageId = address(0xaa);
  const rule = allowlistRule(address(0xbb));
  const { capAuth, scopedAuth, scopedBudget } = walletRules(walletPackageId);

  const bearer: Cap = { kind: 'bearer', id: address(0x10), walletId, policyVersion: 1 };
  const scoped: Cap = {
    kind: 'scoped',
    id: address(0x11),
    walletId,
    policyVersion: 1,
    coin,
    remaining: '100',
    depth: 0,
    maxDepth: 0,
    parent: null,
    ancestors: [],
  };

  type Rules = Policy['rules'];
  const scopedRules: Rules = [
    { kind: 'auth', rule: scopedAuth, forAuth: null },
    { kind: 'caveat', rule: scopedBudget, forAuth: scopedAuth },
  ];
  const bearerRules: Rules = [
    { kind: 'auth', rule: capAuth, forAuth: null },
    { kind: 'caveat', rule, forAuth: capAuth },
  ];

  interface Situation {
    caps?: Cap[];
    rules?: Rules;
    policy?: Partial<Policy>;
    revoked?: string[];
    tooLong?: string[];
    step?: Partial<CapChoice['step']>;
    spent?: bigint;
  }

  /** Returns the chosen cap, or the code of the refusal or of the doubt. */
  function choose({ caps = [scoped, bearer], rules = [...scopedRules, ...bearerRules], ...more }: Situation) {
    const policy: Policy = {
      walletId,
      version: 1,
      spendInto: false,
      walletPaused: false,
      rules,
      allowlist: { allowlistId: address(0x20), recipients: [recipient] },
      ...more.policy,
    };
    const policies = new Map([[walletId, policy]]);
    try {
      const { cap, doubt, allowlistId } = chooseCap({
        dependencies: { walletPackageId, allowlist: { packageId: address(0xbb), rule } },
        held: {
          caps,
          known: new Map(),
          policies: { policies, revokedCaps: new Set(more.revoked), tooLong: new Set(more.tooLong) },
        },
        step: { action: 'spend', coinType: coin, amount: '60', recipient, capId: undefined, ...more.step },
        sender,
        spent: new Map([[scoped.id, more.spent ?? 0n]]),
      });
      return doubt ? doubt.code : [cap.id, allowlistId];
    } catch (error) {
      return error instanceof ProblemError ? error.code : error;
    }
  }

  test('a scoped cap goes before a bearer cap, which goes where the budget does not suffice', () => {
    expect(choose({})).toEqual([scoped.id, undefined]);
    expect(choose({ spent: 41n })).toEqual([bearer.id, address(0x20)]);
    expect(choose({ caps: [scoped], spent: 41n })).toBe('cap_missing');
    expect(choose({ step: { capId: bearer.id } })).toEqual([bearer.id, address(0x20)]);
  });

  test('every caveat that counts for the cap must be one that can be stamped', () => {
    const other = `${address(0xcc)}::guard::Guard`;
    const more: Rules[number] = { kind: 'caveat', rule: other, forAuth: null };
    expect(choose({ caps: [scoped], rules: [...scopedRules, more] })).toBe('caveat_not_supported');
    expect(choose({ caps: [scoped], rules: [...scopedRules, { ...more, forAuth: capAuth }] })).toEqual([
      scoped.id,
      undefined,
    ]);
    expect(choose({ caps: [scoped], rules: [...scopedRules, { ...more, rule }] })).toEqual([
      scoped.id,
      address(0x20),
    ]);
  });

  test('who is not on the list is refused; a list too long to be read is left to the chain', () => {
    const step = { recipient: address(9) };
    expect(choose({ caps: [bearer], step })).toBe('recipient_not_allowed');
    expect(choose({ caps: [bearer], step, tooLong: [walletId] })).toEqual([bearer.id, address(0x20)]);
    expect(choose({ caps: [bearer], policy: { allowlist: null } })).toBe('recipient_not_allowed');
  });

  test.each<[string, Situation]>([
    ['revoked by its id', { revoked: [scoped.id] }],
    ['of an earlier version of the policy', { policy: { version: 2 } }],
    ['of a kind that the policy does not trust', { rules: bearerRules }],
    ['of a kind for which no condition is set', { rules: scopedRules.slice(0, 1) }],
    ['of another coin', { step: { coinType: `${address(8)}::usd::USD` } }],
    ['that is not the one asked for', { step: { capId: address(7) } }],
  ])('no spend goes by a cap %s', (_, situation) => {
    expect(choose({ ...situation, caps: [scoped] })).toBe('cap_missing');
  });
});
