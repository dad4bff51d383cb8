import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Transaction } from '@mysten/sui/transactions';
import { deriveDynamicFieldID } from '@mysten/sui/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Account, createAccount, execute } from '../account.ts';
import type { Localnet } from '../start.ts';
import { startTestLocalnet } from '../testing/start.ts';

const SHELF = `
module demo::shelf {
  use sui::dynamic_field as field;
  public struct Shelf has key { id: UID }
  fun init(ctx: &mut TxContext) {
    let mut shelf = Shelf { id: object::new(ctx) };
    field::add(&mut shelf.id, 1u8, 10u64);
    transfer::transfer(shelf, ctx.sender())
  }
  public fun look(shelf: &Shelf): u64 { *field::borrow(&shelf.id, 1u8) }
  public fun ask(shelf: &Shelf): bool { field::exists(&shelf.id, 1u8) }
  public fun ask_other(shelf: &Shelf): bool { field::exists(&shelf.id, 2u8) }
  public fun change(shelf: &mut Shelf) { let n: &mut u64 = field::borrow_mut(&mut shelf.id, 1u8); *n = *n + 1 }
  public fun fail(shelf: &Shelf) { look(shelf); abort 7 }
}`;

let localnet: Localnet;
let client: SuiGrpcClient;
let alice: Account;
let packageId: string;
let shelfId: string;
let fieldId: string;

beforeAll(async () => {
  localnet = await startTestLocalnet({ checkpointIntervalMs: 10 });
  client = new SuiGrpcClient({ network: 'localnet', baseUrl: localnet.rpcUrl });
  alice = await createAccount(client, localnet.faucetUrl);
  const { modules, dependencies } = await compileSources({
    'Move.toml': '[package]\nname = "demo"\nedition = "2024"\n[addresses]\ndemo = "0x0"\n',
    'sources/shelf.move': SHELF,
  });
  const { created } = await execute(alice, (tx) => {
    const cap = tx.publish({ modules: modules.map((bytes) => [...bytes]), dependencies });
    tx.transferObjects([cap], alice.address);
  });
  packageId = created.find(({ type }) => type === 'package')!.id;
  shelfId = created.find(({ type }) => type.endsWith('::Shelf'))!.id;
  fieldId = deriveDynamicFieldID(shelfId, 'u8', Uint8Array.of(1));
});
afterAll(() => localnet.close());

/** Makes a transaction that names everything, so that the SDK simulates nothing: one that fails executes too. */
async function calling(name: string): Promise<Uint8Array> {
  const { objects } = await client.core.listCoins({ owner: alice.address, coinType: '0x2::sui::SUI' });
  const gas = objects[0]!;
  const { object: shelf } = await client.core.getObject({ objectId: shelfId });
  const tx = new Transaction();
  tx.setSender(alice.address);
  tx.setGasBudget(50_000_000);
  tx.setGasPrice(1_000);
  tx.setGasPayment([{ objectId: gas.objectId, version: gas.version, digest: gas.digest }]);
  const { objectId, version, digest } = shelf;
  tx.moveCall({
    target: `${packageId}::shelf::${name}`,
    arguments: [tx.objectRef({ objectId, version, digest })],
  });
  return tx.build({ client });
}

const paths = ['digest', 'effects.unchanged_loaded_runtime_objects', 'objects.objects.object_id'];

/** Executes a call, and reads it again. */
async function read(name: string) {
  const bytes = await calling(name);
  const { signature } = await alice.keypair.signTransaction(bytes);
  const sent = await client.executeTransaction({ transaction: bytes, signatures: [signature] });
  const { digest } = sent.Transaction ?? sent.FailedTransaction!;
  const { response } = await client.ledgerService.getTransaction({ digest, readMask: { paths } });
  return response.transaction!;
}

async function readVersion(): Promise<bigint> {
  const readMask = { paths: ['version'] };
  const { response } = await client.ledgerService.getObject({ objectId: fieldId, readMask });
  return response.object!.version!;
}

test.each(['look', 'ask', 'fail'])(
  'a dynamic field that is only read is named beside the effects, with its version: %s',
  async (name) => {
    const { effects, objects } = await read(name);
    expect(effects!.unchangedLoadedRuntimeObjects).toEqual([
      { objectId: fieldId, version: await readVersion() },
    ]);
    expect(objects!.objects.map(({ objectId }) => objectId)).toContain(fieldId);
  },
);

test.each(['change', 'ask_other'])(
  'a field that is changed, or that is not there, is not named: %s',
  async (name) => {
    expect((await read(name)).effects!.unchangedLoadedRuntimeObjects).toEqual([]);
  },
);

test('a simulation names what it loaded too', async () => {
  const bytes = await calling('look');
  const { response } = await client.transactionExecutionService.simulateTransaction({
    transaction: { bcs: { value: bytes }, signatures: [] } as never,
    readMask: { paths: paths.map((path) => `transaction.${path}`) },
  });
  expect(response.transaction!.effects!.unchangedLoadedRuntimeObjects).toEqual([
    { objectId: fieldId, version: await readVersion() },
  ]);
});

test('a transaction that only loads an object is not found by it', async () => {
  const { digest } = await read('look');
  const filter = {
    terms: [
      {
        literals: [
          {
            negated: false,
            predicate: { oneofKind: 'affectedObject' as const, affectedObject: { objectId: fieldId } },
          },
        ],
      },
    ],
  };
  const found: (string | undefined)[] = [];
  const list = client.ledgerService.listTransactions({ filter, readMask: { paths: ['digest'] } });
  for await (const { transaction } of list.responses) if (transaction) found.push(transaction.digest);
  expect(found.length).toBeGreaterThan(0);
  expect(found).not.toContain(digest);
});
