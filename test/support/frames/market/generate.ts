import { toBase58 } from '@mysten/sui/utils';
import type { EventCodec } from '../../../../lib/chain/events/codec.ts';
import { registryEvents } from '../../../../lib/chain/events/registry.ts';
import { type GeneratedChain, type GeneratedTransaction, registryPackageId } from '../chain.ts';
import { codecs, packageIds } from '../packages.ts';
import {
  agentsEventMakers,
  escrowEventMakers,
  rulesEventMakers,
  World,
  walletEventMakers,
} from './events.ts';

interface MarketOptions {
  seed: number;
  transactions: number;
  /** Number of services. There are half as many people. */
  size?: number;
  /** Wallets that get a grant and a delegate before everything else. */
  wallets?: number;
  /** Share of events with bytes that do not decode. */
  oddities?: number;
  /** Share of events in the form of packages that append no fields. */
  short?: number;
  /** Share of transactions in which a wallet acts through a service. */
  actions?: number;
  /**
   * Share of the kinds of events that occur in the other transactions. With fewer kinds, more events concern the same
   * subjects.
   */
  kinds?: number;
  /** Time between two checkpoints, in milliseconds. */
  checkpointMs?: number;
}

type Source = keyof typeof codecs;
type Emitted = GeneratedTransaction['events'][number];

const makers: Record<Source, Record<string, (world: World) => object>> = {
  wallet: walletEventMakers,
  rules: rulesEventMakers,
  agents: agentsEventMakers,
  escrow: escrowEventMakers,
};
const startMs = Date.UTC(2026, 0, 1);
const publishedAt = 3;

/**
 * Generates a chain on which wallets, rules, agents, jobs and listings come and go at random. There are several events
 * in a transaction, several transactions in a checkpoint, and events of several packages in one transaction. The only
 * events left out are those that a chain cannot have: nothing is created twice.
 */
export function generateMarket(options: MarketOptions): GeneratedChain {
  const world = new World(options.seed, options.size);
  const transactions = [...marketTransactions(options, world)];
  const last = transactions.at(-1)?.checkpoint ?? publishedAt + 1;
  const chainId = toBase58(Buffer.from(world.random.hex(32), 'hex'));
  return { chainId, registryPackageId, publishedAt, last, transactions };
}

/** The transactions of `generateMarket` one after another, for chains that do not fit into memory. */
export function* marketTransactions(
  options: MarketOptions,
  world = new World(options.seed, options.size),
): Generator<GeneratedTransaction> {
  const { transactions, wallets = 0, actions = 0.4, kinds = 1, checkpointMs = 250 } = options;
  const { random } = world;
  const occurring = Object.entries(makers).flatMap(([source, own]) =>
    Object.keys(own)
      .filter((name) => /Created|Minted/.test(name) || random.chance(kinds))
      .map((name) => ({ source: source as Source, name })),
  );
  let [checkpoint, txIndex] = [publishedAt + 1, 0];
  const generateEvents = (i: number) => {
    if (i < wallets) return setUp(world, options);
    return random.chance(actions) ? action(world, options) : anything(world, occurring, options);
  };
  for (let i = 0; i < transactions; i++) {
    const step = random.chance(0.5) ? 0 : 1 + random.integer(4);
    txIndex = step === 0 ? txIndex + 1 + random.integer(3) : random.integer(3);
    checkpoint += step;
    yield {
      checkpoint,
      txIndex,
      digest: toBase58(Buffer.from(random.hex(32), 'hex')),
      timestampMs: startMs + checkpoint * checkpointMs,
      sender: world.person(),
      events: generateEvents(i),
    };
  }
}

/** Creates a wallet in which one delegate may spend one coin through one service. */
function setUp(world: World, options: MarketOptions): Emitted[] {
  const created = emit(world, 'wallet', 'wallet::WalletCreated', { ...options, oddities: 0 });
  const wallet = world.wallets.at(-1)!;
  wallet.usual = { delegate: world.person(), service: world.service(), coin: world.coin() };
  const names = [
    'wallet::ServiceGranted',
    'delegate::Added',
    'delegate::ServiceAllowanceChanged',
    'delegate::CoinAllowanceChanged',
  ];
  const same = { walletId: wallet.id, ...wallet.usual };
  return [created, ...names.map((name) => emit(world, 'wallet', name, options, same))];
}

/** A wallet's action through one or two services, whose events name both. */
function action(world: World, options: MarketOptions): Emitted[] {
  const { random } = world;
  const { id: walletId, usual } = world.wallet();
  return Array.from({ length: random.chance(0.9) ? 1 : 2 }, () => {
    const unusual = { delegate: world.person(), service: world.service(), coin: world.coin() };
    const { delegate, ...about } = usual && random.chance(0.8) ? usual : unusual;
    const same = { walletId, ...about, sender: delegate, spender: delegate };
    const names: (keyof typeof walletEventMakers)[] = random.pick([
      [
        'delegate::ServiceAllowanceDebited',
        'delegate::CoinAllowanceDebited',
        'wallet::CoinWithdrawn',
        'intent::PaymentValidated',
        'intent::PaymentVerified',
      ],
      ['wallet::CoinWithdrawn', 'intent::SwapValidated', 'wallet::CoinDeposited', 'intent::SwapVerified'],
      ['wallet::CoinDeposited'],
    ]);
    return names.map((name) => emit(world, 'wallet', name, options, same));
  }).flat();
}

function anything(
  world: World,
  occurring: { source: Source; name: string }[],
  options: MarketOptions,
): Emitted[] {
  const { random } = world;
  const count = random.chance(0.6) ? 1 : 2 + random.integer(4);
  return Array.from({ length: count }, () => {
    if (random.chance(0.1)) return registryEvent(world);
    const { source, name } = random.pick(occurring);
    return emit(world, source, name, options);
  });
}

function emit(
  world: World,
  source: Source,
  name: string,
  { oddities = 0.02, short = 0.3 }: MarketOptions,
  same: object = {},
): Emitted {
  const { random } = world;
  const type = `${packageIds[source]}::${name}`;
  if (random.chance(oddities)) return { type, contents: Buffer.from(random.hex(random.integer(20)), 'hex') };
  const codec = codecs[source] as EventCodec<Record<string, Record<string, unknown>>>;
  const fields: Record<string, unknown> = { ...makers[source][name]!(world), ...same };
  if (random.chance(short))
    for (const field of Object.keys(codec.layouts[name]!.appended)) delete fields[field];
  return { type, contents: codec.encode(name, fields) };
}

function registryEvent(world: World): Emitted {
  const { random } = world;
  const serviceType = world.service();
  const timestampMs = startMs;
  if (random.chance(0.6)) {
    const fields = {
      serviceType,
      attester: world.person(),
      score: 1 + random.integer(5),
      commentUri: '',
      timestampMs,
    };
    return {
      type: `${registryPackageId}::registry::Attested`,
      contents: registryEvents.encode('Attested', fields),
    };
  }
  const fields = {
    serviceType,
    packageId: serviceType.slice(0, 66),
    publisher: world.people[0]!,
    ...world.manifest(),
    version: 1,
    timestampMs,
  };
  return {
    type: `${registryPackageId}::registry::Registered`,
    contents: registryEvents.encode('Registered', fields),
  };
}
