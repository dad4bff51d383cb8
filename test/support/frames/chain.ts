import { toBase58 } from '@mysten/sui/utils';
import { registryEvents } from '../../../lib/chain/events/registry.ts';
import { Random } from './random.ts';

/** A chain with only a registry's history, generated from a seed. */
export interface GeneratedChain {
  chainId: string;
  registryPackageId: string;
  /** Checkpoint that published the registry. */
  publishedAt: number;
  /** Last checkpoint with a transaction. */
  last: number;
  transactions: GeneratedTransaction[];
}

export interface GeneratedTransaction {
  checkpoint: number;
  txIndex: number;
  digest: string;
  timestampMs: number;
  sender: string;
  events: { type: string; contents: Uint8Array }[];
}

export interface ChainOptions {
  seed: number;
  /** Events of the registry. */
  events: number;
  /** Distinct (publisher, service type) pairs. */
  listings?: number;
  /** Share of events with bytes that do not decode, and of names that are not canonical. */
  oddities?: number;
}

export const registryPackageId = `0x${'a1'.repeat(32)}`;
const startMs = Date.UTC(2026, 0, 1);
const publishedAt = 3;

interface Listing {
  publisher: string;
  packageId: string;
  serviceType: string;
  version: number;
  listed: boolean;
}

/**
 * Generates a history that a registry allows: registrations before updates, unlistings, relistings that continue with
 * the version, and reviews. There are several events in a transaction, several transactions in a checkpoint,
 * checkpoints without any, and events of other packages in between.
 */
export function generateChain(options: ChainOptions): GeneratedChain {
  const random = new Random(options.seed);
  const transactions = [...chainTransactions(options, random)];
  const last = transactions.at(-1)?.checkpoint ?? publishedAt + 1;
  const chainId = toBase58(Buffer.from(random.hex(32), 'hex'));
  return { chainId, registryPackageId, publishedAt, last, transactions };
}

/** The transactions of `generateChain` one after another, for chains that do not fit into memory. */
export function* chainTransactions(
  options: ChainOptions,
  random = new Random(options.seed),
): Generator<GeneratedTransaction> {
  const { events, oddities = 0.02 } = options;
  const listings = makeListings(random, options.listings ?? Math.max(3, Math.ceil(events / 20)), oddities);
  const attesters = Array.from({ length: 500 }, () => `0x${random.hex(32)}`);
  let [checkpoint, txIndex, made] = [publishedAt + 1, 0, 0];
  while (made < events) {
    const step = random.chance(0.5) ? 0 : 1 + random.integer(4);
    txIndex = step === 0 ? txIndex + 1 + random.integer(3) : random.integer(3);
    checkpoint += step;
    const transaction: GeneratedTransaction = {
      checkpoint,
      txIndex,
      digest: toBase58(Buffer.from(random.hex(32), 'hex')),
      timestampMs: startMs + checkpoint * 250,
      sender: random.pick(attesters),
      events: [],
    };
    const wanted = random.chance(0.7) ? 1 : 2 + random.integer(3);
    for (let i = 0; i < wanted && made < events; i++, made++) {
      if (random.chance(0.1)) transaction.events.push(foreignEvent(random));
      const event = registryEvent(
        random,
        random.pick(listings),
        random.pick(attesters),
        transaction,
        oddities,
      );
      transaction.events.push(event);
    }
    yield transaction;
  }
}

function makeListings(random: Random, count: number, oddities: number): Listing[] {
  const publishers = Array.from({ length: Math.max(2, Math.ceil(count / 8)) }, () => `0x${random.hex(32)}`);
  const made: Listing[] = [];
  while (made.length < count) {
    const packageId = `0x${random.hex(32)}`;
    const serviceType = spelled(random, packageId, `adaptor_${made.length}`, oddities);
    const state = { packageId, serviceType, version: 0, listed: false };
    made.push({ ...state, publisher: random.pick(publishers) });
    // Now and then a second publisher claims the same service type.
    if (random.chance(0.1)) made.push({ ...state, publisher: `0x${random.hex(32)}` });
  }
  return made;
}

/**
 * Mostly the canonical spelling; otherwise one of the spellings, or of the nonsense, that a foreign registry accepts.
 */
function spelled(random: Random, packageId: string, module: string, oddities: number): string {
  if (!random.chance(oddities)) return `${packageId}::${module}::Adaptor`;
  return random.pick([
    `${packageId.slice(2)}::${module}::Adaptor`,
    `0x${packageId.slice(2).toUpperCase()}::${module}::Adaptor`,
    `${packageId}::${module}`,
    `not a type, tab\there, line\nbreak, back\\slash, ${module}`,
  ]);
}

function registryEvent(
  random: Random,
  listing: Listing,
  attester: string,
  { timestampMs }: GeneratedTransaction,
  oddities: number,
) {
  const { serviceType, publisher } = listing;
  const type = (name: string) => `${registryPackageId}::registry::${name}`;
  if (random.chance(oddities)) {
    return random.chance(0.5)
      ? { type: type('Registered'), contents: Buffer.from(random.hex(random.integer(40)), 'hex') }
      : { type: type('Renamed'), contents: Buffer.from(random.hex(16), 'hex') };
  }
  if (!listing.listed || random.chance(0.35)) {
    const name = listing.listed ? 'Updated' : 'Registered';
    listing.version++;
    listing.listed = true;
    if (random.chance(0.1)) listing.packageId = `0x${random.hex(32)}`;
    const contents = registryEvents.encode(name, {
      serviceType,
      packageId: listing.packageId,
      publisher,
      manifestUri: `walrus://${Buffer.from(random.hex(32), 'hex').toString('base64url')}`,
      manifestHash: random.hex(32),
      version: listing.version,
      timestampMs,
    });
    return { type: type(name), contents };
  }
  if (random.chance(0.1)) {
    listing.listed = false;
    // An earlier registry emits fewer fields. The version is then the listing's previous one.
    const appended = random.chance(0.5) ? { packageId: listing.packageId, version: listing.version } : {};
    const contents = registryEvents.encode('Unlisted', { serviceType, publisher, timestampMs, ...appended });
    return { type: type('Unlisted'), contents };
  }
  const commentUri = random.chance(0.3)
    ? `walrus://${Buffer.from(random.hex(32), 'hex').toString('base64url')}`
    : '';
  const score = 1 + random.integer(5);
  return {
    type: type('Attested'),
    contents: registryEvents.encode('Attested', { serviceType, attester, score, commentUri, timestampMs }),
  };
}

const foreignEvent = (random: Random) => ({
  type: `0x${'b2'.repeat(32)}::registry::Registered`,
  contents: Buffer.from(random.hex(20), 'hex'),
});

/** An address or object id. */
export const id = (n: number) => `0x${n.toString(16).padStart(64, '0')}`;

/** A valid manifest of the package's adaptor. */
export const manifest = (packageId: string) => ({
  name: 'Swap',
  category: 'Swap',
  summary: 'Swaps.',
  serviceType: `${packageId}::adaptor::Adaptor`,
  packageId,
  ops: [],
});

export interface Registration {
  packageId: string;
  publisher?: string;
  uri: string;
  hash: string;
}

/** A chain with these registrations, one transaction each. */
export function buildChain(registrations: Registration[]): GeneratedChain {
  const transactions = registrations.map(({ packageId, uri, hash, publisher = id(0xd4) }, index) => ({
    checkpoint: 10 + index,
    txIndex: 0,
    digest: `digest${index}`,
    timestampMs: Date.UTC(2026, 0, 1),
    sender: publisher,
    events: [
      {
        type: `${registryPackageId}::registry::Registered`,
        contents: registryEvents.encode('Registered', {
          serviceType: `${packageId}::adaptor::Adaptor`,
          packageId,
          publisher,
          manifestUri: uri,
          manifestHash: hash,
          version: 1,
          timestampMs: Date.UTC(2026, 0, 1),
        }),
      },
    ],
  }));
  return { chainId: 'chain', registryPackageId, publishedAt: 1, last: 9 + transactions.length, transactions };
}
