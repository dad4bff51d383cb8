import type { ExecutionArgument } from '@adaptor-marketplace/localnet/execution/types';
import { mapValue, type Step } from './step.ts';

interface Bound {
  /** `may_take` or `must_bring`. */
  kind: string;
  coin: string;
  amount: bigint;
}

/** Bounds a transaction that is one action of one wallet, by what the action may take and must bring. */
export function boundAction({ program, before, after }: Step): string[] {
  const { called, commands, inputs } = program;
  const names = called.filter((name) => name !== undefined);
  const allowed = /^wallet::(action::(may|must|end)|intent::|delegate::spend$)/;
  const isWhole = names[0] === 'wallet::action::begin' && names.at(-1) === 'wallet::action::end';
  if (!isWhole || !names.slice(1).every((name) => allowed.test(name))) return [];
  const readInput = (at: number, argument: number): ExecutionArgument | undefined => {
    const command = commands[at]!;
    const given = command.$kind === 'MoveCall' ? command.MoveCall.arguments[argument] : undefined;
    return given?.$kind === 'Input' ? inputs[given.Input] : undefined;
  };
  const bounds = called.flatMap((name, at): Bound[] => {
    const kind = /^wallet::action::(may_take|must_bring)$/.exec(name ?? '')?.[1];
    const command = commands[at]!;
    const amount = kind === undefined ? undefined : readInput(at, 2);
    if (kind === undefined || command.$kind !== 'MoveCall' || amount?.kind !== 'pure') return [];
    const coin = command.MoveCall.typeArguments[0]!;
    return [{ kind, coin, amount: Buffer.from(amount.bytes).readBigUInt64LE() }];
  });
  const wallet = readInput(called.indexOf('wallet::action::begin'), 0);
  const had = wallet?.kind === 'object' ? before.wallets.get(wallet.object.id) : undefined;
  if (had === undefined) return [];
  const has = after.wallets.get(had.id)!;
  const coins = new Set([...has.balances.keys(), ...bounds.map(({ coin }) => coin)]);
  return [...coins].flatMap((coin) => {
    const change = mapValue(has.balances, coin, 0n) - mapValue(had.balances, coin, 0n);
    const bound = (kind: string) => bounds.find((each) => each.kind === kind && each.coin === coin)?.amount;
    const most = bound('may_take') ?? 0n;
    if (-change > most) return [`an action took ${-change} and may take ${most}`];
    const least = bound('must_bring');
    return least !== undefined && change < least
      ? [`an action brought ${change} and must bring ${least}`]
      : [];
  });
}
