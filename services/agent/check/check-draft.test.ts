import type { InputObject } from '@adaptor-marketplace/adaptor/chain';
import { appendAction, policy, scopedCap as scopedCaps } from '@adaptor-marketplace/adaptor/transactions';
import { GrpcTypes } from '@mysten/sui/grpc';
import { Inputs, Transaction } from '@mysten/sui/transactions';
import { beforeAll, expect, test } from 'vitest';
import { confirmAdaptor } from '../../../db/queries/agent/operator.ts';
import { confirmUpdate } from '../../../db/queries/agent/updates.ts';
import { readEntries } from '../../../db/queries/catalog/find.ts';
import type { ActionRequest } from '../../../lib/actions/request.ts';
import type { TransactionDraft } from '../../../lib/actions/tools-api.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { address, readModelBuilder } from '../../../test/support/read-model.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';
import type { CalledPackage, Node } from '../chain/node.ts';
import { checkDraft } from './check-draft.ts';
import { appendChainChecks } from './objects.ts';

const id = (digit: string) => `0x${digit.padStart(64, '0')}`;
const [walletId, pool, cap, account, shop] = [id('a1'), id('a2'), id('a3'), id('a4'), id('a5')];
const [wallets, lender, greedy] = [id('b1'), id('c1'), id('c2')];
const SUI = `${id('2')}::sui::SUI`;
const network = 'testnet' as const;
const lendType = `${lender}::lend::Lend`;
/** A listing with an op that takes the cap of a spend and the pool. */
const greedyType = `${greedy}::lend::Lend`;
const wallet = { packageId: wallets, wallet: walletId };

const objects: InputObject[] = [
  { objectId: walletId, type: `${wallets}::wallet::Wallet` },
  { objectId: pool, type: `${lender}::pool::Pool` },
  // A cap that someone shared: the node says so.
  { objectId: cap, type: `${wallets}::sub_delegate::ScopedCap` },
].map((object) => ({ ...object, kind: 'shared', initialSharedVersion: '1' }));
objects.push({
  objectId: account,
  type: `${lender}::pool::Account`,
  kind: 'owned',
  version: '1',
  digest: '1',
});

const ops = (...fixed: string[]) => [
  {
    kind: 'lend',
    module: 'lend',
    entry: 'deposit',
    call: {
      typeArgs: ['coinIn'],
      args: [
        { role: 'wallet' },
        ...fixed.map((objectId) => ({ role: 'object', objectId })),
        { role: 'amount' },
      ],
    },
  },
  {
    kind: 'lend',
    module: 'lend',
    entry: 'open_account',
    call: { typeArgs: [], args: [{ role: 'wallet' }, { role: 'object', objectId: account }] },
  },
];

const parameter = (typeName: string) => ({
  reference: 'mutable' as const,
  type: { type: GrpcTypes.OpenSignatureBody_Type.DATATYPE, typeName, typeParameterInstantiation: [] },
});

let node: Node;

const db = useTestDatabase();
beforeAll(async () => {
  const { listing } = readModelBuilder(db);
  await listing({ serviceType: lendType, manifest: { ops: ops(pool) } });
  await listing({ serviceType: greedyType, manifest: { ops: ops(pool, cap) } });
  const publisherCheck = 'unverified';
  await listing({
    serviceType: `${id('c3')}::lend::Lend`,
    manifest: { ops: ops(pool) },
    row: { publisherCheck },
  });
  node = {
    settings: { network, rpcUrl: '', registryPackageId: id('b2'), walletPackageId: wallets },
    functions: {
      signature: async (packageId: string) => ({
        status: 'found',
        value: {
          isCallable: true,
          isPublic: true,
          typeParameters: 1,
          returns: [],
          parameters: [
            parameter(`${wallets}::wallet::Wallet`),
            ...Array.from({ length: packageId === lender ? 1 : 2 }, () => parameter(`${lender}::pool::Pool`)),
            { reference: 'none', type: { type: GrpcTypes.OpenSignatureBody_Type.U64 } },
          ],
        },
      }),
    },
    objects: {
      read: async (ids: Iterable<string>) => {
        const asked = new Set(ids);
        return new Map(
          objects.filter(({ objectId }) => asked.has(objectId)).map((one) => [one.objectId, one]),
        );
      },
    },
    versions: { readOriginalId: async (packageId: string) => ({ status: 'found', value: packageId }) },
  } as Pick<Node, 'settings' | 'functions' | 'objects'> as Node;
});

const common = { owner: id('d1'), walletId, network };
const depositing = (adaptor = lendType) =>
  ({ action: 'lendingADeposit', coinType: SUI, amount: '5', adaptor }) as const;
const spending = { action: 'spend', coinType: SUI, amount: '3', recipient: shop, capId: cap } as const;

type Step = (tx: Transaction) => void;
const called = (target: string, ...given: string[]): Step => {
  return (tx) => {
    const typeArguments = target.endsWith('deposit') ? [SUI] : [];
    const amount = target.endsWith('deposit') ? [tx.pure.u64(5n)] : [];
    tx.moveCall({
      target,
      typeArguments,
      arguments: [tx.object(walletId), ...given.map((one) => tx.object(one)), ...amount],
    });
  };
};
const locked =
  (service: string, ...within: Step[]): Step =>
  (tx) =>
    appendAction(tx, wallet, { service, takes: [{ coinType: SUI, amount: 5n }], brings: [] }, () => {
      for (const append of within) append(tx);
    });
const lend = locked(lendType, called(`${lender}::lend::deposit`, pool));
const spend: Step = (tx) => {
  const request = policy.beginSpend(tx, wallet, { coinType: SUI, amount: 3n, recipient: shop });
  scopedCaps.spend(tx, wallets, { capId: cap, request });
  policy.confirmSpend(tx, wallet, { coinType: SUI, request });
};

/** A draft of these steps; `counts`: how many calls it says that each has. */
async function drafted(steps: readonly Step[], counts?: number[]): Promise<TransactionDraft> {
  const tx = new Transaction();
  const ends = steps.map((append) => {
    append(tx);
    return tx.getData().commands.length;
  });
  const lengths = counts ?? ends.map((end, place) => end - (ends[place - 1] ?? 0));
  // The transaction has its objects as the chain has them, like a draft of the tool service.
  const resolved = Transaction.from(
    JSON.stringify({
      ...tx.getData(),
      inputs: tx.getData().inputs.map((input) =>
        input.UnresolvedObject
          ? Inputs.SharedObjectRef({
              objectId: input.UnresolvedObject.objectId,
              initialSharedVersion: 1,
              mutable: true,
            })
          : input,
      ),
    }),
  );
  return {
    transactionKind: Buffer.from(await resolved.build({ onlyTransactionKind: true })).toString('base64'),
    steps: lengths.map((length) => ({ targets: Array.from({ length }, () => 'as it likes') })),
  } as TransactionDraft;
}

const version: CalledPackage = { originalId: wallets, newestId: wallets, versionIds: new Set([wallets]) };
async function check(
  request: object,
  draft: TransactionDraft,
  { hasActions = true, confirmedOnly = false } = {},
) {
  const packages = { wallet: version, allowlist: undefined, hasActions, originals: new Map() };
  const asked = { ...common, ...request } as ActionRequest;
  return await checkDraft({ db: db.pool, node, packages, confirmedOnly }, asked, draft);
}
const composed = (...steps: object[]) => ({ action: 'compose', steps });

test('steps are held to what each may do, and their sums are what the transaction may do', async () => {
  const draft = await drafted([lend, spend, lend]);
  const packages = { wallet: version, allowlist: undefined };
  const types = new Map([[pool, `${lender}::pool::Pool`]]);
  expect(await check(composed(depositing(), spending, depositing()), draft)).toEqual({
    transactionKind: appendChainChecks(draft.transactionKind, { packages, types }),
    caps: [cap],
    takes: [{ coinType: SUI, amount: 13n }],
    brings: [],
    confirmed: [],
    subjects: [lendType, address(0xa001), lendType, address(0xa001)],
    stepOfCall: draft.steps.flatMap(({ targets }, place) => {
      const { action } = [depositing(), spending, depositing()][place]!;
      return targets.map(() => `Step ${place + 1} (${action})`);
    }),
    steps: expect.any(Array),
  });
});

test('the calls of each step are shown as they are signed, with the listing that sets them', async () => {
  const { steps } = await check(composed(depositing(), spending), await drafted([lend, spend]));
  expect(steps.map(({ action, adaptor }) => [action, adaptor?.serviceType])).toEqual([
    ['lendingADeposit', lendType],
    ['spend', undefined],
  ]);
  expect(steps[0]).toMatchObject({
    adaptor: { publisher: address(0xa001), manifestHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    calls: [
      {
        target: `${lender}::lend::deposit`,
        typeArguments: [SUI],
        arguments: [
          { role: 'wallet', fixed: false },
          { role: 'object', value: pool, fixed: true },
          { role: 'amount', value: '5', type: 'u64', fixed: false },
        ],
      },
    ],
  });
  const payment = steps[1]!.calls;
  expect(payment[0]!.arguments.map(({ role, value }) => [role, value]).slice(1)).toEqual([
    ['amount', spending.amount],
    ['value', spending.recipient],
  ]);
  expect(payment[1]!.arguments).toEqual([
    { role: 'object', value: cap, fixed: false },
    { role: 'result', value: { call: 0, index: 0 }, fixed: false },
  ]);
});

test('a listing other than the one that the request names is not signed, nor one that it does not name', async () => {
  const draft = await drafted([lend, spend]);
  const { steps } = await check(composed(depositing(), spending), draft);
  const hash = steps[0]!.adaptor!.manifestHash;
  const within = (manifests: Record<string, string>) => ({
    ...composed(depositing(), spending),
    bounds: { takesAtMost: [{ coinType: SUI, amount: '8' }], bringsAtLeast: [], manifests },
  });
  expect((await check(within({ [lendType]: hash }), draft)).takes).toEqual([{ coinType: SUI, amount: 8n }]);
  for (const other of [{ [lendType]: 'f'.repeat(64) }, { [greedyType]: hash }, {}]) {
    await expect(check(within(other), draft)).rejects.toThrow(
      expect.objectContaining({ code: 'listing_changed', message: expect.stringContaining(lendType) }),
    );
  }
});

test('a listing that is updated between the draft and its check is named as the reason', async () => {
  const draft = await drafted([lend]);
  const draftWith = (manifestHash: string) => {
    const adaptor = { serviceType: lendType, manifestHash };
    return { ...draft, steps: draft.steps.map((step) => ({ ...step, adaptor })) } as TransactionDraft;
  };
  const { steps } = await check(depositing(), draft);
  await check(depositing(), draftWith(steps[0]!.adaptor!.manifestHash));
  await expect(check(depositing(), draftWith('f'.repeat(64)))).rejects.toThrow(
    expect.objectContaining({
      code: 'listing_changed',
      message: expect.stringContaining('Send the request again'),
    }),
  );
});

test.each<[string, Step[], number[] | undefined, RegExp]>([
  ['the steps in another order', [spend, lend], undefined, /not wrapped in the lock/],
  ['a step left out', [lend], [6, 0], /has other steps|left out/],
  ['a step more', [lend, spend, spend], undefined, /has other steps/],
  ['calls that no step names', [lend, spend, lend], [4, 3], /has other steps/],
  [
    'a lock around both',
    [locked(lendType, called(`${lender}::lend::deposit`, pool), spend)],
    [4, 3],
    /not wrapped/,
  ],
])('%s are not signed', async (_what, steps, counts, reason) => {
  const draft = await drafted(steps, counts);
  await expect(check(composed(depositing(), spending), draft)).rejects.toThrow(reason);
});

test('the cap of a spend is never handed to an adaptor of the same transaction, whatever its manifest lists', async () => {
  const both = called(`${greedy}::lend::deposit`, pool, cap);
  const draft = await drafted([locked(greedyType, both), spend]);
  await expect(check(composed(depositing(greedyType), spending), draft)).rejects.toThrow(
    `it passes ${cap}, which authorizes a spend, to an adaptor`,
  );
  // If no spend uses the cap, it counts as an object of ours.
  const alone = await drafted([locked(greedyType, both)]);
  await expect(check(depositing(greedyType), alone)).rejects.toThrow(`it uses ${cap}, a ${wallets}::`);
});

test('what opens an account gets no object that the op itself does not work on', async () => {
  const opening = called(`${lender}::lend::open_account`, account);
  const draft = await drafted([locked(lendType, opening, called(`${lender}::lend::deposit`, pool))]);
  await expect(check(depositing(), draft)).rejects.toThrow(/works on other objects than the matching op/);
});

test('an op that is not held to bounds is not signed where the wallet package holds ops to bounds', async () => {
  const bare = await drafted([called(`${lender}::lend::deposit`, pool)]);
  await expect(check(depositing(), bare)).rejects.toThrow(/its calls are not wrapped in the lock/);
  expect(await check(depositing(), bare, { hasActions: false })).toMatchObject({
    takes: [{ coinType: SUI, amount: 5n }],
  });
  // If the wallet package has no lock, a draft with one is refused: the lock is not a call of the adaptor.
  const draft = await drafted([lend]);
  await expect(check(depositing(), draft, { hasActions: false })).rejects.toThrow(/is not an op of /);
});

test('what is not listed by its verified publisher is not called', async () => {
  for (const adaptor of [`${id('c3')}::lend::Lend`, `${id('c9')}::lend::Lend`]) {
    await expect(check(depositing(adaptor), await drafted([lend]))).rejects.toMatchObject({
      code: 'adaptor_not_listed',
    });
  }
});

test('where only confirmed adaptors are called, publisher, package and manifest are those confirmed', async () => {
  const draft = await drafted([lend]);
  const refused = () => check(depositing(), draft, { confirmedOnly: true });
  await expect(refused()).rejects.toMatchObject({ code: 'adaptor_not_confirmed' });
  const [entry] = await readEntries(db.pool, [{ network, serviceType: lendType }]);
  const { publisher, packageId, manifestHash } = entry!;
  const right = { network, serviceType: lendType, publisher, version: 1, packageId, manifestHash };
  for (const wrong of [{ publisher: id('9') }, { packageId: id('9') }, { manifestHash: '0'.repeat(64) }]) {
    await confirmAdaptor(db.pool, { ...right, ...wrong, confirmedAt: new Date() });
    await expect(refused()).rejects.toMatchObject({ code: 'adaptor_not_confirmed' });
  }
  await confirmAdaptor(db.pool, { ...right, confirmedAt: new Date() });
  expect(await refused()).toMatchObject({
    takes: [{ coinType: SUI, amount: 5n }],
    confirmed: [{ serviceType: lendType, manifestHash }],
  });
});

test('an update whose code may do more is not run until the owner or the operator confirms it', async () => {
  const [entry] = await readEntries(db.pool, [{ network, serviceType: lendType }]);
  const { publisher, version, packageId, manifestHash } = entry!;
  const listing = { network, serviceType: lendType, publisher };
  const sentence = { widens: true, text: 'It may call @P1::pool::drain.' };
  await db.pool.query('truncate agent_adaptors');
  const named = { name: '@P1', version: { originalId: pool, id: pool, version: '1' } };
  const functions = [
    { packages: [named], reason: null, sentences: [sentence, { widens: false, text: 'It reads less.' }] },
  ];
  const store = (state: string) =>
    db.pool.query(
      `insert into claim_changes as c (network, service_type, publisher, version, state, widens, functions)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (network, service_type, publisher, version) do update set state = excluded.state, widens = excluded.widens,
         functions = excluded.functions`,
      [
        network,
        lendType,
        publisher,
        version,
        state,
        state === 'computed' ? true : null,
        JSON.stringify(functions),
      ],
    );
  const draft = await drafted([lend]);
  await store('pending');
  await expect(check(depositing(), draft)).rejects.toMatchObject({
    code: 'update_not_confirmed',
    message: expect.stringMatching(/not compared .* Send the request again/),
  });
  await store('computed');
  await expect(check(depositing(), draft)).rejects.toMatchObject({
    code: 'update_not_confirmed',
    message: expect.stringMatching(
      /may do more than the one before it: It may call 0x0*a2::pool::drain\. Nothing was signed\./,
    ),
  });
  const confirmation = { ...listing, version, owner: id('d1'), confirmedAt: new Date() };
  await confirmUpdate(db.pool, { ...confirmation, walletId: id('a9') });
  await expect(check(depositing(), draft)).rejects.toMatchObject({ code: 'update_not_confirmed' });
  await confirmUpdate(db.pool, { ...confirmation, walletId });
  await walletRows(db).wallet(confirmation.owner, { walletId });
  expect(await check(depositing(), draft)).toMatchObject({ takes: [{ coinType: SUI, amount: 5n }] });
  await db.pool.query('truncate agent_updates');
  await expect(check(depositing(), draft)).rejects.toMatchObject({ code: 'update_not_confirmed' });
  await confirmAdaptor(db.pool, { ...listing, version, packageId, manifestHash, confirmedAt: new Date() });
  expect(await check(depositing(), draft)).toMatchObject({ takes: [{ coinType: SUI, amount: 5n }] });
});
