import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { faucetKeypair } from '@adaptor-marketplace/localnet/ledger/genesis';
import type { Ledger } from '@adaptor-marketplace/localnet/ledger/ledger';
import type { ExecutedTransaction, ObjectRecord } from '@adaptor-marketplace/localnet/ledger/types';
import { compilePackage } from '@adaptor-marketplace/move-toolchain';
import { ChannelCredentials } from '@grpc/grpc-js';
import type { Signer } from '@mysten/sui/cryptography';
import { GrpcTypes, SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Inputs, Transaction } from '@mysten/sui/transactions';
import { fromBase64, toBase64 } from '@mysten/sui/utils';
import { GrpcTransport } from '@protobuf-ts/grpc-transport';

/** `npm run localnet` in its own process. The stack stops it. @param nodeFlags flags of Node. */
export async function startServer(
  flags: string[],
  stack: AsyncDisposableStack,
  nodeFlags: readonly string[] = [],
): Promise<{ url: string; process: ChildProcess }> {
  const main = new URL('../../packages/localnet/src/command/main.ts', import.meta.url).pathname;
  const tellCpu = new URL('../tell-cpu.ts', import.meta.url).href;
  const ports = ['--port', '0', '--faucet-port', '0'];
  const child = spawn(process.execPath, [...nodeFlags, '--import', tellCpu, main, ...ports, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  stack.defer(async () => {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  });
  for await (const line of createInterface(child.stdout!)) {
    const url = /gRPC and grpc-web\s+(http\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout!.resume();
    return { url, process: child };
  }
  throw new Error('the local network ended before it served');
}

/** A temporary folder. The stack removes it. */
export async function temporaryFolder(stack: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-localnet-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const { ChangedObject_OutputObjectState: Output } = GrpcTypes;

/** A client over native gRPC that does as little work as possible beside the measured calls. */
export class Client {
  readonly #transport: GrpcTransport;
  readonly #client: SuiGrpcClient;

  constructor(url: string) {
    this.#transport = new GrpcTransport({
      host: new URL(url).host,
      channelCredentials: ChannelCredentials.createInsecure(),
    });
    this.#client = new SuiGrpcClient({ network: 'localnet', transport: this.#transport });
  }

  close(): void {
    this.#transport.close();
  }

  async serviceInfo(): Promise<void> {
    await this.#client.ledgerService.getServiceInfo({});
  }

  /** A coin from genesis. */
  async firstGas(): Promise<Reference> {
    const { objects } = await this.#client.listCoins({ owner: faucetKeypair().toSuiAddress(), limit: 1 });
    return objects[0]!;
  }

  /** Executes a transaction and reads its digest and status. @throws Error when it fails */
  async execute(transaction: Signed): Promise<void> {
    await this.#execute(transaction, ['digest', 'effects.status']);
  }

  /** Executes a transaction and returns what it created. @throws Error when it fails */
  async create(transaction: Signed): Promise<Created> {
    const effects = await this.#execute(transaction, ['effects']);
    const created = effects.changedObjects.filter(
      ({ idOperation }) => idOperation === GrpcTypes.ChangedObject_IdOperation.CREATED,
    );
    return {
      gas: changeReference(effects.gasObject!),
      objects: created.map((object) => ({
        ...changeReference(object),
        type: object.outputState === Output.PACKAGE_WRITE ? 'package' : object.objectType!,
      })),
    };
  }

  async #execute({ bytes, signature }: Signed, paths: string[]): Promise<GrpcTypes.TransactionEffects> {
    const { response } = await this.#client.transactionExecutionService.executeTransaction({
      transaction: { bcs: { value: bytes } },
      signatures: [{ bcs: { value: signature }, signature: { oneofKind: undefined } }],
      readMask: { paths },
    });
    const effects = response.transaction!.effects!;
    if (!effects.status?.success) throw new Error(JSON.stringify(effects.status?.error?.description));
    return effects;
  }
}

function changeReference(object: GrpcTypes.ChangedObject): Reference {
  return {
    objectId: object.objectId!,
    version: String(object.outputVersion),
    digest: object.outputDigest!,
  };
}

/** A coin from genesis. */
export function findFirstGas(ledger: Ledger): Reference {
  const [coin] = ledger.listOwnedObjects(faucetKeypair().toSuiAddress(), { limit: 1 }).items;
  return recordReference(coin!);
}

/** Executes a transaction in a ledger of this process. */
export async function executeIn(ledger: Ledger, { bytes, signature }: Signed): Promise<Created> {
  return createdBy(ledger, await ledger.execute(bytes, [signature]));
}

function createdBy(ledger: Ledger, executed: ExecutedTransaction): Created {
  if (executed.failureDescription !== undefined) throw new Error(executed.failureDescription);
  const { effects } = executed;
  const gasId = effects.changedObjects[effects.gasObjectIndex!]![0];
  const created = executed.objects.filter(({ change }) => change === 'created');
  return {
    gas: recordReference(ledger.getObject(gasId)!),
    objects: created.map(({ id, type }) => ({ ...recordReference(ledger.getObject(id)!), type })),
  };
}

function recordReference({ id, version, digest }: ObjectRecord): Reference {
  return { objectId: id, version: String(version), digest };
}

/** Concurrent calls. */
export const clients = 32;

/** Executes the transactions of a list once. Returns transactions per second. */
export async function perSecond(
  list: Signed[],
  execute: (transaction: Signed) => Promise<void>,
): Promise<number> {
  const waiting = list.values();
  const client = async () => {
    for (const each of waiting) await execute(each);
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  return (list.length * 1_000) / (performance.now() - started);
}

export interface Rates {
  /** Transactions per second. */
  calls: number;
  tenCommands: number;
  /** Processor time of the process that executes. */
  cpuMicrosPerCall: number;
}

export type Count = Record<'calls' | 'tenCommands' | 'warmUp', number>;

export function toWorkCount({ calls, tenCommands, warmUp }: Count) {
  return { calls: calls + warmUp, tenCommands };
}

/** Executes a workload, whose first calls are not measured. */
export async function rates(
  workload: Workload,
  warmUp: number,
  cpuMicros: () => Promise<number>,
  execute: (transaction: Signed) => Promise<void>,
): Promise<Rates> {
  await perSecond(workload.calls.splice(0, warmUp), execute);
  const before = await cpuMicros();
  const calls = await perSecond(workload.calls, execute);
  const cpuMicrosPerCall = ((await cpuMicros()) - before) / workload.calls.length;
  return { calls, cpuMicrosPerCall, tenCommands: await perSecond(workload.tenCommands, execute) };
}

const registryDirectory = new URL('../../move/registry/', import.meta.url).pathname;
const coinsPerTransaction = 250;
const coinMist = 1_000_000_000;

interface Signed {
  bytes: Uint8Array;
  signature: Uint8Array;
}

interface Reference {
  objectId: string;
  version: string;
  digest: string;
}

/** Objects that a transaction of the set-up created, and its gas coin afterwards. */
interface Created {
  gas: Reference;
  objects: (Reference & { type: string })[];
}

/** Executes a signed transaction and returns what it created. @throws Error when it fails */
type Execute = (transaction: Signed) => Promise<Created>;

/** Signed transactions that are independent of each other. */
interface Workload {
  /** Address that sends them. */
  sender: string;
  /** Each has one registration. */
  calls: Signed[];
  /** Each has a registration, eight updates and an unlisting. */
  tenCommands: Signed[];
}

/**
 * Publishes the registry, splits a gas coin for each transaction of the load, and builds and signs all transactions before
 * the measurement. The faucet pays, whose key is public on local networks.
 */
export async function prepareWorkload(
  count: { calls: number; tenCommands: number },
  firstGas: Reference,
  execute: Execute,
): Promise<Workload> {
  const bank = faucetKeypair();
  const publication = await execute(await signed(bank, await publishing(bank.toSuiAddress()), firstGas));
  const packageId = publication.objects.find(({ type }) => type === 'package')!.objectId;
  const registry = publication.objects.find(({ type }) => type.endsWith('::registry::Registry'))!;
  const publisher = Ed25519Keypair.generate();
  const coins: Reference[] = [];
  let { gas } = publication;
  while (coins.length < count.calls + count.tenCommands) {
    const { gas: rest, objects } = await execute(await signed(bank, funding(publisher.toSuiAddress()), gas));
    coins.push(...objects);
    gas = rest;
  }
  const build = (commands: Call[], index: number) =>
    signed(publisher, registryCalls(packageId, registry, commands, index), coins[index]!);
  const calls: Signed[] = [];
  for (let index = 0; index < count.calls; index += 1) calls.push(await build(['register'], index));
  const tenCommands: Signed[] = [];
  for (let index = 0; index < count.tenCommands; index += 1) {
    const commands: Call[] = ['register', ...new Array<Call>(8).fill('update'), 'unlist'];
    tenCommands.push(await build(commands, count.calls + index));
  }
  return { sender: publisher.toSuiAddress(), calls, tenCommands };
}

type Call = 'register' | 'update' | 'unlist';

function registryCalls(packageId: string, registry: Reference, calls: Call[], index: number): Transaction {
  const transaction = new Transaction();
  const shared = transaction.object(
    Inputs.SharedObjectRef({
      objectId: registry.objectId,
      initialSharedVersion: registry.version,
      mutable: true,
    }),
  );
  const clock = transaction.object(
    Inputs.SharedObjectRef({ objectId: '0x6', initialSharedVersion: 1, mutable: false }),
  );
  const address = transaction.pure.address(packageId);
  const service = transaction.pure.string(`${packageId}::bench::Service${index}`);
  const uri = transaction.pure.string('walrus://a-manifest-of-a-usual-length-of-forty-three');
  const hash = transaction.pure.vector('u8', new Array<number>(32).fill(7));
  const given = {
    register: [shared, address, service, uri, hash, clock],
    update: [shared, service, address, uri, hash, clock],
    unlist: [shared, service, clock],
  };
  for (const call of calls) {
    transaction.moveCall({ target: `${packageId}::registry::${call}`, arguments: given[call] });
  }
  return transaction;
}

async function publishing(owner: string): Promise<Transaction> {
  const { modules, dependencies } = await compilePackage(registryDirectory);
  const transaction = new Transaction();
  const cap = transaction.publish({ modules: modules.map((bytes) => toBase64(bytes)), dependencies });
  transaction.transferObjects([cap], owner);
  return transaction;
}

function funding(owner: string): Transaction {
  const transaction = new Transaction();
  const coins = transaction.splitCoins(
    transaction.gas,
    new Array<number>(coinsPerTransaction).fill(coinMist),
  );
  const each = Array.from({ length: coinsPerTransaction }, (_, index) => coins[index]!);
  transaction.transferObjects(each, owner);
  return transaction;
}

async function signed(signer: Signer, transaction: Transaction, gas: Reference): Promise<Signed> {
  transaction.setSender(signer.toSuiAddress());
  transaction.setGasPrice(1_000);
  transaction.setGasBudget(900_000_000);
  transaction.setGasPayment([gas]);
  const bytes = await transaction.build();
  const { signature } = await signer.signTransaction(bytes);
  return { bytes, signature: fromBase64(signature) };
}
