import { bcs } from '@mysten/sui/bcs';
import { Inputs, Transaction } from '@mysten/sui/transactions';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BOX } from '../execution/testing/box.ts';
import { publishCommand } from '../execution/testing/commands.ts';
import { clockId } from './move-types.ts';
import { type Account, referenceTo, TestNetwork } from './testing/network.ts';
import { Registry, send } from './testing/registry.ts';
import { LedgerError } from './types.ts';

let network: TestNetwork;
let alice: Account;
let bob: Account;
let registry: Registry;
let boxes: string;
/** Signed transactions of different kinds, of which none has executed. */
let valid: Signed[];

interface Signed {
  bytes: Uint8Array;
  signature: Uint8Array;
}

beforeAll(async () => {
  network = await TestNetwork.open();
  alice = await network.account(...new Array<bigint>(10).fill(5_000_000_000n));
  bob = await network.account(5_000_000_000n);
  registry = await Registry.publish(await network.account(5_000_000_000n));
  boxes = await publishBoxes(await network.account(5_000_000_000n));
  network.ledger.createCheckpoint();
  valid = await Promise.all(transactions().map(sign));
});

afterAll(() => network.ledger.close());

async function publishBoxes(account: Account): Promise<string> {
  const published = await send(account, {
    sender: account.address,
    inputs: [{ kind: 'pure', bytes: bcs.Address.serialize(account.address).toBytes() }],
    commands: [
      await publishCommand({ box: BOX }),
      {
        $kind: 'TransferObjects',
        TransferObjects: {
          objects: [{ $kind: 'Result', Result: 0 }],
          address: { $kind: 'Input', Input: 0 },
        },
      },
    ],
    gas: {},
  });
  return published.objects.find(({ type }) => type === 'package')!.id;
}

function transactions(): Transaction[] {
  const payment = new Transaction();
  payment.transferObjects([payment.splitCoins(payment.gas, [5])], bob.address);
  const call = new Transaction();
  const shared = { objectId: registry.objectId, initialSharedVersion: initialVersion(), mutable: true };
  call.moveCall({
    target: `${registry.packageId}::registry::register`,
    arguments: [
      call.object(Inputs.SharedObjectRef(shared)),
      call.pure.address(registry.packageId),
      call.pure.string(`${registry.packageId}::registry::Mutated`),
      call.pure.string('walrus://x'),
      call.pure.vector('u8', new Array(32).fill(1)),
      call.object(Inputs.SharedObjectRef({ objectId: clockId, initialSharedVersion: 1, mutable: false })),
    ],
  });
  const vectors = new Transaction();
  vectors.moveCall({
    target: `${boxes}::box::sum`,
    arguments: [vectors.makeMoveVec({ type: 'u64', elements: [vectors.pure.u64(1), vectors.pure.u64(2)] })],
  });
  const merge = new Transaction();
  const [, second] = alice.coins();
  merge.mergeCoins(merge.gas, [merge.object(Inputs.ObjectRef(referenceTo(second!)))]);
  return [payment, call, vectors, merge];
}

function initialVersion(): string {
  const object = network.ledger.getObject(registry.objectId);
  if (object?.kind !== 'move' || object.owner.kind !== 'shared') throw new Error('the registry is shared');
  return String(object.owner.initialSharedVersion);
}

async function sign(transaction: Transaction): Promise<Signed> {
  const bytes = await alice.build(transaction);
  return { bytes, signature: await alice.sign(bytes) };
}

/** Everything that a refusal must leave as it was. */
function state(): unknown {
  const { ledger } = network;
  const objects = [alice.address, bob.address].flatMap((owner) =>
    ledger.listOwnedObjects(owner, { limit: 1_000 }).items.map(({ id, digest }) => [id, digest]),
  );
  return [
    objects,
    [alice.balance(), bob.balance()],
    ledger.getObject(registry.objectId)?.digest,
    ledger.getObject(clockId)?.digest,
    ledger.highestCheckpoint,
  ];
}

/** Refused with one of the codes that clients know, and without a trace. Work without end is the test's time-out. */
async function expectRefused(bytes: Uint8Array, signatures: Uint8Array[]): Promise<void> {
  const before = state();
  const outcome = await network.ledger.execute(bytes, signatures).catch((error: unknown) => error);
  if (!(outcome instanceof LedgerError)) throw outcome instanceof Error ? outcome : new Error('it executed');
  expect(['INVALID_ARGUMENT', 'UNIMPLEMENTED']).toContain(outcome.code);
  expect(outcome.reason).toMatch(/^[A-Z][A-Za-z]+$/);
  expect(state()).toEqual(before);
}

const mutation = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), at: fc.nat(), bit: fc.nat(7) }),
  fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), bytes: fc.uint8Array({ maxLength: 40 }) }),
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat(), length: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant('set' as const), at: fc.nat(), bytes: fc.uint8Array({ maxLength: 8 }) }),
);
type Mutation = typeof mutation extends fc.Arbitrary<infer Value> ? Value : never;

function mutate(bytes: Uint8Array, change: Mutation): Uint8Array {
  const at = change.at % bytes.length;
  const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (change.kind) {
    case 'flip':
      return Uint8Array.of(...head, tail[0]! ^ (1 << change.bit), ...tail.subarray(1));
    case 'insert':
      return Uint8Array.of(...head, ...change.bytes, ...tail);
    case 'remove':
      return Uint8Array.of(...head, ...tail.subarray(change.length));
    case 'set':
      return Uint8Array.of(...head, ...change.bytes, ...tail.subarray(change.bytes.length));
  }
}

const changes = fc.array(mutation, { minLength: 1, maxLength: 4 });
const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;

test('a changed transaction under its old signature, or with a changed signature, is refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.boolean(), changes, async (choice, changesSignature, list) => {
      const { bytes, signature } = valid[choice % valid.length]!;
      const changed = list.reduce(mutate, changesSignature ? signature : bytes);
      fc.pre(!same(changed, changesSignature ? signature : bytes));
      if (changesSignature) await expectRefused(bytes, [changed]);
      else await expectRefused(changed, [signature]);
    }),
    { numRuns: 250 },
  );
});

test('a changed transaction that its sender signed is refused, or executes as what it says', async () => {
  let executed = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(), changes, async (choice, list) => {
      const { bytes } = valid[choice % valid.length]!;
      const changed = list.reduce(mutate, bytes);
      const before = state();
      const outcome = await network.ledger
        .execute(changed, [await alice.sign(changed)])
        .catch((error: unknown) => error);
      if (outcome instanceof LedgerError) {
        expect(state()).toEqual(before);
        return;
      }
      if (outcome instanceof Error) throw outcome;
      executed += 1;
      const { digest, bcs: kept } = outcome as { digest: string; bcs: Uint8Array };
      expect(same(kept, changed)).toBe(true);
      expect(network.ledger.getTransaction(digest)?.digest).toBe(digest);
      valid = await Promise.all(transactions().map(sign));
    }),
    { numRuns: 150 },
  );
  // A random amount, name or budget is still a transaction: some of them must have gone through.
  expect(executed).toBeGreaterThan(0);
});

test('random bytes are not a transaction', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 3_000 }),
      fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 3 }),
      async (bytes, signatures) => expectRefused(bytes, signatures),
    ),
    { numRuns: 150 },
  );
});

test('lengths that promise more than there is are refused before anything is made for them', async () => {
  const huge = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f);
  const { bytes } = valid[0]!;
  for (let at = 0; at < Math.min(bytes.length, 120); at += 2) {
    const changed = Uint8Array.of(...bytes.subarray(0, at), ...huge, ...bytes.subarray(at + 1));
    await expectRefused(changed, [await alice.sign(changed)]);
  }
});

test('of two transactions that spend the same coin one executes, in whatever order they come', async () => {
  const [gas] = alice.coins();
  const spend = async (amount: number) => {
    const transaction = new Transaction();
    transaction.transferObjects([transaction.splitCoins(transaction.gas, [amount])], bob.address);
    transaction.setGasPayment([referenceTo(gas!)]);
    return sign(transaction);
  };
  const before = bob.balance();
  const rivals = await Promise.all([1, 2, 3, 4, 5].map(spend));
  const outcomes = await Promise.allSettled(
    rivals.map(({ bytes, signature }) => network.ledger.execute(bytes, [signature])),
  );
  const [winner, ...others] = outcomes.toSorted((a, b) => a.status.localeCompare(b.status));
  expect(winner?.status).toBe('fulfilled');
  for (const loser of others) {
    expect(loser).toMatchObject({ reason: { reason: 'ObjectVersionUnavailableForConsumption' } });
  }
  const amount = outcomes.findIndex(({ status }) => status === 'fulfilled') + 1;
  expect(bob.balance() - before).toBe(BigInt(amount));
});

test('code without end and values without measure fail within their budget, and the network goes on', async () => {
  const call = (name: string, ...args: ((t: Transaction) => ReturnType<Transaction['pure']>)[]) => {
    const transaction = new Transaction();
    transaction.moveCall({
      target: `${boxes}::box::${name}`,
      arguments: args.map((make) => make(transaction)),
    });
    transaction.setGasBudget(500_000_000);
    return alice.execute(transaction);
  };
  const u64 = (value: bigint) => (t: Transaction) => t.pure.u64(value);
  const attempts = [
    { name: 'forever', args: [], status: 'InsufficientGas' },
    { name: 'recurse', args: [u64(1n)], status: 'MovePrimitiveRuntimeError' },
    { name: 'shout', args: [u64(5_000n)], status: 'MovePrimitiveRuntimeError' },
    { name: 'zeros', args: [u64(10n ** 12n)], status: /InsufficientGas|MovePrimitiveRuntimeError/ },
  ];
  for (const { name, args, status } of attempts) {
    const balance = alice.balance();
    const { effects } = await call(name, ...args);
    expect(effects.status.Failure?.error.$kind, name).toMatch(status);
    expect(balance - alice.balance(), name).toBe(BigInt(effects.gasUsed.computationCost));
    expect(effects.changedObjects, name).toHaveLength(1);
  }
});
