import { bcs } from '@mysten/sui/bcs';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Secp256k1Keypair } from '@mysten/sui/keypairs/secp256k1';
import { Secp256r1Keypair } from '@mysten/sui/keypairs/secp256r1';
import { Inputs, Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { faucetKeypair } from './genesis.ts';
import { clockId } from './move-types.ts';
import { Account, referenceTo, TestNetwork } from './testing/network.ts';
import { LedgerError } from './types.ts';

let network: TestNetwork;
let alice: Account;
let bob: Account;

beforeAll(async () => {
  network = await TestNetwork.open();
  alice = await network.account(10_000_000_000n, 2_000_000_000n, 1_000_000_000n);
  bob = await network.account(10_000_000_000n);
});

afterAll(() => network.ledger.close());

/** A transaction that would do no harm: it splits nothing off its gas. */
function payment(): Transaction {
  const transaction = new Transaction();
  const [coin] = transaction.splitCoins(transaction.gas, [1]);
  transaction.transferObjects([coin], bob.address);
  return transaction;
}

/** The reason for which it is refused; also proves that nothing happened. */
async function reason(attempt: () => Promise<unknown>): Promise<string> {
  const before = [alice.balance(), bob.balance(), alice.coins().map(({ version }) => version)];
  const refusal = await attempt().then(
    () => 'executed',
    (error: unknown) => (error instanceof LedgerError ? error.reason : String(error)),
  );
  expect([alice.balance(), bob.balance(), alice.coins().map(({ version }) => version)]).toEqual(before);
  return refusal;
}

const execute = (transaction: Transaction, account = alice) => reason(() => account.execute(transaction));

function many<Value>(count: number, make: () => Value): Value[] {
  return Array.from({ length: count }, make);
}

describe('signatures', () => {
  const send = async (signers: ((bytes: Uint8Array) => Promise<Uint8Array>)[], transaction = payment()) => {
    const bytes = await alice.build(transaction);
    const signatures = await Promise.all(signers.map((sign) => sign(bytes)));
    return reason(() => network.ledger.execute(bytes, signatures));
  };
  const byAlice = (bytes: Uint8Array) => alice.sign(bytes);
  const byBob = (bytes: Uint8Array) => bob.sign(bytes);

  test('none, or one too many', async () => {
    expect(await send([])).toBe('SignerSignatureNumberMismatch');
    expect(await send([byAlice, byBob])).toBe('SignerSignatureNumberMismatch');
  });

  test("somebody else's", async () => expect(await send([byBob])).toBe('SignerSignatureAbsent'));

  test("the sender's, over another transaction", async () => {
    const other = await alice.sign(await alice.build(payment()).then((bytes) => bytes.slice(1)));
    expect(await send([async () => other])).toBe('InvalidSignature');
  });

  test('bytes that are not a signature', async () => {
    expect(await send([async () => new Uint8Array(0)])).toBe('InvalidSignature');
    expect(await send([async () => new Uint8Array(97)])).toBe('InvalidSignature');
    expect(await send([async () => Uint8Array.of(9, 1, 2)])).toBe('InvalidSignature');
    expect(await send([async () => new Uint8Array(20)])).toBe('InvalidSignature');
  });

  test.each([Ed25519Keypair, Secp256k1Keypair, Secp256r1Keypair])(
    '%o signs for its own address',
    async (Scheme) => {
      const bank = new Account(network.ledger, faucetKeypair());
      const account = new Account(network.ledger, Scheme.generate());
      const fund = new Transaction();
      fund.transferObjects([fund.splitCoins(fund.gas, [1_000_000_000])], account.address);
      await bank.execute(fund);
      const { failureDescription } = await account.execute(payment());
      expect(failureDescription).toBeUndefined();
    },
  );

  test('a sponsored transaction needs both, in any order', async () => {
    const sponsored = async () => {
      const transaction = new Transaction();
      transaction.setSender(alice.address);
      transaction.setGasOwner(bob.address);
      transaction.setGasPayment([referenceTo(bob.coins()[0]!)]);
      transaction.transferObjects(
        [transaction.object(Inputs.ObjectRef(referenceTo(alice.coins().at(-1)!)))],
        bob.address,
      );
      return transaction;
    };
    expect(await send([byAlice], await sponsored())).toBe('SignerSignatureNumberMismatch');
    expect(await send([byAlice, byAlice], await sponsored())).toBe('SignerSignatureAbsent');
    const bytes = await alice.build(await sponsored());
    const before = alice.balance();
    const executed = await network.ledger.execute(bytes, [await byBob(bytes), await byAlice(bytes)]);
    expect(executed.failureDescription).toBeUndefined();
    expect(before - alice.balance()).toBe(1_000_000_000n);
  });
});

describe('form', () => {
  test('bytes that are not a transaction, or not in the only form there is', async () => {
    const bytes = await alice.build(payment());
    const trailing = Buffer.concat([bytes, Uint8Array.of(0)]);
    const sign = async (form: Uint8Array) => [await alice.sign(form)];
    expect(await reason(async () => network.ledger.execute(Uint8Array.of(1, 2, 3), []))).toBe(
      'InvalidTransactionData',
    );
    expect(await reason(async () => network.ledger.execute(trailing, await sign(trailing)))).toBe(
      'InvalidTransactionData',
    );
    expect(await reason(async () => network.ledger.execute(new Uint8Array(200_000), []))).toBe(
      'SizeLimitExceeded',
    );
  });

  test('a type nested without end', async () => {
    const call = new Transaction();
    call.moveCall({ target: '0x2::coin::value', typeArguments: ['u8'] });
    const bytes = Buffer.from(await alice.build(call));
    const u8 = bytes.lastIndexOf(Uint8Array.of(1, 1, 0));
    const inVectors = (depth: number) =>
      Buffer.concat([bytes.subarray(0, u8 + 1), Buffer.alloc(depth, 6), bytes.subarray(u8 + 1)]);
    const [command] = bcs.TransactionData.parse(inVectors(1)).V1.kind.ProgrammableTransaction?.commands ?? [];
    expect(command?.MoveCall?.typeArguments).toEqual(['vector<u8>']);
    const nested = inVectors(100_000);
    expect(await reason(async () => network.ledger.execute(nested, [await alice.sign(nested)]))).toBe(
      'InvalidTransactionData',
    );
  });

  test('a system transaction that anybody sends', async () => {
    const bytes = bcs.TransactionData.serialize({
      V1: {
        kind: { ConsensusCommitPrologue: { epoch: 0, round: 1, commitTimestampMs: 1 } },
        sender: alice.address,
        gasData: { payment: [], owner: alice.address, price: 1000, budget: 0 },
        expiration: { None: true },
      },
    }).toBytes();
    expect(await reason(async () => network.ledger.execute(bytes, [await alice.sign(bytes)]))).toBe(
      'InvalidSystemTransaction',
    );
  });

  test.each([
    [
      'gas from funds that are not there',
      (t: Transaction) => {
        t.setGasPayment([]);
        t.setExpiration({
          ValidDuring: { ...always, chain: network.ledger.chainId, minEpoch: '0', maxEpoch: '1' },
        });
      },
      'InvalidWithdrawReservation',
    ],
    [
      'no gas at all',
      (t: Transaction) => {
        t.setGasPayment([]);
        t.setExpiration({ None: true });
      },
      'MissingGasPayment',
    ],
    ['a price below the reference price', (t: Transaction) => t.setGasPrice(999), 'GasPriceUnderRGP'],
    ['a price above the highest', (t: Transaction) => t.setGasPrice(100_001), 'GasPriceTooHigh'],
    ['a budget below the least cost', (t: Transaction) => t.setGasBudget(999_999), 'GasBudgetTooLow'],
    ['a budget above the highest', (t: Transaction) => t.setGasBudget(50_000_000_001), 'GasBudgetTooHigh'],
    ['a budget above the coin', (t: Transaction) => t.setGasBudget(40_000_000_000), 'GasBalanceTooLow'],
    [
      'another chain',
      (t: Transaction) =>
        t.setExpiration({
          ValidDuring: { ...always, chain: '4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S' },
        }),
      'InvalidChainId',
    ],
    [
      'a later epoch',
      (t: Transaction) =>
        t.setExpiration({
          ValidDuring: { ...always, chain: network.ledger.chainId, minEpoch: '1', maxEpoch: '2' },
        }),
      'InvalidExpiration',
    ],
    ['a command without arguments', (t: Transaction) => t.mergeCoins(t.gas, []), 'EmptyCommandInput'],
  ])('%s', async (_, change, expected) => {
    const transaction = payment();
    change(transaction);
    expect(await execute(transaction)).toBe(expected);
  });

  const vectors = (depth: number) => `${'vector<'.repeat(depth)}u8${'>'.repeat(depth)}`;
  const target = '0x2::coin::value' as const;
  test.each<[string, (t: Transaction) => void, string]>([
    [
      'as many commands as are too many',
      (t) => many(1_023, () => t.splitCoins(t.gas, [1])),
      'SizeLimitExceeded',
    ],
    [
      'as many arguments as are too many',
      (t) =>
        t.splitCoins(
          t.gas,
          many(512, () => 1),
        ),
      'SizeLimitExceeded',
    ],
    ['a plain argument that is too long', (t) => t.pure(new Uint8Array(16_384)), 'SizeLimitExceeded'],
    [
      'as many type arguments as are too many',
      (t) => t.moveCall({ target, typeArguments: many(16, () => 'u8') }),
      'SizeLimitExceeded',
    ],
    [
      'types that have too many parts together',
      (t) => t.moveCall({ target, typeArguments: many(8, () => 'vector<u8>') }),
      'SizeLimitExceeded',
    ],
    [
      'a type that is too deep',
      (t) => t.moveCall({ target, typeArguments: [vectors(15)] }),
      'SizeLimitExceeded',
    ],
    [
      'a type that is too deep, of a vector',
      (t) => t.makeMoveVec({ type: vectors(15), elements: [] }),
      'SizeLimitExceeded',
    ],
    [
      'as many modules as are too many',
      (t) => t.publish({ modules: many(64, () => 'AA=='), dependencies: [] }),
      'SizeLimitExceeded',
    ],
    [
      'as many dependencies as are too many',
      (t) => t.publish({ modules: ['AA=='], dependencies: many(32, () => '0x2') }),
      'SizeLimitExceeded',
    ],
    [
      'a function that cannot have its name',
      (t) => t.moveCall({ target: '0x2::coin::a-b' }),
      'InvalidIdentifier',
    ],
    [
      'a module that cannot have its name',
      (t) => t.moveCall({ target: '0x2::1coin::value' }),
      'InvalidIdentifier',
    ],
    [
      'a type that cannot have its name',
      (t) => t.moveCall({ target, typeArguments: ['0x2::sui::_'] }),
      'InvalidIdentifier',
    ],
    [
      'a type of a package that there is not',
      (t) => t.moveCall({ target, typeArguments: [`0x${'e'.repeat(64)}::m::T`] }),
      'DependentPackageNotFound',
    ],
  ])('%s', async (_, change, expected) => {
    const transaction = payment();
    change(transaction);
    expect(await execute(transaction)).toBe(expected);
  });

  test('one less of each is accepted', async () => {
    const transaction = payment();
    transaction.splitCoins(
      transaction.gas,
      many(511, () => 0),
    );
    transaction.pure(new Uint8Array(16_383));
    transaction.makeMoveVec({ type: vectors(13), elements: [] });
    transaction.setGasBudget(5_000_000_000);
    // What it fails with comes from executing it: coins are left over.
    expect((await alice.execute(transaction)).failureDescription).toMatch(/^UnusedValueWithoutDrop/);
  });

  const always = { minEpoch: null, maxEpoch: null, minTimestamp: null, maxTimestamp: null, nonce: 1 };

  test('an expiration that holds is accepted', async () => {
    const transaction = payment();
    transaction.setExpiration({
      ValidDuring: { ...always, chain: network.ledger.chainId, minEpoch: '0', maxEpoch: '1' },
    });
    expect((await alice.execute(transaction)).failureDescription).toBeUndefined();
  });
});

describe('objects', () => {
  const transfer = (input: ReturnType<typeof Inputs.ObjectRef>) => {
    const transaction = new Transaction();
    transaction.transferObjects([transaction.object(input)], bob.address);
    return transaction;
  };
  const coin = () => referenceTo(alice.coins().at(-1)!);

  test('one that does not exist', async () => {
    const missing = Inputs.ObjectRef({ ...coin(), objectId: `0x${'e'.repeat(64)}` });
    expect(await execute(transfer(missing))).toBe('ObjectNotFound');
  });

  test('an old version, or one that is still to come', async () => {
    await alice.execute(payment());
    const richest = referenceTo(alice.coins()[0]!);
    const old = { ...richest, version: String(BigInt(richest.version) - 1n) };
    const later = { ...richest, version: String(BigInt(richest.version) + 1n) };
    for (const reference of [old, later]) {
      const transaction = payment();
      transaction.setGasPayment([reference]);
      expect(await execute(transaction)).toBe('ObjectVersionUnavailableForConsumption');
    }
  });

  test('the right version with another digest', async () => {
    const digest = bob.coins()[0]!.digest;
    expect(await execute(transfer(Inputs.ObjectRef({ ...coin(), digest })))).toBe('InvalidObjectDigest');
  });

  test("somebody else's, as an argument or as gas", async () => {
    const foreign = referenceTo(bob.coins()[0]!);
    expect(await execute(transfer(Inputs.ObjectRef(foreign)))).toBe('IncorrectUserSignature');
    const transaction = payment();
    transaction.setGasPayment([foreign]);
    expect(await execute(transaction)).toBe('IncorrectUserSignature');
  });

  test('the gas coin as an argument too, or twice in the payment', async () => {
    const gas = referenceTo(alice.coins()[0]!);
    expect(await execute(transfer(Inputs.ObjectRef(gas)))).toBe('DuplicateObjectRefInput');
    const transaction = payment();
    transaction.setGasPayment([gas, gas]);
    expect(await execute(transaction)).toBe('DuplicateObjectRefInput');
  });

  test('an owned object as a shared one, and the other way around', async () => {
    const shared = Inputs.SharedObjectRef({
      objectId: coin().objectId,
      initialSharedVersion: 1,
      mutable: true,
    });
    expect(await execute(transfer(shared))).toBe('NotSharedObjectError');
    const clock = referenceTo(network.ledger.getObject(clockId)!);
    expect(await execute(transfer(Inputs.ObjectRef(clock)))).toBe('NotOwnedObjectError');
  });

  test('the clock to be changed, or with another initial version', async () => {
    const clock = (initialSharedVersion: number, mutable: boolean) =>
      transfer(Inputs.SharedObjectRef({ objectId: clockId, initialSharedVersion, mutable }));
    expect(await execute(clock(1, true))).toBe('ImmutableParameterExpectedError');
    expect(await execute(clock(2, false))).toBe('SharedObjectStartingVersionMismatch');
  });

  test('the authenticator state, which only the system uses', async () => {
    const state = { objectId: '0x7', initialSharedVersion: 1, mutable: false };
    expect(await execute(transfer(Inputs.SharedObjectRef(state)))).toBe('InaccessibleSystemObject');
  });

  test('a package as an object, and an object as a package', async () => {
    const framework = referenceTo(network.ledger.getObject('0x2')!);
    expect(await execute(transfer(Inputs.ObjectRef(framework)))).toBe('MovePackageAsObject');
    const call = new Transaction();
    call.moveCall({ target: `${coin().objectId}::m::f` });
    expect(await execute(call)).toBe('MoveObjectAsPackage');
    const missing = new Transaction();
    missing.moveCall({ target: `0x${'e'.repeat(64)}::m::f` });
    expect(await execute(missing)).toBe('DependentPackageNotFound');
  });

  test('the message of a refusal is the one that full nodes give', async () => {
    const missing = Inputs.ObjectRef({ ...coin(), objectId: `0x${'e'.repeat(64)}` });
    await expect(alice.execute(transfer(missing))).rejects.toThrow(
      `Error checking transaction input objects: Could not find the referenced object 0x${'e'.repeat(64)}`,
    );
  });
});
