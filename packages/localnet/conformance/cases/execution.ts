import assert from 'node:assert/strict';
import { bcs } from '@mysten/sui/bcs';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { fromBase64 } from '@mysten/sui/utils';
import { casesOf, type Subject } from '../case.ts';
import { codeOf, errorOf, isDigest, missingId, refused, refusedField } from '../expect.ts';

const unset = { oneofKind: undefined } as const;
const stranger = Ed25519Keypair.fromSecretKey(new Uint8Array(32).fill(9));

const simulation = casesOf('SimulateTransaction', {
  async 'answers what a call returns'({ client, picked }) {
    const transaction = new Transaction();
    transaction.setSender(picked.sender);
    transaction.moveCall({ target: '0x2::clock::timestamp_ms', arguments: [transaction.object('0x6')] });
    const include = { commandResults: true, effects: true } as const;
    const simulated = await client.simulateTransaction({ transaction, include });
    assert.equal(simulated.$kind, 'Transaction');
    const time = bcs.u64().parse(simulated.commandResults![0]!.returnValues[0]!.bcs!);
    const { object } = await client.getObject({ objectId: '0x6', include: { json: true } });
    assert.ok(Math.abs(Number(time) - Number(object.json!.timestamp_ms)) < 600_000);
  },
  async 'says where and with which code a call would abort'({ client, picked }) {
    const transaction = new Transaction();
    transaction.setSender(picked.sender);
    const [coin] = transaction.moveCall({ target: '0x2::coin::zero', typeArguments: ['0x2::sui::SUI'] });
    transaction.moveCall({
      target: '0x2::coin::split',
      typeArguments: ['0x2::sui::SUI'],
      arguments: [coin!, transaction.pure.u64(1)],
    });
    const simulated = await client.simulateTransaction({ transaction });
    const { error } = simulated.FailedTransaction!.status;
    assert.equal(error!.MoveAbort!.abortCode, '2');
    assert.equal(error!.MoveAbort!.location!.module, 'balance');
  },
  async 'says on which line a call would abort that gives no code'({ client, picked }) {
    const transaction = new Transaction();
    transaction.setSender(picked.sender);
    transaction.moveCall({
      target: '0x1::vector::take',
      typeArguments: ['u8'],
      arguments: [transaction.pure.vector('u8', [1]), transaction.pure.u64(2)],
    });
    const simulated = await client.simulateTransaction({ transaction });
    const { error } = simulated.FailedTransaction!.status;
    assert.ok(error!.MoveAbort!.cleverError!.lineNumber! > 0);
  },
  async 'reads a returned reference without checks'({ client, picked }) {
    const transaction = new Transaction();
    transaction.setSender(picked.sender);
    const [coin] = transaction.moveCall({ target: '0x2::coin::zero', typeArguments: ['0x2::sui::SUI'] });
    transaction.moveCall({
      target: '0x2::coin::balance',
      typeArguments: ['0x2::sui::SUI'],
      arguments: [coin!],
    });
    const include = { commandResults: true } as const;
    const simulated = await client.simulateTransaction({ transaction, include, checksEnabled: false });
    assert.equal(bcs.u64().parse(simulated.commandResults![1]!.returnValues[0]!.bcs!), '0');
  },
  async 'fills in objects, gas and price'({ client, picked }) {
    const transaction = new Transaction();
    transaction.setSender(picked.sender);
    transaction.moveCall({ target: '0x2::clock::timestamp_ms', arguments: [transaction.object('0x6')] });
    const built = Transaction.from(await transaction.build({ client })).getData();
    assert.ok(BigInt(built.gasData.budget!) > 0n && BigInt(built.gasData.price!) > 0n);
    const [clock] = built.inputs;
    assert.ok(clock?.$kind === 'Object' && clock.Object.SharedObject);
    assert.equal(clock.Object.SharedObject.mutable, false);
  },
  async 'answers a call whose gas another address pays, with and without checks'({ client, picked }) {
    for (const checksEnabled of [true, false]) {
      const transaction = new Transaction();
      transaction.setSender(stranger.toSuiAddress());
      transaction.setGasOwner(picked.sender);
      transaction.moveCall({ target: '0x2::tx_context::sponsor' });
      const include = { commandResults: true } as const;
      const simulated = await client.simulateTransaction({ transaction, include, checksEnabled });
      const shown = simulated.commandResults![0]!.returnValues[0]!.bcs!;
      assert.equal(bcs.option(bcs.Address).parse(shown), picked.sender);
    }
  },
  async 'selects gas of the sponsor, for a sender that has none'({ client, picked }) {
    const transaction = new Transaction();
    transaction.setSender(stranger.toSuiAddress());
    transaction.setGasOwner(picked.sender);
    transaction.moveCall({ target: '0x2::clock::timestamp_ms', arguments: [transaction.object('0x6')] });
    const { gasData } = Transaction.from(await transaction.build({ client })).getData();
    assert.equal(gasData.owner, picked.sender);
    const { objects } = await client.getObjects({
      objectIds: gasData.payment!.map(({ objectId }) => objectId),
    });
    for (const coin of objects) {
      assert.ok(!(coin instanceof Error));
      assert.equal(coin.owner.AddressOwner, picked.sender);
    }
  },
  'refuses a payment without an owner': ({ client, picked }) =>
    refusedField(
      'owner',
      client.transactionExecutionService.simulateTransaction({
        transaction: {
          sender: picked.sender,
          kind: {
            data: {
              oneofKind: 'programmableTransaction',
              programmableTransaction: { inputs: [], commands: [] },
            },
          },
          gasPayment: { objects: [] },
        },
      }),
    ),
  'refuses no transaction': ({ client }) =>
    refusedField('transaction', client.transactionExecutionService.simulateTransaction({})),
  async 'refuses an object that does not exist'({ client, picked }) {
    const transaction = new Transaction();
    transaction.setSender(picked.sender);
    transaction.transferObjects([transaction.object(missingId)], picked.sender);
    const error = await transaction.build({ client }).then(
      () => undefined,
      (reason: Error) => reason,
    );
    assert.match(String(error), /not found|not exist|deleted|0xdede/i);
  },
  'refuses a field that does not exist': ({ client }) =>
    refusedField(
      'read_mask',
      client.transactionExecutionService.simulateTransaction({ readMask: { paths: ['nope'] } }),
    ),
});

const refusals = casesOf('ExecuteTransaction', {
  'refuses no transaction': ({ client }) =>
    refusedField('transaction', client.transactionExecutionService.executeTransaction({ signatures: [] })),
  'refuses bytes that are not a transaction': ({ client }) =>
    refused(
      'INVALID_ARGUMENT',
      client.transactionExecutionService.executeTransaction({
        transaction: { bcs: { value: Uint8Array.from([1, 2, 3]) } },
        signatures: [],
      }),
    ),
  'refuses a transaction without signatures': async ({ client, picked: { digest } }) => {
    const { response } = await client.ledgerService.getTransaction({
      digest,
      readMask: { paths: ['transaction.bcs'] },
    });
    await refused(
      'INVALID_ARGUMENT',
      client.transactionExecutionService.executeTransaction({
        transaction: { bcs: { value: response.transaction!.transaction!.bcs!.value! } },
        signatures: [],
      }),
    );
  },
  async "refuses a stranger's signature"({ client, picked: { digest } }) {
    const { response } = await client.ledgerService.getTransaction({
      digest,
      readMask: { paths: ['transaction.bcs'] },
    });
    const value = response.transaction!.transaction!.bcs!.value!;
    const { signature } = await stranger.signTransaction(value);
    await refused(
      'INVALID_ARGUMENT',
      client.transactionExecutionService.executeTransaction({
        transaction: { bcs: { value } },
        signatures: [{ bcs: { value: fromBase64(signature) }, signature: unset }],
      }),
    );
  },
});

const include = { effects: true, balanceChanges: true, objectTypes: true } as const;

async function execute({ client, key }: Subject, build: (transaction: Transaction) => void) {
  const transaction = new Transaction();
  build(transaction);
  const result = await client.signAndExecuteTransaction({ transaction, signer: key!, include });
  const executed = (result.Transaction ?? result.FailedTransaction)!;
  await client.waitForTransaction({ digest: executed.digest });
  return executed;
}

async function signed({ client, key }: Subject, build: (transaction: Transaction) => void) {
  const transaction = new Transaction();
  transaction.setSender(key!.toSuiAddress());
  build(transaction);
  const bytes = await transaction.build({ client });
  const { signature } = await key!.signTransaction(bytes);
  return { bytes, signature, digest: await transaction.getDigest() };
}

const payee = `0x${'ba'.repeat(32)}`;

const payment =
  (to: string, amount = 1_000) =>
  (transaction: Transaction) => {
    transaction.transferObjects([transaction.splitCoins(transaction.gas, [amount])], to);
  };

const executing = casesOf(
  'ExecuteTransaction',
  {
    async 'pays, and the balances change by what was paid and by gas'(subject) {
      const executed = await execute(subject, payment(payee));
      assert.equal(executed.status.success, true);
      const own = subject.key!.toSuiAddress();
      const changeOf = (address: string) =>
        BigInt(executed.balanceChanges!.find((change) => change.address === address)!.amount);
      const gas = executed.effects!.gasUsed;
      const cost = BigInt(gas.computationCost) + BigInt(gas.storageCost) - BigInt(gas.storageRebate);
      assert.equal(changeOf(payee), 1_000n);
      assert.equal(changeOf(own), -1_000n - cost);
    },
    async 'gives all it writes the version of the effects'(subject) {
      const { effects } = await execute(subject, payment(subject.key!.toSuiAddress()));
      for (const changed of effects!.changedObjects) {
        assert.equal(changed.outputVersion, effects!.lamportVersion);
        const { object } = await subject.client.getObject({ objectId: changed.objectId });
        if (object.version !== changed.outputVersion) continue;
        assert.equal(object.digest, changed.outputDigest);
      }
      assert.ok(effects!.changedObjects.some(({ idOperation }) => idOperation === 'Created'));
    },
    async 'executes the same bytes once, and answers the same again'(subject) {
      const { bytes, signature, digest } = await signed(subject, payment(payee));
      const send = () =>
        subject.client.executeTransaction({ transaction: bytes, signatures: [signature], include });
      const [first, second] = [await send(), await send()];
      assert.equal(first.Transaction!.digest, digest);
      assert.equal(second.Transaction!.effects!.transactionDigest, digest);
      assert.deepEqual(second.Transaction!.effects!.gasUsed, first.Transaction!.effects!.gasUsed);
    },
    async 'refuses an object version that was used'(subject) {
      const stale = await signed(subject, payment(payee));
      const gas = Transaction.from(stale.bytes).getData().gasData;
      await execute(subject, (transaction) => {
        transaction.setGasPayment(gas.payment!);
        payment(payee, 2_000)(transaction);
      });
      const again = subject.client.executeTransaction({
        transaction: stale.bytes,
        signatures: [stale.signature],
      });
      assert.notEqual(await codeOf(again), 'OK');
    },
    async 'refuses a budget below the least'(subject) {
      const { bytes } = await signed(subject, payment(payee));
      const transaction = Transaction.from(bytes);
      transaction.setGasBudget(1);
      const cheap = await transaction.build({ client: subject.client });
      const { signature } = await subject.key!.signTransaction(cheap);
      await refused(
        'INVALID_ARGUMENT',
        subject.client.executeTransaction({ transaction: cheap, signatures: [signature] }),
      );
    },
    async 'refuses a transaction whose epoch is over or whose chain is another'(subject) {
      const chain = new Uint8Array(32).fill(3);
      const { bytes } = await signed(subject, payment(payee));
      const data = bcs.TransactionData.parse(bytes);
      data.V1!.expiration = {
        $kind: 'ValidDuring',
        ValidDuring: {
          minEpoch: '0',
          maxEpoch: '1',
          minTimestamp: null,
          maxTimestamp: null,
          chain: bcs.ObjectDigest.parse(Uint8Array.from([32, ...chain])),
          nonce: 1,
        },
      } as typeof data.V1.expiration;
      const foreign = bcs.TransactionData.serialize(data).toBytes();
      const { signature } = await subject.key!.signTransaction(foreign);
      const error = await errorOf(
        subject.client.executeTransaction({ transaction: foreign, signatures: [signature] }),
      );
      assert.equal(error?.code, 'INVALID_ARGUMENT');
    },
    async 'executes a failing transaction, which pays and changes nothing else'(subject) {
      const executed = await execute(subject, (transaction) => {
        transaction.setGasBudget(20_000_000);
        const [coin] = transaction.moveCall({
          target: '0x2::coin::zero',
          typeArguments: ['0x2::sui::SUI'],
        });
        transaction.moveCall({
          target: '0x2::coin::split',
          typeArguments: ['0x2::sui::SUI'],
          arguments: [coin!, transaction.pure.u64(1)],
        });
        transaction.transferObjects([coin!], payee);
      }).catch((error: unknown) => error as Error);
      if (executed instanceof Error) {
        assert.match(executed.message, /abort/i);
        return;
      }
      assert.equal(executed.status.success, false);
      assert.equal(executed.effects!.changedObjects.length, 1);
    },
    async 'is in a checkpoint soon, and found by its sender'(subject) {
      const { digest } = await execute(subject, payment(payee));
      const { client } = subject;
      let checkpoint: string | null = null;
      while (checkpoint === null) {
        const result = await client.getTransaction({ digest });
        ({ checkpoint } = (result.Transaction ?? result.FailedTransaction)!);
        if (checkpoint === null) await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const { response } = await client.ledgerService.getCheckpoint({
        checkpointId: { oneofKind: 'sequenceNumber', sequenceNumber: BigInt(checkpoint) },
        readMask: { paths: ['transactions.digest'] },
      });
      assert.ok(response.checkpoint!.transactions.some((each) => each.digest === digest));
      isDigest(digest);
    },
  },
  'key',
);

export const executionCases = [...simulation, ...refusals, ...executing];
