import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { Ledger } from '@adaptor-marketplace/localnet/ledger/ledger';
import { referenceTo } from '@adaptor-marketplace/localnet/ledger/testing/network';
import type { ExecutedTransaction } from '@adaptor-marketplace/localnet/ledger/types';
import { Ed25519Keypair, Ed25519PublicKey } from '@mysten/sui/keypairs/ed25519';
import { Inputs, type ObjectRef, Transaction } from '@mysten/sui/transactions';
import { blake2b } from '@noble/hashes/blake2.js';

/** PKCS #8 of an Ed25519 key, before its 32 bytes (RFC 8410). */
const keyPrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const transactionIntent = Uint8Array.of(0, 0, 0);
const gasPrice = 1_000;

/** An account that signs transactions. */
export interface Actor {
  readonly name: string;
  readonly address: string;
  /** Id of the coin that pays its gas; undefined for an account that never pays. */
  gasId?: string | undefined;
  /** Flag, signature and public key over a transaction. */
  sign(bytes: Uint8Array): Uint8Array;
}

/** An address with a key that is the same in every run. It signs faster than the SDK's keys. */
export class FixedActor implements Actor {
  readonly name: string;
  readonly address: string;
  /** The same key in the SDK's form, for other code. */
  readonly keypair: Ed25519Keypair;
  readonly #key: KeyObject;
  readonly #publicKey: Uint8Array;
  gasId: string | undefined;

  constructor(name: string) {
    this.name = name;
    const seed = createHash('sha256').update(`money guard ${name}`).digest();
    this.keypair = Ed25519Keypair.fromSecretKey(seed);
    this.#key = createPrivateKey({ key: Buffer.concat([keyPrefix, seed]), format: 'der', type: 'pkcs8' });
    const spki = createPublicKey(this.#key).export({ format: 'der', type: 'spki' });
    this.#publicKey = Uint8Array.from(spki.subarray(-32));
    this.address = new Ed25519PublicKey(this.#publicKey).toSuiAddress();
  }

  sign(bytes: Uint8Array): Uint8Array {
    const digest = blake2b(Buffer.concat([transactionIntent, bytes]), { dkLen: 32 });
    return Buffer.concat([Uint8Array.of(0), sign(null, digest, this.#key), this.#publicKey]);
  }
}

/** The sender and the payer of a transaction, and its gas budget. Without a payer, the sender pays. */
export interface Signing {
  sender: Actor;
  payer?: Actor;
  /** In MIST. */
  budget: bigint;
}

/**
 * The transaction that `build` fills, ready to be signed. All objects are given by reference, so that building sends no
 * request.
 */
export function buildTransaction(
  ledger: Ledger,
  { sender, payer = sender, budget }: Signing,
  build: (tx: Transaction) => void,
): Transaction {
  const tx = new Transaction();
  tx.setSender(sender.address);
  tx.setGasOwner(payer.address);
  tx.setGasPrice(gasPrice);
  tx.setGasBudget(budget);
  tx.setGasPayment([ownedRef(ledger, payer.gasId!)]);
  build(tx);
  return tx;
}

export function buildBytes(
  ledger: Ledger,
  signing: Signing,
  build: (tx: Transaction) => void,
): Promise<Uint8Array> {
  return buildTransaction(ledger, signing, build).build();
}

export function executeBytes(
  ledger: Ledger,
  { sender, payer = sender }: Signing,
  bytes: Uint8Array,
): Promise<ExecutedTransaction> {
  const signers = payer === sender ? [sender] : [sender, payer];
  return ledger.execute(
    bytes,
    signers.map((signer) => signer.sign(bytes)),
  );
}

export async function run(
  ledger: Ledger,
  sender: Actor,
  build: (tx: Transaction) => void,
): Promise<ExecutedTransaction> {
  const signing = { sender, budget: 10_000_000_000n };
  const executed = await executeBytes(ledger, signing, await buildBytes(ledger, signing, build));
  if (executed.failureDescription !== undefined) {
    throw new Error(`${sender.name} failed: ${executed.failureDescription}`);
  }
  return executed;
}

export function ownedRef(ledger: Ledger, id: string): ObjectRef {
  const object = ledger.getObject(id);
  if (object === undefined) throw new Error(`${id} is gone`);
  return referenceTo(object);
}

/** A shared object as an input. Objects that a transaction creates cannot be inputs of the same transaction. */
export function sharedInput(ledger: Ledger, id: string, mutable = true) {
  const object = ledger.getObject(id);
  if (object?.kind !== 'move' || object.owner.kind !== 'shared') throw new Error(`${id} is not shared`);
  const initialSharedVersion = String(object.owner.initialSharedVersion);
  return Inputs.SharedObjectRef({ objectId: id, initialSharedVersion, mutable });
}

export const clock = (ledger: Ledger) => sharedInput(ledger, `0x${'6'.padStart(64, '0')}`, false);

/** Ids of the objects of a type that a transaction created, sorted. */
export function listCreated(executed: ExecutedTransaction, suffix: string): string[] {
  return executed.objects
    .filter(({ type, change }) => change === 'created' && type.replace(/<.*$/, '').endsWith(suffix))
    .map(({ id }) => id);
}

export function onlyCreated(executed: ExecutedTransaction, suffix: string): string {
  const [id, ...more] = listCreated(executed, suffix);
  if (id === undefined || more.length > 0) throw new Error(`${more.length + 1} objects are ${suffix}`);
  return id;
}
