import { bcs } from '@mysten/sui/bcs';
import { requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import type { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { SerialTransactionExecutor, Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Localnet } from '../start.ts';
import { eventually } from '../testing/eventually.ts';
import { startTestLocalnet } from '../testing/start.ts';
import { describeEachTransport } from './testing/each-transport.ts';
import { compileTestPackage } from './testing/package.ts';

let localnet: Localnet;

beforeAll(async () => {
  localnet = await startTestLocalnet({ checkpointIntervalMs: 10 });
});
afterAll(() => localnet.close());

describeEachTransport('an unchanged client', (transport) => {
  let client: SuiGrpcClient;
  let disconnect: () => void;
  let key: Ed25519Keypair;
  let address: string;
  let packageId: string;
  let boardId: string;

  async function execute(build: (transaction: Transaction) => void) {
    const transaction = new Transaction();
    build(transaction);
    const result = await client.signAndExecuteTransaction({
      transaction,
      signer: key,
      include: { effects: true, events: true, objectTypes: true, balanceChanges: true, transaction: true },
    });
    const executed = result.Transaction ?? result.FailedTransaction;
    await client.waitForTransaction({ digest: executed.digest });
    return executed;
  }

  const note = (text: string) =>
    execute((transaction) => {
      const args = [transaction.object(boardId), transaction.pure.string(text)];
      transaction.moveCall({ target: `${packageId}::demo::note`, arguments: args });
    });

  /** A transaction is found as soon as it executed; its checkpoint comes a little later. */
  const checkpointOf = (digest: string) =>
    eventually(async () => {
      const { Transaction: found } = await client.getTransaction({ digest });
      expect(found!.checkpoint).not.toBeNull();
      expect(found!.timestampMs).toBeGreaterThan(0);
      return BigInt(found!.checkpoint!);
    });

  beforeAll(async () => {
    ({ client, close: disconnect } = transport.connect(localnet.rpcUrl));
    key = Ed25519Keypair.generate();
    address = key.toSuiAddress();
    await requestSuiFromFaucetV2({ host: localnet.faucetUrl, recipient: address });
    const { modules, dependencies } = await compileTestPackage();
    const published = await execute((transaction) => {
      const cap = transaction.publish({ modules: modules.map((each) => [...each]), dependencies });
      transaction.transferObjects([cap], address);
    });
    expect(published.status).toEqual({ success: true, error: null });
    const changed = published.effects!.changedObjects;
    packageId = changed.find(({ outputState }) => outputState === 'PackageWrite')!.objectId;
    const types = Object.entries(published.objectTypes!);
    boardId = types.find(([, type]) => type === `${packageId}::demo::Board`)![0];
  });
  afterAll(() => disconnect());

  test('finds what the faucet sent as coins and as a balance', async () => {
    const { objects } = await client.listCoins({ owner: address });
    const { balance } = await client.getBalance({ owner: address });
    const total = objects.reduce((sum, coin) => sum + BigInt(coin.balance), 0n);
    expect(balance.balance).toBe(String(total));
    const { balances } = await client.listBalances({ owner: address });
    expect(balances.map(({ balance: amount }) => amount)).toContain(String(total));
  });

  test('calls a function and reads its events, effects and balance changes', async () => {
    const executed = await note('hello');
    expect(executed.status.success).toBe(true);
    const [event] = executed.events!;
    expect(event).toMatchObject({ eventType: `${packageId}::demo::Noted`, sender: address, module: 'demo' });
    expect(event!.json).toMatchObject({
      by: address,
      small: 5,
      flag: true,
      text: 'hello',
      bytes: 'AQID',
      list: ['1', '2'],
      maybe: '9',
      none: null,
      big: String(1n << 200n),
      id: boardId,
      kind: { '@variant': 'Named', name: 'hello', at: '3' },
    });
    expect(executed.balanceChanges).toHaveLength(1);
    expect(BigInt(executed.balanceChanges![0]!.amount)).toBeLessThan(0n);
    const gas = executed.effects!.gasObject!;
    expect(gas.outputVersion).toBe(executed.effects!.lamportVersion);
  });

  test('reads a transaction back as it was executed', async () => {
    const executed = await note('again');
    const include = { effects: true, transaction: true, bcs: true, events: true } as const;
    const { Transaction: found } = await client.getTransaction({ digest: executed.digest, include });
    expect(found!.effects).toEqual(executed.effects);
    expect(found!.transaction).toEqual(executed.transaction);
    expect(await checkpointOf(executed.digest)).toBeGreaterThan(0n);
    expect(Transaction.from(found!.bcs!).getData().sender).toBe(address);
    await expect(client.getTransaction({ digest: '1'.repeat(32) })).rejects.toThrow(/not found/i);
  });

  test('sees an abort with its code and place, both when simulating and when executing', async () => {
    const transaction = new Transaction();
    transaction.moveCall({ target: `${packageId}::demo::refuse` });
    transaction.setSender(address);
    const simulated = await client.simulateTransaction({ transaction });
    expect(simulated.FailedTransaction?.status.error?.MoveAbort).toMatchObject({ abortCode: '7' });
    const failed = await execute((forced) => {
      forced.moveCall({ target: `${packageId}::demo::refuse` });
      forced.setGasBudget(50_000_000);
      forced.setGasPrice(1000);
    }).catch((error: unknown) => error);
    expect(String(failed)).toMatch(/abort/i);
  });

  test('simulates a call and gets what it returns', async () => {
    const transaction = new Transaction();
    transaction.setSender(address);
    transaction.moveCall({ target: `${packageId}::demo::count`, arguments: [transaction.object(boardId)] });
    const { commandResults } = await client.simulateTransaction({
      transaction,
      include: { commandResults: true },
    });
    const bytes = commandResults![0]!.returnValues[0]!.bcs!;
    const { object } = await client.getObject({ objectId: boardId, include: { json: true } });
    expect(bcs.u64().parse(bytes)).toBe(object.json!.count);
  });

  test('outputs of a simulation that no answer should hold are refused, the simulation is not', async () => {
    const transaction = new Transaction();
    transaction.setSender(address);
    const piece = transaction.pure.string('x'.repeat(16_000));
    const [text] = transaction.moveCall({ target: '0x1::string::utf8', arguments: [piece] });
    for (let i = 0; i < 50; i++) {
      transaction.moveCall({ target: '0x1::string::append', arguments: [text!, piece] });
    }
    const outputs = { transaction, include: { commandResults: true } } as const;
    await expect(client.simulateTransaction(outputs)).rejects.toMatchObject({ code: 'RESOURCE_EXHAUSTED' });
    expect((await client.simulateTransaction({ transaction })).Transaction?.status.success).toBe(true);
  });

  test('reads objects with contents, owner, BCS and JSON, and says which do not exist', async () => {
    const include = { content: true, json: true, objectBcs: true, previousTransaction: true } as const;
    const { object } = await client.getObject({ objectId: boardId, include });
    expect(object).toMatchObject({ objectId: boardId, type: `${packageId}::demo::Board` });
    expect(object.owner.$kind).toBe('Shared');
    expect(object.json).toMatchObject({ id: boardId, funds: '0' });
    const parsed = bcs.Object.parse(object.objectBcs!);
    expect([...parsed.data.Move!.contents]).toEqual([...object.content!]);
    expect(parsed.previousTransaction).toBe(object.previousTransaction);
    await expect(client.getObject({ objectId: '0xdead' })).rejects.toThrow(/not found/i);
  });

  test('lists owned objects by type, page by page', async () => {
    await execute((transaction) => {
      const boxes = [1, 2, 3].map((value) =>
        transaction.moveCall({ target: `${packageId}::demo::box`, arguments: [transaction.pure.u64(value)] }),
      );
      transaction.transferObjects(boxes, address);
    });
    const type = `${packageId}::demo::Box`;
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof client.listOwnedObjects>> = await client.listOwnedObjects({
        owner: address,
        type,
        limit: 2,
        cursor,
      });
      ids.push(...page.objects.map(({ objectId }) => objectId));
      cursor = page.hasNextPage ? page.cursor : null;
    } while (cursor);
    expect(new Set(ids).size).toBe(3);
  });

  test('finds dynamic fields and dynamic object fields by name', async () => {
    await execute((transaction) => {
      const args = [transaction.object(boardId), transaction.pure.u64(4), transaction.pure.u64(44)];
      transaction.moveCall({ target: `${packageId}::demo::attach`, arguments: args });
    });
    const { dynamicFields } = await client.listDynamicFields({ parentId: boardId, include: { value: true } });
    expect(dynamicFields.map(({ $kind }) => $kind).sort()).toEqual(['DynamicField', 'DynamicObject']);
    const name = { type: 'u64', bcs: bcs.u64().serialize(4).toBytes() };
    const { dynamicField } = await client.getDynamicField({ parentId: boardId, name });
    expect(bcs.u64().parse(dynamicField.value.bcs)).toBe('44');
    const child = await client.getDynamicObjectField({ parentId: boardId, name, include: { json: true } });
    expect(child.object.json).toMatchObject({ value: '44' });
  });

  test('describes functions, datatypes and packages', async () => {
    const { function: fn } = await client.getMoveFunction({ packageId, moduleName: 'demo', name: 'note' });
    expect(fn.visibility).toBe('public');
    expect(fn.parameters.map(({ reference }) => reference)).toEqual(['mutable', null, 'immutable']);
    const { response } = await client.movePackageService.getPackage({ packageId });
    const module = response.package!.modules.find(({ name }) => name === 'demo');
    expect(module!.datatypes.find(({ name }) => name === 'Kind')!.variants).toHaveLength(2);
    const published = await client.ledgerService.getObject({
      objectId: packageId,
      readMask: { paths: ['package'] },
    });
    const { modules, typeOrigins } = published.response.object!.package!;
    expect(typeOrigins.length).toBe(6);
    expect(modules.map(({ name, contents }) => [name, contents!.length > 0])).toContainEqual(['demo', true]);
    const versions = await client.movePackageService.listPackageVersions({ packageId });
    expect(versions.response.versions).toEqual([{ packageId, version: 1n }]);
    const unknown = client.getMoveFunction({ packageId, moduleName: 'demo', name: 'nothing' });
    await expect(unknown).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  test('pays another account by splitting a coin it did not choose itself', async () => {
    const recipient = Ed25519Keypair.generate().toSuiAddress();
    await execute((transaction) => {
      transaction.transferObjects([transaction.coin({ balance: 1_000n })], recipient);
    });
    const { balance } = await client.getBalance({ owner: recipient });
    expect(balance.balance).toBe('1000');
  });

  test('builds a transaction for somebody else to send, and one that a sponsor pays', async () => {
    const draft = new Transaction();
    draft.moveCall({
      target: `${packageId}::demo::note`,
      arguments: [draft.object(boardId), draft.pure.string('sponsored')],
    });
    const kind = await draft.build({ client, onlyTransactionKind: true });
    const sponsor = Ed25519Keypair.generate();
    await requestSuiFromFaucetV2({ host: localnet.faucetUrl, recipient: sponsor.toSuiAddress() });
    const transaction = Transaction.fromKind(kind);
    transaction.setSender(address);
    transaction.setGasOwner(sponsor.toSuiAddress());
    const bytes = await transaction.build({ client });
    const signatures = await Promise.all([key, sponsor].map((signer) => signer.signTransaction(bytes)));
    const result = await client.executeTransaction({
      transaction: bytes,
      signatures: signatures.map(({ signature }) => signature),
      include: { balanceChanges: true },
    });
    expect(result.Transaction!.balanceChanges!.map((change) => change.address)).toEqual([
      sponsor.toSuiAddress(),
    ]);
  });

  test('runs transactions through the SDK executors without building each by the network', async () => {
    const executor = new SerialTransactionExecutor({ client, signer: key });
    const results = await Promise.all(
      ['one', 'two', 'three'].map((text) => {
        const transaction = new Transaction();
        transaction.moveCall({
          target: `${packageId}::demo::note`,
          arguments: [transaction.object(boardId), transaction.pure.string(text)],
        });
        return executor.executeTransaction(transaction);
      }),
    );
    expect(results.map(({ $kind }) => $kind)).toEqual(['Transaction', 'Transaction', 'Transaction']);
  });

  test('knows a published coin by its metadata, and pays with it', async () => {
    const coinType = `${packageId}::gem::GEM`;
    const { coinMetadata } = await client.getCoinMetadata({ coinType });
    expect(coinMetadata).toMatchObject({ decimals: 6, symbol: 'GEM', name: 'Gem', iconUrl: null });
    const { response } = await client.stateService.getCoinInfo({ coinType });
    expect(response.treasury!.totalSupply).toBe(1_000n);
    const recipient = Ed25519Keypair.generate().toSuiAddress();
    await execute((transaction) => {
      transaction.transferObjects([transaction.coin({ type: coinType, balance: 300n })], recipient);
    });
    expect((await client.getBalance({ owner: recipient, coinType })).balance.balance).toBe('300');
    expect((await client.getCoinMetadata({ coinType: `${packageId}::no::NO` })).coinMetadata).toBeNull();
  });

  test('learns the chain, the gas price, the system state and the protocol', async () => {
    const { chainIdentifier } = await client.getChainIdentifier();
    expect(chainIdentifier).toBe(localnet.ledger.chainId);
    expect((await client.getReferenceGasPrice()).referenceGasPrice).toBe('1000');
    expect((await client.getCurrentSystemState()).systemState.epoch).toBe('0');
    const { protocolConfig } = await client.getProtocolConfig();
    expect(protocolConfig.attributes.max_tx_size_bytes).toBe('131072');
    expect((await client.getCoinMetadata({ coinType: '0x2::sui::SUI' })).coinMetadata?.decimals).toBe(9);
  });

  test('reads checkpoints by number and by digest, whole', async () => {
    const { digest } = await note('in a checkpoint');
    const checkpoint = await checkpointOf(digest);
    const { response } = await client.ledgerService.getCheckpoint({
      checkpointId: { oneofKind: 'sequenceNumber', sequenceNumber: checkpoint },
      readMask: { paths: ['*'] },
    });
    expect(response.checkpoint!.transactions.map((each) => each.digest)).toContain(digest);
    expect(response.checkpoint!.summary!.previousDigest).toBeTruthy();
    const again = await client.ledgerService.getCheckpoint({
      checkpointId: { oneofKind: 'digest', digest: response.checkpoint!.digest! },
    });
    expect(again.response.checkpoint).toEqual({
      sequenceNumber: checkpoint,
      digest: response.checkpoint!.digest,
      transactions: [],
    });
  });

  test('pages through events forwards and backwards and gets the same ones', async () => {
    for (const text of ['a', 'b', 'c', 'd']) await note(text);
    await checkpointOf((await note('e')).digest);
    const filter = { eventType: `${packageId}::demo` };
    const forwards: string[] = [];
    let after: string | undefined;
    for (;;) {
      const page = await client.core.listEvents({ filter, limit: 2, ...(after && { after }) });
      forwards.push(...page.events.map((event) => `${event.transactionDigest}:${event.eventIndex}`));
      if (!page.hasNextPage) break;
      after = page.endCursor!;
    }
    const backwards = await client.core.listEvents({ filter, limit: 100, order: 'descending' });
    expect(forwards.length).toBeGreaterThanOrEqual(5);
    expect(backwards.events.map((event) => `${event.transactionDigest}:${event.eventIndex}`)).toEqual(
      forwards.toReversed(),
    );
  });

  test('lists its transactions by sender and by called function', async () => {
    await checkpointOf((await note('listed')).digest);
    const bySender = await client.listTransactions({ filter: { sender: address }, limit: 100 });
    const byCall = await client.listTransactions({
      filter: { function: `${packageId}::demo::note` },
      limit: 100,
    });
    expect(bySender.transactions.length).toBeGreaterThan(byCall.transactions.length);
    expect(byCall.transactions.length).toBeGreaterThan(0);
  });

  test('is refused in words what is wrong', async () => {
    const mask = client.ledgerService.getObject({ objectId: boardId, readMask: { paths: ['nope'] } });
    await expect(mask).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    const id = client.ledgerService.getObject({ objectId: 'zz' });
    await expect(id).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    const bytes = client.transactionExecutionService.executeTransaction({
      transaction: { bcs: { value: new Uint8Array([1, 2, 3]) } },
      signatures: [],
    });
    await expect(bytes).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    const names = client.nameService.lookupName({ name: 'x.sui' });
    await expect(names).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('gets the network state with every answer', async () => {
    const call = client.ledgerService.getServiceInfo({});
    const headers = await call.headers;
    const { response } = await call;
    expect(headers['x-sui-chain-id']).toBe(response.chainId);
    expect(BigInt(String(headers['x-sui-checkpoint-height']))).toBeGreaterThanOrEqual(
      response.checkpointHeight! - 1n,
    );
    expect(headers['x-sui-lowest-available-checkpoint']).toBe('0');
  });
});
