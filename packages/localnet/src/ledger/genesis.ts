import { createHash } from 'node:crypto';
import { bcs } from '@mysten/sui/bcs';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import type { MoveObject, PackageObject, StoredObject, TypeOrigin } from '../state/objects.ts';
import { STD, SUI, SUI_SYSTEM } from '../vm/framework.ts';
import { deserializeModule } from '../vm/loader/bytecode.ts';
import { digestOf, zeroDigest } from './digests.ts';
import { storagePrice } from './gas.ts';
import { clockId, clockType, suiCoinType, systemStateId, withU64 } from './move-types.ts';
import { encodeObject, recordObject } from './object-bcs.ts';
import { protocolVersion, referenceGasPrice } from './protocol.ts';
import { callAsSystem, frameworkCall } from './system-calls.ts';
import { systemTransaction } from './system-transactions.ts';
import type { FrameworkModules, ObjectRecord } from './types.ts';

/** The faucet's coins: many, so that a faucet can pay from several at once. 5 thousand million SUI in all. */
const faucetCoins = 500;
const faucetCoinBalance = 10_000_000n * 1_000_000_000n;

/** MIST that the one validator has staked with itself since genesis: 20 million SUI. */
const validatorStake = 20_000_000n * 1_000_000_000n;

/** MIST there are: at genesis all of them are in the faucet's coins and the validator's stake. */
export const suiSupply = BigInt(faucetCoins) * faucetCoinBalance + validatorStake;

/**
 * The key of the account that holds all SUI at genesis. It is the same on every local network and public: it
 * is worth nothing anywhere else.
 */
export function faucetKeypair(): Ed25519Keypair {
  // The validation signs and verifies, which takes a twentieth of a second at the start.
  return Ed25519Keypair.fromSecretKey(seed('localnet faucet'), { skipValidation: true });
}

/** The key of the one validator, which signs nothing: with it, its stake can be used. As public as the faucet's. */
export function validatorKeypair(): Ed25519Keypair {
  return Ed25519Keypair.fromSecretKey(seed('localnet validator'), { skipValidation: true });
}

export interface Genesis {
  transactionBcs: Uint8Array;
  transactionDigest: string;
  objects: ObjectRecord[];
}

/**
 * The first transaction: the framework at 0x1 to 0x3, the clock at 0x6, what the framework's `create` functions make
 * (see `systemObjects`), and the faucet's coins.
 */
export function createGenesis(framework: FrameworkModules, timestampMs: number): Genesis {
  const stdlib = frameworkPackage(STD, framework.stdlib, []);
  const sui = frameworkPackage(SUI, framework.sui, [STD]);
  const packages = [stdlib, sui, frameworkPackage(SUI_SYSTEM, framework.suiSystem, [STD, SUI])];
  const made = systemObjects(packages, timestampMs);
  const objects: StoredObject[] = [...packages, clockObject(timestampMs), ...made];
  const owner = faucetKeypair().toSuiAddress();
  for (let index = 0; index < faucetCoins; index += 1) objects.push(faucetCoin(index, owner));
  const raw = objects.map((object) => {
    const { data, owner: objectOwner } = bcs.Object.parse(encodeObject(object, 0n));
    return { RawObject: { data, owner: objectOwner } };
  });
  const transactionBcs = systemTransaction({ Genesis: { objects: raw } });
  const transactionDigest = digestOf('TransactionData', transactionBcs);
  const records = objects.map((object) =>
    recordObject({ ...object, previousTransaction: transactionDigest }, storagePrice),
  );
  return { transactionBcs, transactionDigest, objects: records };
}

function frameworkPackage(
  id: string,
  modules: ReadonlyMap<string, Uint8Array>,
  dependencies: string[],
): PackageObject {
  const sorted = [...modules].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    kind: 'package',
    id,
    version: 1n,
    originalId: id,
    modules: new Map(sorted),
    typeOrigins: sorted.flatMap(([module, bytes]) => typeOrigins(id, module, bytes)),
    linkage: new Map(dependencies.map((dependency) => [dependency, { storageId: dependency, version: 1n }])),
    previousTransaction: zeroDigest,
  };
}

function typeOrigins(packageId: string, module: string, bytes: Uint8Array): TypeOrigin[] {
  const { identifiers, datatype_handles, struct_defs, enum_defs } = deserializeModule(bytes);
  const handles = [
    ...struct_defs.map(({ struct_handle }) => struct_handle),
    ...enum_defs.map(({ enum_handle }) => enum_handle),
  ];
  return handles.map((handle) => {
    const name = identifiers[datatype_handles[handle]?.name ?? -1];
    if (name === undefined) throw new Error(`module ${module} names no datatype ${handle}`);
    return { module, datatype: name, packageId };
  });
}

/** Authenticator state at 0x7, randomness at 0x8, address aliases at 0xa, registries at 0xc and 0xd, deny list at 0x403, accumulator root at 0xacc. */
const createdModules = [
  ...['random', 'deny_list', 'coin_registry', 'display_registry', 'authenticator_state', 'accumulator'],
  'address_alias',
];

/** What `createdModules` make, and the system state at 0x5 with its one validator. */
function systemObjects(packages: PackageObject[], timestampMs: number): MoveObject[] {
  // What a function takes by value may be given as bytes by the system, the id and the stake among them.
  const state = [
    bcs.Address.serialize(systemStateId),
    bcs.u64().serialize(validatorStake),
    bcs.Address.serialize(validatorKeypair().toSuiAddress()),
    bcs.string().serialize('localnet'),
    bcs.string().serialize('The local network, which is one process.'),
    bcs.u64().serialize(referenceGasPrice),
    bcs.u64().serialize(protocolVersion),
    bcs.u64().serialize(timestampMs),
  ].map((value) => ({ kind: 'pure' as const, bytes: value.toBytes() }));
  const made = callAsSystem({
    transactionDigest: zeroDigest,
    commands: [
      ...createdModules.map((module) => frameworkCall([module, 'create'])),
      frameworkCall(['genesis', 'create', SUI_SYSTEM], [...state.keys()]),
    ],
    inputs: state,
    readObject: (id) => packages.find((each) => each.id === id),
  });
  return made.flatMap((write) => {
    if (!('contents' in write)) return [];
    const { id, type, contents, hasPublicTransfer, owner } = write;
    const object: MoveObject = {
      kind: 'move',
      id,
      version: 1n,
      type,
      contents,
      hasPublicTransfer,
      owner: owner.kind === 'shared' ? { kind: 'shared', initialSharedVersion: 1n } : owner,
      previousTransaction: zeroDigest,
    };
    return [object];
  });
}

function clockObject(timestampMs: number): MoveObject {
  return {
    kind: 'move',
    id: clockId,
    version: 1n,
    type: clockType,
    owner: { kind: 'shared', initialSharedVersion: 1n },
    contents: idAndU64(clockId, BigInt(timestampMs)),
    hasPublicTransfer: false,
    previousTransaction: zeroDigest,
  };
}

function faucetCoin(index: number, owner: string): MoveObject {
  const id = `0x${seed(`localnet faucet coin ${index}`).toString('hex')}`;
  return {
    kind: 'move',
    id,
    version: 1n,
    type: suiCoinType,
    owner: { kind: 'address', address: owner },
    contents: idAndU64(id, faucetCoinBalance),
    hasPublicTransfer: true,
    previousTransaction: zeroDigest,
  };
}

function idAndU64(id: string, value: bigint): Uint8Array {
  return withU64(Buffer.concat([Buffer.from(id.slice(2), 'hex'), Buffer.alloc(8)]), value);
}

function seed(name: string): Buffer {
  return createHash('sha256').update(name).digest();
}
