import type { Transaction, TransactionResult } from '@mysten/sui/transactions';
import fc from 'fast-check';
import { clock, sharedInput } from './actor.ts';
import { type Coin, coins, type World } from './world.ts';

/** Names of the calls that an op of several calls consists of: functions of `money_guard::relay`. */
export const relayCalls = ['begin', 'trade', 'finish', 'draw', 'keep', 'put', 'credit'] as const;

/** One call that the transaction itself makes, between the begin and the end of an action. */
export interface RelayCall {
  call: (typeof relayCalls)[number];
  /** The service of the action, or the other service. */
  by: 'own' | 'other';
  /** The coin that the call takes, trades or draws. */
  coin: Coin;
  /** The amount that the call takes or pays once it is hostile. */
  amount: bigint;
  /** The amount that the service claims to have taken. */
  told: bigint;
  /** The least that the wallet must receive in return. */
  least: bigint;
  /** Indexes of the order and of the coin that the call takes from earlier results, modulo their count. */
  order: number;
  result: number;
}

type Name = RelayCall['call'];

/** Calls that belong together. Their arguments are random. */
const sequences: readonly (readonly Name[])[] = [
  ['begin', 'trade', 'finish'],
  ['begin', 'keep', 'draw', 'finish'],
  ['begin', 'put', 'draw', 'finish'],
  ['begin', 'credit', 'draw', 'finish'],
  ['begin', 'begin', 'trade', 'trade', 'finish', 'finish'],
  ['begin', 'trade', 'begin', 'finish', 'trade', 'finish'],
  ['begin', 'trade', 'finish', 'begin', 'trade', 'finish'],
  ['begin', 'trade'],
  ['finish'],
  ['draw', 'credit'],
  ['draw', 'put'],
];

const amount = fc.constantFrom(...Array<bigint>(10).fill(10n), 40n, 50n, 51n, 100n, 101n, 1000n);

const choices = fc.record({
  by: fc.constantFrom<RelayCall['by']>(...Array<'own'>(11).fill('own'), 'other'),
  coin: fc.constantFrom<Coin>('A', 'A', 'A', 'B'),
  amount,
  // The claim is mostly true, because a false one keeps the order from ending.
  lie: fc.constantFrom(...Array<bigint>(9).fill(0n), 1n),
  least: fc.constantFrom(...Array<bigint>(9).fill(1n), 10n, 100n),
  order: fc.constantFrom(0, 0, 1, 2),
  result: fc.constantFrom(0, 0, 1, 2),
});

const sequence: fc.Arbitrary<RelayCall[]> = fc
  .tuple(
    fc.constantFrom(...sequences),
    fc.array(choices, { minLength: 6, maxLength: 6 }),
    fc.constantFrom(true, true, true, false),
  )
  .map(([names, each, alike]) =>
    names.map((call, place) => {
      const { lie, ...rest } = each[place]!;
      // Calls that belong together mostly have the same service and the same direction.
      const { by, coin } = alike ? each[0]! : rest;
      return { ...rest, call, by, coin, told: rest.amount + lie };
    }),
  );

/** The calls of an op of several calls: known sequences one after another, or all of their calls in any order. */
export const severalCalls: fc.Arbitrary<RelayCall[]> = fc
  .array(sequence, { minLength: 1, maxLength: 2, size: 'xsmall' })
  .map((all) => all.flat())
  .chain((calls) =>
    fc.oneof(
      { weight: 5, arbitrary: fc.constant(calls) },
      {
        weight: 1,
        arbitrary: fc.shuffledSubarray(calls, { minLength: calls.length, maxLength: calls.length }),
      },
    ),
  );

type Acting = 'S' | 'T';
type Result = TransactionResult | TransactionResult[number];

/** Appends calls that use results of earlier ones, of this action or of an earlier one. */
interface Relay {
  append(calls: readonly RelayCall[], service: Acting): void;
  /** Sends the remaining coins to the attacker. A remaining order fails the transaction. */
  close(): void;
}

const harmlessIn = 10n;
/** More than any action requires. */
const harmlessOut = 1_000n;

interface RelayScene {
  world: World;
  boardId: string;
  guarded: { walletId: string };
}

export function createRelay(tx: Transaction, { world, boardId, guarded }: RelayScene): Relay {
  const { network, packages, types } = world;
  const { ledger } = network;
  const held: Record<Coin, Result[]> = { A: [], B: [] };
  const orders: { service: Acting; coin: Coin; order: Result }[] = [];
  const target = (name: string) => `${packages.money_guard}::relay::${name}`;
  const byService = (name: string, service: Acting) => target(service === 'S' ? name : `${name}_ally`);
  const input = (id: string) => tx.object(sharedInput(ledger, id));
  const board = () => input(boardId);
  const wallet = () => input(guarded.walletId);
  const u64 = (value: bigint) => tx.pure.u64(value);
  const now = () => tx.object(clock(ledger));
  const pickOtherCoin = (coin: Coin): Coin => (coin === 'A' ? 'B' : 'A');
  const pair = (coin: Coin) => [types.coins[coin], types.coins[pickOtherCoin(coin)]];
  const taken = <T>(from: T[], place: number) => from.splice(place % Math.max(1, from.length), 1)[0];

  const onCoin = (name: 'keep' | 'put' | 'credit', coin: Coin, result: Result) =>
    tx.moveCall({
      target: target(name),
      typeArguments: [types.coins[coin]],
      arguments: [name === 'keep' ? board() : wallet(), result],
    });

  function one({ call, by, coin, amount, told, least, order, result }: RelayCall, acting: Acting): void {
    if (call === 'begin') {
      const service = (by === 'own') === (acting === 'S') ? 'S' : 'T';
      const [out, begun] = tx.moveCall({
        target: byService('begin', service),
        typeArguments: pair(coin),
        arguments: [board(), wallet(), ...[harmlessIn, amount, told, least].map(u64), now()],
      });
      held[coin].push(out!);
      orders.push({ service, coin, order: begun! });
      return;
    }
    if (call === 'draw') {
      const typeArguments = [types.coins[coin]];
      held[coin].push(
        tx.moveCall({ target: target('draw'), typeArguments, arguments: [board(), u64(amount)] }),
      );
      return;
    }
    if (call === 'finish') {
      const begun = orders[order % Math.max(1, orders.length)];
      const bought = begun && taken(held[pickOtherCoin(begun.coin)], result);
      if (!begun || !bought) return;
      orders.splice(orders.indexOf(begun), 1);
      tx.moveCall({
        target: byService('finish', begun.service),
        typeArguments: pair(begun.coin),
        arguments: [wallet(), begun.order, bought],
      });
      return;
    }
    const spent = taken(held[coin], result);
    if (!spent) return;
    if (call !== 'trade') return void onCoin(call, coin, spent);
    const traded = tx.moveCall({
      target: target('trade'),
      typeArguments: pair(coin),
      arguments: [board(), spent, u64(harmlessOut), u64(amount), now()],
    });
    held[pickOtherCoin(coin)].push(traded);
  }

  return {
    append(calls, service) {
      for (const call of calls) one(call, service);
    },
    close() {
      for (const coin of coins) for (const left of held[coin]) onCoin('keep', coin, left);
    },
  };
}
