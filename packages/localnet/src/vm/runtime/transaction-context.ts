import { fromBase58 } from '@mysten/sui/utils';
import { blake2b256 } from '../../internal/blake2b.ts';
import { idBytes, idOf } from '../../state/encoding.ts';

/** The chain's prefixes of hashes that make ids, so that an object and a dynamic field never share one. */
const REGULAR_OBJECT_ID = 0xf1;
const CHILD_OBJECT_ID = 0xf0;

export interface TransactionFacts {
  /** Base58; new object ids derive from it as on chain. */
  transactionDigest: string;
  sender: string;
  sponsor: string | undefined;
  epoch: bigint;
  epochTimestampMs: bigint;
  referenceGasPrice: bigint;
  gasPrice: bigint;
  gasBudget: bigint;
}

/** What `sui::tx_context` answers, and the counter that new ids derive from. */
export class TransactionContext {
  readonly facts: TransactionFacts;
  readonly digest: Uint8Array;
  #idsCreated = 0n;
  #lastId: string | undefined;

  constructor(facts: TransactionFacts) {
    this.facts = facts;
    this.digest = fromBase58(facts.transactionDigest);
  }

  get idsCreated(): bigint {
    return this.#idsCreated;
  }

  get lastId(): string | undefined {
    return this.#lastId;
  }

  /** The next new id. */
  freshId(): string {
    this.#lastId = derivedId(this.digest, this.#idsCreated);
    this.#idsCreated += 1n;
    return this.#lastId;
  }
}

/** A new object's id: blake2b-256 over the prefix, the transaction's digest and how many ids came before, as u64. */
export function derivedId(digest: Uint8Array, idsCreated: bigint): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64LE(idsCreated);
  return hashToId(REGULAR_OBJECT_ID, digest, counter);
}

/** The id of a dynamic field: parent, length of the key as u64, key, and the key's type tag. */
export function dynamicFieldId(parent: string, key: Uint8Array, typeTag: Uint8Array): string {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(key.length));
  return hashToId(CHILD_OBJECT_ID, idBytes(parent), length, key, typeTag);
}

function hashToId(scope: number, ...parts: Uint8Array[]): string {
  return idOf(blake2b256(Uint8Array.of(scope), ...parts));
}
