import { createHash } from 'node:crypto';
import { toBase58 } from '@mysten/sui/utils';
import { registryEvents } from '../../lib/chain/events/registry.ts';
import { type GeneratedTransaction, registryPackageId } from '../../test/support/frames/chain.ts';

export interface ChainShape {
  checkpoints: number;
  /** Transactions with one event of the registry each, at most a third of the checkpoints. */
  matches: number;
  transactionsPerCheckpoint: number;
}

/** Events of a listing: its registration, then attestations. */
const eventsPerListing = 20;
const attesters = 500;
export const checkpointMs = 250;

/**
 * A chain whose registry grows: as many matches come in the second half as three times in the first. Everything follows
 * from the number of a match or a checkpoint, so a chain of any length takes no memory.
 */
export class SparseChain {
  readonly shape: ChainShape;
  readonly #startMs: number;

  /** @param startMs time of the first checkpoint, in milliseconds */
  constructor(shape: ChainShape, startMs: number) {
    if (shape.matches > shape.checkpoints / 3) throw new RangeError('the chain has too few checkpoints');
    this.shape = shape;
    this.#startMs = startMs;
  }

  /** Returns the checkpoint of the match with this number. No checkpoint has two. */
  findCheckpoint(match: number): number {
    const { checkpoints, matches } = this.shape;
    return Math.floor(checkpoints * Math.sqrt((match + 1) / (matches + 1)));
  }

  /** Number of the match's transaction in the whole chain. */
  findSequence(match: number): number {
    const { transactionsPerCheckpoint } = this.shape;
    return this.findCheckpoint(match) * transactionsPerCheckpoint + this.findIndex(match);
  }

  /** Index of the match's transaction in its checkpoint. */
  findIndex(match: number): number {
    return match % this.shape.transactionsPerCheckpoint;
  }

  /** Returns the first match at or after this transaction of the chain; the number of matches if there is none. */
  findMatch(sequence: number): number {
    const { checkpoints, matches, transactionsPerCheckpoint } = this.shape;
    const share = sequence / transactionsPerCheckpoint / checkpoints;
    let match = Math.max(0, Math.min(matches, Math.floor(share ** 2 * (matches + 1)) - 1));
    while (match > 0 && this.findSequence(match - 1) >= sequence) match -= 1;
    while (match < matches && this.findSequence(match) < sequence) match += 1;
    return match;
  }

  createTransaction(match: number): GeneratedTransaction {
    const checkpoint = this.findCheckpoint(match);
    const listing = Math.floor(match / eventsPerListing);
    const timestampMs = this.findTimeMs(checkpoint);
    const sender = toId('a7', match % attesters);
    const packageId = toId('b2', listing);
    const serviceType = `${packageId}::adaptor_${listing}::Adaptor`;
    const isRegistration = match % eventsPerListing === 0;
    const contents = isRegistration
      ? registryEvents.encode('Registered', {
          serviceType,
          packageId,
          publisher: sender,
          manifestUri: `walrus://${hash(`blob ${listing}`).toString('base64url')}`,
          manifestHash: hash(`manifest ${listing}`).toString('hex'),
          version: 1,
          timestampMs,
        })
      : registryEvents.encode('Attested', {
          serviceType,
          attester: sender,
          score: 1 + (match % 5),
          commentUri: '',
          timestampMs,
        });
    const type = `${registryPackageId}::registry::${isRegistration ? 'Registered' : 'Attested'}`;
    return {
      checkpoint,
      txIndex: this.findIndex(match),
      digest: toBase58(hash(`transaction ${match}`)),
      timestampMs,
      sender,
      events: [{ type, contents }],
    };
  }

  findTimeMs(checkpoint: number): number {
    return this.#startMs + checkpoint * checkpointMs;
  }
}

/** Digest of a checkpoint, the same whenever it is read. */
export const digestCheckpoint = (checkpoint: number) => toBase58(hash(`checkpoint ${checkpoint}`));

const hash = (text: string) => createHash('sha256').update(text).digest();

const toId = (prefix: string, n: number) => `0x${prefix}${n.toString(16).padStart(62, '0')}`;
