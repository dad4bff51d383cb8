import type { ExecutedTransaction } from '@adaptor-marketplace/localnet/ledger/types';
import type { Actor } from './actor.ts';
import type { Round } from './case.ts';
import { entries, type Scene } from './round.ts';
import { waitingAmount } from './set-up.ts';
import { type Change, diffStates, type State, type StateReader } from './state.ts';
import { max } from './steps.ts';
import { coins } from './world.ts';

/** State that one transaction must not change, or only within bounds. */
export interface Snapshot {
  wallet: State;
  list: State;
  job: State;
  /**
   * `bearers`: number of the attacker's bearer caps. `scoped`: remaining budgets of the attacker's scoped caps, refunds
   * included. `agents`: remaining budget of the agent's scoped cap.
   */
  caps: { bearers: number; scoped: bigint; agents: bigint };
  banked: bigint;
  others: { wallet: State; list: State; job: State; banked: bigint }[];
  listings: string[];
}

/** The coin that paid for gas. In a run the agent service chooses one of the payer's many coins. */
function findGasCoin({ effects }: ExecutedTransaction): string | undefined {
  const place = effects.gasObjectIndex;
  return place === null ? undefined : effects.changedObjects[place]?.[0];
}

const pickPayer = ({ world, sender }: Scene): Actor =>
  sender === 'owner' ? world.cast.owner : world.cast.host;

export function takeSnapshot(reader: StateReader, scene: Scene): Snapshot {
  const { guarded, others, boardId } = scene;
  const readList = (id: string | undefined): State => (id === undefined ? new Map() : reader.whole(id));
  const wallet = reader.wallet(guarded.walletId);
  const { bearers, scoped } = reader.onBoard(boardId, guarded.walletId);
  const refunds = [...wallet].reduce(
    (sum, [name, left]) => (name.startsWith('refund ') ? sum + BigInt(left) : sum),
    0n,
  );
  return {
    wallet,
    list: readList(guarded.listId),
    job: reader.job(guarded.jobId),
    caps: {
      bearers,
      scoped: scoped + refunds,
      agents: guarded.scopedCapId === undefined ? 0n : (reader.remaining(guarded.scopedCapId) ?? -1n),
    },
    banked: reader.banked(guarded.bankEntryId),
    others: others.map(({ walletId, listId, jobId, bankEntryId }) => ({
      wallet: reader.wallet(walletId),
      list: readList(listId),
      job: reader.job(jobId),
      banked: reader.banked(bankEntryId),
    })),
    listings: scene.world.listings.map((id) => reader.entry(id)),
  };
}

/** Finds the forbidden effects of a transaction that succeeded, one text each. */
export function violations(
  reader: StateReader,
  scene: Scene,
  round: Round,
  { executed, before, after }: { executed: ExecutedTransaction; before: Snapshot; after: Snapshot },
): string[] {
  const found = [...walletsTouched(scene, round, executed), ...ownTouched(scene, round, executed)];
  const flaw = (whose: string, [name, was, is]: Change) =>
    found.push(`${whose} ${name}: ${was} became ${is}`);
  const everything = round.handed === 'everything';

  const own = ownChanges(scene, round);
  for (const change of diffStates(before.wallet, after.wallet)) if (!own(change)) flaw('own', change);
  for (const coin of coins) {
    // The coin at the wallet's address already belonged to the wallet.
    const swept = coin === 'A' && sweeps(scene, executed) ? waitingAmount : 0n;
    const [was, is] = [findBalance(before, coin) + swept, findBalance(after, coin)];
    const least = was + leastGain(round, coin);
    if (is < least) found.push(`own balance ${coin}: ${is} is less than ${least}`);
    const most = mostByGrants(scene, round, before.wallet, coin);
    if (was - is > most) found.push(`own balance ${coin}: ${was - is} was spent, not ${most}`);
  }
  for (const change of diffStates(before.list, after.list)) flaw('own list', change);
  const job = everything ? jobChanges(before.job) : () => false;
  for (const change of diffStates(before.job, after.job)) if (!job(change)) flaw('own job', change);
  if (before.banked !== after.banked) flaw('own', ['money at the bank', before.banked, after.banked]);
  capChanges(round, before.caps, after.caps, found);
  capsMade(reader, scene, executed, before, after, found);
  after.listings.forEach((entry, place) => {
    if (entry !== before.listings[place]) found.push(`entry ${place} of a registry was changed`);
  });
  for (const [place, was] of before.others.entries()) {
    const is = after.others[place]!;
    for (const change of diffStates(was.wallet, is.wallet)) {
      if (!(everything && anyoneChanges(change))) flaw(`of other ${place}`, change);
    }
    if (was.banked !== is.banked) flaw(`of other ${place}`, ['money at the bank', was.banked, is.banked]);
    for (const change of diffStates(was.list, is.list)) flaw(`list of other ${place}`, change);
    const others = everything ? jobChanges(was.job) : () => false;
    for (const change of diffStates(was.job, is.job))
      if (!others(change)) flaw(`job of other ${place}`, change);
  }
  return found;
}

/** Finds the objects that a failed transaction changed, apart from its gas coin. Their contents must be as before. */
export function changedByFailure(scene: Scene, executed: ExecutedTransaction): string[] {
  const { ledger } = scene.world.network;
  return executed.objects.flatMap(({ id, type, change, inputVersion }) => {
    if (change === 'read' || id === findGasCoin(executed)) return [];
    const was = inputVersion === undefined ? undefined : ledger.getObject(id, inputVersion);
    const is = ledger.getObject(id);
    const same =
      was?.kind === 'move' && is?.kind === 'move' && Buffer.compare(was.contents, is.contents) === 0;
    return same ? [] : [`${type} was ${change} by a transaction that failed`];
  });
}

/** Reports the payer's loss if it exceeds the signed gas budget, in MIST. */
export function gasBeyond(before: bigint, after: bigint, budget: bigint): string[] {
  return before - after > budget ? [`gas of ${before - after} MIST is more than ${budget}`] : [];
}

export function readGasBalance(scene: Scene): bigint {
  return scene.world.network.ledger.getBalance(pickPayer(scene).address, '0x2::sui::SUI').coins;
}

const findBalance = ({ wallet }: Snapshot, coin: string) => BigInt(wallet.get(`balance ${coin}`) ?? 0n);

const actions = ({ steps }: Round) => steps.filter((step) => step.kind === 'action');

/** The sum that the actions may take of a coin, for one service or for both. */
const mayTake = (round: Round, coin: string, service?: string) =>
  actions(round)
    .filter((one) => service === undefined || one.service === service)
    .flatMap(({ takes }) => entries(takes))
    .reduce((sum, [one, amount]) => (one === coin ? sum + amount : sum), 0n);

/** The least change of the wallet's balance of a coin. It may be negative. */
function leastGain(round: Round, coin: (typeof coins)[number]): bigint {
  return round.steps.reduce((sum, step) => {
    if (step.kind === 'spend') return step.coin === coin ? sum - step.amount : sum;
    return sum + (step.brings[coin] ?? -(step.takes[coin] ?? 0n));
  }, 0n);
}

/**
 * The most that the actions and spends may take of a coin. Grants bound the actions; for everyone but the owner,
 * budgets bound them too.
 */
function mostByGrants({ world, sender }: Scene, round: Round, before: State, coin: string): bigint {
  const left = (name: string) => BigInt(before.get(name) ?? 0n);
  const actor = world.cast[sender].address;
  const acting = [...new Set(actions(round).map(({ service }) => service))];
  const byService = acting.map((service) => {
    const granted = left(`grant ${service} ${coin}`);
    if (sender === 'owner') return granted;
    const bounds = [granted, left(`budget ${service} ${actor}`), left(`budget ${coin} ${actor}`)];
    return bounds.reduce((least, one) => (one < least ? one : least));
  });
  const spends = round.steps.filter((step) => step.kind === 'spend' && step.coin === coin);
  const spent = spends.reduce((sum, step) => (step.kind === 'spend' ? sum + step.amount : sum), 0n);
  return byService.reduce((sum, one) => sum + one, spent);
}

const sweeps = ({ guarded }: Scene, { objects }: ExecutedTransaction) =>
  objects.some(({ id, change }) => id === guarded.waitingId && change === 'deleted');

/** A predicate for the changes that the actions may make to their wallet, without balances. */
function ownChanges({ world, sender }: Scene, round: Round): (change: Change) => boolean {
  const acting = new Set(actions(round).map(({ service }) => service as string));
  const actor = world.cast[sender].address;
  return ([name, was, is]) => {
    const [kind, first = '', second = ''] = name.split(' ');
    const spent = (most: bigint) => {
      if (typeof was !== 'bigint' || typeof is !== 'bigint' || was === max) return false;
      return is <= was && was - is <= most;
    };
    switch (kind) {
      // `leastGain` bounds the balance.
      case 'balance':
        return typeof is === 'bigint';
      case 'grant':
        return spent(mayTake(round, second, first));
      case 'budget':
        if (second !== actor) return false;
        if (first === 'A' || first === 'B') return spent(mayTake(round, first));
        return spent(coins.reduce((sum, coin) => sum + mayTake(round, coin, first), 0n));
      case 'binding':
        return was === undefined && acting.has(first);
      case 'asset':
        return acting.has(first);
      // Refunds come from caps that the attacker holds. Their sum is checked separately.
      case 'refund':
        return true;
      default:
        return false;
    }
  };
}

/**
 * Changes that anyone may make to a wallet that their code receives, and those that the service and its ally may make
 * with their own witnesses.
 */
function anyoneChanges([name, was, is]: Change): boolean {
  const [kind, first = ''] = name.split(' ');
  if (kind === 'balance') return typeof is === 'bigint' && is > BigInt(was ?? 0n);
  if (kind === 'binding') return was === undefined && (first === 'S' || first === 'T');
  return kind === 'asset' && (first === 'S' || first === 'T');
}

/** Anyone may fund an open job, and the service may judge submitted jobs that name it as assessor. */
function jobChanges(before: State): (change: Change) => boolean {
  const open = before.get('state') === 0n && before.get('assessor') !== undefined;
  const judged = before.get('state') === 2n && String(before.get('assessorType')).endsWith('::service::S');
  return ([name, , is]) => {
    if (name === 'state') return (open && is === 1n) || (judged && (is === 3n || is === 4n));
    if (name === 'funds') return (open && String(is) === before.get('amount')) || (judged && is === 0n);
    return open && name === 'refundTo';
  };
}

function capChanges(
  { steps }: Round,
  before: Snapshot['caps'],
  after: Snapshot['caps'],
  found: string[],
): void {
  const scoped = steps.filter((step) => step.kind === 'spend' && step.cap === 'scoped');
  const spent = scoped.reduce((sum, step) => (step.kind === 'spend' ? sum + step.amount : sum), 0n);
  const agents = before.agents - spent;
  if (after.agents !== agents) found.push(`the agent's cap: ${before.agents} became ${after.agents}`);
  if (after.bearers > before.bearers) found.push('the attacker has another bearer cap');
  if (after.scoped > before.scoped) {
    found.push(`the attacker's scoped caps: ${before.scoped} became ${after.scoped}`);
  }
}

/** Caps that the transaction sent to other accounts. Their budgets must come from caps that the attacker had. */
function capsMade(
  reader: StateReader,
  { guarded, others }: Scene,
  executed: ExecutedTransaction,
  before: Snapshot,
  after: Snapshot,
  found: string[],
): void {
  let sent = 0n;
  for (const { id, inputVersion } of executed.objects) {
    const cap = inputVersion === undefined ? reader.cap(id) : undefined;
    if (cap && others.some(({ walletId }) => walletId === cap.walletId))
      found.push('another wallet has a cap more');
    if (cap?.walletId !== guarded.walletId) continue;
    if (cap.remaining === undefined) found.push('somebody has another bearer cap');
    sent += cap.remaining ?? 0n;
  }
  if (sent > 0n && after.caps.scoped + sent > before.caps.scoped)
    found.push(`scoped caps of ${sent} were made`);
}

/** Finds wallets that the transaction touched although it has no action for them and its ops did not receive them. */
function walletsTouched(
  { guarded, others }: Scene,
  { handed }: Round,
  executed: ExecutedTransaction,
): string[] {
  const known = [guarded, ...(handed === 'everything' ? others : [])].map(({ walletId }) => walletId);
  return executed.objects.flatMap(({ id, type, inputVersion }) => {
    if (inputVersion === undefined || !type.endsWith('::wallet::Wallet') || known.includes(id)) return [];
    return [`the wallet ${id} was touched`];
  });
}

/** Finds changed objects of the signers, apart from gas coins and the caps of spends. */
function ownTouched({ world, guarded }: Scene, round: Round, executed: ExecutedTransaction): string[] {
  const { cast, network } = world;
  const own = new Set([cast.owner, cast.agent, cast.host].map(({ address }) => address));
  const spends = round.steps.some((step) => step.kind === 'spend');
  const allowed = new Set([
    findGasCoin(executed),
    ...(spends ? [guarded.scopedCapId, guarded.bearerCapId] : []),
  ]);
  return executed.objects.flatMap(({ id, inputVersion, change, type }) => {
    if (inputVersion === undefined || change === 'read' || allowed.has(id)) return [];
    const object = network.ledger.getObject(id, inputVersion);
    const owned = object?.kind === 'move' && object.owner.kind === 'address' && own.has(object.owner.address);
    return owned ? [`${type} of a signer's was ${change}`] : [];
  });
}
