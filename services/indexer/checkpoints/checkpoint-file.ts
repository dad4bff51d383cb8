import { toBase58 } from '@mysten/sui/utils';
import { blake2b } from '@noble/hashes/blake2.js';
import { listFields } from '../../../lib/protobuf/fields.ts';
import {
  CheckpointContents,
  CheckpointSummary,
  effectsVersions,
  SuccessfulEffects,
  successStatus,
} from './chain-bcs.ts';

/** A checkpoint of a bucket. Its own digests fit each other; whether the chain has it shows from its digest alone. */
export interface CheckpointFile {
  sequence: number;
  digest: Uint8Array;
  /** Digest of the checkpoint before; undefined in the first one of a chain. */
  previousDigest: Uint8Array | undefined;
  timestampMs: number;
  transactions: FileTransaction[];
  /** Bytes of the decompressed file, which the records are parts of. */
  contentBytes: number;
}

export interface FileTransaction {
  digest: Uint8Array;
  /** BCS of `TransactionData`. */
  data: Uint8Array;
  /** BCS of `TransactionEvents`; undefined if it emitted none. */
  events: Uint8Array | undefined;
  /** Ids of the packages that it wrote. */
  written: Uint8Array[];
}

/** The file is not what its name says, or its parts do not fit each other. */
export class CheckpointFileError extends Error {}

/** The parts of the protobuf message `sui.rpc.v2.Checkpoint` that a file has: the BCS of each record. */
const checkpointFields = { summary: 3, contents: 5, transactions: 6 };
const transactionFields = { data: 2, effects: 4, events: 5 };
/** Field of the BCS in each record, and of the bytes in `Bcs`. */
const [bcsField, valueField] = [1, 2];
/** Maximum number of transactions: more than a chain puts in one checkpoint, and few enough to hold in memory. */
const transactionsMax = 100_000;

/**
 * Decodes the uncompressed content of a file, and checks every digest in it: of the contents, and of the data, the
 * effects and the events of each transaction. @throws CheckpointFileError
 */
export function decodeCheckpoint(content: Uint8Array, sequence: number): CheckpointFile {
  const summaryBytes = requireBcs(content, checkpointFields.summary, 'summary');
  const summary = decode('summary', () => CheckpointSummary.parse(summaryBytes));
  if (summary.sequenceNumber !== String(sequence)) {
    throw new CheckpointFileError(`it contains checkpoint ${summary.sequenceNumber}`);
  }
  const contentsBytes = requireBcs(content, checkpointFields.contents, 'contents');
  requireDigest('the contents', hash('CheckpointContents', contentsBytes), summary.contentDigest);
  const listed = decode('contents', () => {
    const { V1, V2 } = CheckpointContents.parse(contentsBytes);
    return V1?.transactions ?? V2?.transactions.map(({ digest }) => digest) ?? [];
  });
  const messages = listTransactions(content);
  if (messages.length !== listed.length) {
    throw new CheckpointFileError(
      `it has ${messages.length} transactions, and its contents name ${listed.length}`,
    );
  }
  return {
    sequence,
    digest: hash('CheckpointSummary', summaryBytes),
    previousDigest: summary.previousDigest ?? undefined,
    timestampMs: Number(summary.timestampMs),
    transactions: messages.map((message, index) => decodeTransaction(message, listed[index]!, index)),
    contentBytes: content.length,
  };
}

function listTransactions(content: Uint8Array): Uint8Array[] {
  return decode('message', () => {
    const messages: Uint8Array[] = [];
    for (const message of listFields(content, checkpointFields.transactions)) {
      messages.push(message);
      if (messages.length > transactionsMax) throw new Error(`more than ${transactionsMax} transactions`);
    }
    return messages;
  });
}

function decodeTransaction(
  message: Uint8Array,
  listed: { transaction: Uint8Array; effects: Uint8Array },
  index: number,
): FileTransaction {
  const name = `transaction ${index}`;
  const data = requireBcs(message, transactionFields.data, name);
  requireDigest(name, hash('TransactionData', data), listed.transaction);
  const effects = requireBcs(message, transactionFields.effects, `effects of ${name}`);
  requireDigest(`the effects of ${name}`, hash('TransactionEffects', effects), listed.effects);
  const { eventsDigest, written } = decodeEffects(effects, name);
  const events = findBcs(message, transactionFields.events);
  if (eventsDigest && !events) throw new CheckpointFileError(`the events of ${name} are missing`);
  if (events) {
    const none = new Uint8Array();
    requireDigest(`the events of ${name}`, hash('TransactionEvents', events), eventsDigest ?? none);
  }
  return { digest: listed.transaction, data, events, written };
}

function decodeEffects(effects: Uint8Array, name: string) {
  const [version, status] = effects;
  if (version !== effectsVersions.V2) {
    throw new CheckpointFileError(
      `the effects of ${name} have version ${(version ?? -1) + 1}, and only version 2 is read`,
    );
  }
  // It emitted nothing and wrote no package, and the reasons for a failure become more with time.
  if (status !== successStatus) return { eventsDigest: undefined, written: [] };
  return decode(`effects of ${name}`, () => {
    const { eventsDigest, changedObjects } = SuccessfulEffects.parse(effects.subarray(2));
    const written = changedObjects.flatMap(({ id, after }) => (after.PackageWrite ? [id] : []));
    return { eventsDigest: eventsDigest ?? undefined, written };
  });
}

function findBcs(message: Uint8Array, field: number): Uint8Array | undefined {
  return decode('message', () => {
    const [record] = listFields(message, field);
    const [bcs] = record ? listFields(record, bcsField) : [];
    const [value] = bcs ? listFields(bcs, valueField) : [];
    return value;
  });
}

function requireBcs(message: Uint8Array, field: number, name: string): Uint8Array {
  const value = findBcs(message, field);
  if (!value) throw new CheckpointFileError(`the ${name} is missing`);
  return value;
}

/** Runs a decoder of a stranger's bytes, which may be nested as deeply as the stack. */
function decode<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new CheckpointFileError(`the ${name} is malformed`, { cause });
  }
}

function requireDigest(name: string, digest: Uint8Array, expected: Uint8Array): void {
  if (Buffer.compare(digest, expected) === 0) return;
  const named = expected.length === 0 ? 'none' : toBase58(expected);
  throw new CheckpointFileError(`${name} has digest ${toBase58(digest)}, and the checkpoint names ${named}`);
}

type Digested =
  | 'CheckpointSummary'
  | 'CheckpointContents'
  | 'TransactionData'
  | 'TransactionEffects'
  | 'TransactionEvents';

/** The chain's digest of a record: Blake2b-256 over its name, `::` and its BCS. */
const hash = (name: Digested, bytes: Uint8Array): Uint8Array =>
  blake2b
    .create({ dkLen: 32 })
    .update(Buffer.from(`${name}::`))
    .update(bytes)
    .digest();
