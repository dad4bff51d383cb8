import { SUI } from '../framework.ts';
import type { Frame } from '../runtime/machine.ts';
import { datatypeOf, type Type } from '../types.ts';
import type { Ref, StructValue } from '../values.ts';
import type { Share } from './memory.ts';
import { type Label, noAtoms, plainAtoms } from './place.ts';
import { siteAt, type Trace } from './trace.ts';

/** The function of `sui::balance` that a frame runs, if it moves money from one balance to another. */
function movesMoney(frame: Frame): 'split' | 'join' | undefined {
  const { module, name } = frame.callee.fn;
  const isMove = module.address === SUI && module.name === 'balance' && (name === 'split' || name === 'join');
  return isMove ? (name as 'split' | 'join') : undefined;
}

/** The balance that `split` or `join` was called on, by its frame. */
const selves = new WeakMap<Frame, { balance: StructValue; amount: Label; before: bigint }>();

/** Notes the arguments of a call that moves money, before its first instruction. */
export function beginMove({ memory }: Trace, frame: Frame): void {
  if (movesMoney(frame) === undefined) return;
  const self = frame.locals[0] as Ref;
  const balance = self.read() as StructValue;
  const before = balance.fields[0] as bigint;
  selves.set(frame, { balance, amount: memory.cell(frame.locals, 1), before });
}

/** A new balance has what was split off from another one, or what was minted. */
export function splitBalance(trace: Trace, frame: Frame, made: StructValue, amount: Label): void {
  const { memory } = trace;
  if (made.fields[0] === 0n) {
    memory.setShares(made, []);
    return;
  }
  const site = frame.caller ? siteAt(frame.caller) : siteAt(frame);
  const self = movesMoney(frame) === 'split' ? selves.get(frame) : undefined;
  if (!self) {
    trace.noteAmount(amount, site);
    memory.setShares(made, [{ source: plainAtoms.made, amount, all: false, taken: site }]);
    return;
  }
  const isWhole =
    frame.caller?.callee.fn.name === 'withdraw_all' &&
    frame.caller.callee.fn.module === frame.callee.fn.module;
  const amountLabel = isWhole ? noAtoms : self.amount;
  if (!isWhole) trace.noteAmount(self.amount, site);
  const all = self.before === made.fields[0];
  const shares = memory.shares(self.balance) ?? [];
  memory.setShares(
    made,
    shares.map((share): Share => {
      if (share.taken) return share;
      return { source: share.source, amount: amountLabel, all, taken: site };
    }),
  );
}

/** Moves the content of a balance: it goes to the one that it is joined into, or is burned. */
export function joinBalances(trace: Trace, frame: Frame, gone: StructValue): void {
  const { memory } = trace;
  if (gone.fields[0] === 0n) return;
  const shares = memory.shares(gone) ?? [];
  const self = movesMoney(frame) === 'join' ? selves.get(frame) : undefined;
  if (!self) {
    trace.ends.money(balanceType(frame), shares, { kind: 'burned' }, siteAt(frame));
    return;
  }
  const kept = self.before === 0n ? [] : (memory.shares(self.balance) ?? []);
  memory.setShares(self.balance, merge([...kept, ...shares]));
}

/** One share for each source and origin of the amount. */
function merge(shares: readonly Share[]): Share[] {
  const merged: Share[] = [];
  for (const share of shares) if (!merged.some((known) => isSame(known, share))) merged.push(share);
  return merged;
}

function isSame(a: Share, b: Share): boolean {
  if (a.source !== b.source || a.all !== b.all || a.amount.size !== b.amount.size) return false;
  return [...a.amount].every((atom) => b.amount.has(atom));
}

/** The functions that take a balance apart have its coin as their only type parameter. */
function balanceType(frame: Frame): Type {
  const [balance] = frame.callee.fn.parameters.flatMap((type) =>
    type.kind === 'datatype' && type.datatype.name === 'Balance' ? [type] : [],
  );
  if (!balance) throw new Error(`${frame.callee.fn.name} takes a balance apart that it was not given`);
  return datatypeOf(balance.datatype, frame.typeArgs);
}
