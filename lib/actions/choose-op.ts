import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import {
  argumentsOf,
  type ExecutableOp,
  isExecutable,
  type ListedManifest,
  type ListedOp,
  type Manifest,
  type OpFault,
  type OpValue,
  opFault,
  opSchema,
  opValueOf,
  typeArgsOf,
} from '@adaptor-marketplace/adaptor/manifest';
import { type CoinAmount, coinsOf, type ResolvedOp } from '@adaptor-marketplace/adaptor/transactions';
import { isValidStructTag, normalizeStructTag } from '@mysten/sui/utils';
import type { Requirements } from './request.ts';
import { type Slot, type SlotRole, type SlotSetting, slotRoles } from './slots.ts';

/** What the op of a role is called where the slot's setting does not say. */
const entries: Record<Exclude<SlotRole, 'swap'>, readonly string[]> = {
  openAccount: ['open_account', 'open_position'],
  deposit: ['deposit', 'supply'],
  withdraw: ['withdraw', 'redeem'],
  borrow: ['borrow'],
  repay: ['repay'],
  repayAndWithdraw: ['repay_and_withdraw'],
  save: ['save'],
  withdrawSavings: ['withdraw_savings'],
  stake: ['stake'],
  unstake: ['unstake'],
  open: ['open', 'open_position'],
  add: ['add', 'add_liquidity'],
  remove: ['remove', 'remove_liquidity'],
  collectFees: ['collect_fees'],
  collectReward: ['collect_reward'],
  close: ['close', 'close_position'],
  order: ['order', 'place_order'],
  depositMargin: ['deposit_margin'],
  supply: ['supply', 'deposit'],
};

/**
 * What is executable of a manifest for a role: one op for each pool, market or pair. Only well-formed ops are among
 * them, whatever else the manifest lists.
 */
export function opsOfRole(
  { ops }: Pick<ListedManifest, 'ops'>,
  role: SlotRole,
  named: SlotSetting['ops'],
): ExecutableOp[] {
  return ops.filter((op): op is ExecutableOp => serves(op, role, named?.[role]) && isExecutable(op));
}

/** The ops of a manifest that would serve a role if they could be executed, with the reason why not. */
export function brokenOpsOfRole(
  { ops }: Pick<ListedManifest, 'ops'>,
  role: SlotRole,
  named: SlotSetting['ops'],
): { index: number; reason: OpFault }[] {
  return ops.flatMap((op, index) => {
    // Without a kind it is not known whether an op swaps.
    const might = role === 'swap' && named?.[role] === undefined && !kind.safeParse(op.kind).success;
    const reason = might || serves(op, role, named?.[role]) ? opFault(op) : undefined;
    return reason ? [{ index, reason }] : [];
  });
}

const { kind } = opSchema.shape;

/**
 * Ops that open an account in a slot where wallets need one, and need nothing beyond it. They are called unasked,
 * before the op that is asked for, so none that takes a coin or an amount, or is several calls, is among them.
 */
export function openersOf(
  manifest: Pick<ListedManifest, 'ops'>,
  slot: Slot,
  named: SlotSetting['ops'],
): ExecutableOp[] {
  const roles: readonly SlotRole[] = slotRoles[slot];
  if (!roles.includes('openAccount')) return [];
  return opsOfRole(manifest, 'openAccount', named).filter(({ call, intentMode }) => {
    const isSettled = call?.args.every((argument) =>
      argument.role === 'pure'
        ? argument.value !== undefined
        : argument.role !== 'amount' && argument.role !== 'minOut',
    );
    return isSettled === true && intentMode === undefined;
  });
}

function serves({ kind, module, entry }: ListedOp, role: SlotRole, named: string | undefined): boolean {
  if (typeof module !== 'string' || typeof entry !== 'string') return false;
  if (named !== undefined) return named === `${module}::${entry}`;
  return role === 'swap' ? kind === 'swap' : entries[role].includes(entry);
}

/** Ids of the objects that a manifest fixes for an op, in the long form. */
export function fixedObjectsOf(op: ExecutableOp): string[] {
  return argumentsOf(op).flatMap((argument) =>
    argument.role === 'object' ? (normalizeAddress(argument.objectId) ?? argument.objectId) : [],
  );
}

/** The fixed objects of an op identify its pool or market. */
export const worksOn = (op: ExecutableOp, objectId: string | undefined) =>
  objectId === undefined || fixedObjectsOf(op).includes(objectId);

/** Roles that take the coin of `amount` out of the wallet, whatever the manifest says of it. */
const payingRoles: ReadonlySet<SlotRole> = new Set([
  'swap',
  'deposit',
  'borrow',
  'repay',
  'repayAndWithdraw',
  'save',
  'stake',
  'unstake',
  'depositMargin',
  'supply',
]);

/** Whether an op takes a coin out of the wallet. */
export function takesCoin(op: ExecutableOp, role: SlotRole): boolean {
  return payingRoles.has(role) || op.intentMode !== undefined || typeArgsOf(op).includes('coinIn');
}

/**
 * The values for the arguments that the manifest leaves open, by the manifest's names.
 * @param named what a slot's setting says that the manifest calls them
 */
export function valuesFor(
  op: ExecutableOp,
  values: Record<string, unknown> = {},
  named: SlotSetting['values'] = {},
): Record<string, unknown> {
  return Object.fromEntries(
    argumentsOf(op).flatMap((argument) => {
      if (argument.role !== 'pure' || argument.value !== undefined) return [];
      const name = argument.name ?? argument.type;
      const meaning = meaningOf(name, named);
      return meaning !== undefined && Object.hasOwn(values, meaning) ? [[name, values[meaning]]] : [];
    }),
  );
}

/**
 * Whether an op takes every value that the request states, by an argument that is open for it or fixed to the same. One
 * that does not would place a short order as a long one, or an order with a limit at any price.
 */
export function takesStated(
  op: ExecutableOp,
  { values = {}, stated = [] }: Pick<Requirements, 'values' | 'stated'>,
  named: SlotSetting['values'] = {},
): boolean {
  return stated.every((meaning) => {
    const found = argumentsOf(op).flatMap((one) =>
      one.role === 'pure' && meaningOf(one.name ?? one.type, named) === meaning ? [one.value] : [],
    );
    const agrees = (fixed: unknown) => fixed === undefined || String(fixed) === String(values[meaning]);
    return found.length > 0 && found.every(agrees);
  });
}

const meaningOf = (name: string, named: NonNullable<SlotSetting['values']>): OpValue | undefined =>
  Object.hasOwn(named, name) ? named[name] : opValueOf(name);

/** An op for an action, with the coins that go out of and into the wallet. */
interface ChosenOp extends ResolvedOp {
  /** What leaves the wallet at most. */
  spends: CoinAmount[];
  /** What comes into it at least. */
  receives: CoinAmount[];
}

/** The first op that takes and brings the coins that are required, on the pool or market that is required. */
export function chooseOp(
  resolved: readonly ResolvedOp[],
  required: Requirements,
  supportedCoins: Manifest['supportedCoins'],
): ChosenOp | undefined {
  const supported = supportedSet(supportedCoins);
  for (const one of resolved) {
    const { objectId } = required;
    if (objectId !== undefined && !one.objects.some((object) => object.objectId === objectId)) continue;
    const sides = {
      coinIn: agreed(one, 'coinIn', required, supported),
      coinOut: agreed(one, 'coinOut', required, supported),
    };
    if (sides.coinIn === false || sides.coinOut === false) continue;
    const coinIn = sides.coinIn ?? onlyOther(one, 'coinIn', sides.coinOut, supported);
    const coinOut = sides.coinOut ?? onlyOther(one, 'coinOut', coinIn, supported);
    const moved = coinsMoved(one, required, coinIn, coinOut);
    if (moved) return { ...one, coinIn, coinOut, ...moved };
  }
  return undefined;
}

/**
 * The coin of one side: what the op's objects settle, else what is required where the op is open for it; undefined
 * where neither says. False where they contradict each other.
 */
function agreed(
  { op, ...settled }: ResolvedOp,
  side: 'coinIn' | 'coinOut',
  required: Requirements,
  supported: ReadonlySet<string> | undefined,
): string | undefined | false {
  const implied = side === 'coinIn' ? required.impliedIn : required.impliedOut;
  const [asked, own] = [required[side], settled[side]];
  if (asked === undefined) return own ?? implied;
  if (supported && !supported.has(asked)) return false;
  if (own !== undefined) return own === asked && asked;
  // An op that has no type argument of this side works on coins of its own, which the manifest names or not.
  return (typeArgsOf(op).includes(side) || supported?.has(asked) === true) && asked;
}

/** The coin of a side that nothing settles is the one other coin that the adaptor supports, if there is just one. */
function onlyOther(
  { op }: ResolvedOp,
  side: 'coinIn' | 'coinOut',
  otherSide: string | undefined,
  supported: ReadonlySet<string> | undefined,
): string | undefined {
  if (!typeArgsOf(op).includes(side)) return undefined;
  const [only, ...more] = [...(supported ?? [])].filter((coin) => coin !== otherSide);
  return more.length === 0 ? only : undefined;
}

/** Undefined where an op takes a coin, or is to bring one at least, of which nothing says what it is. */
function coinsMoved(
  one: ResolvedOp,
  required: Requirements,
  coinIn: string | undefined,
  coinOut: string | undefined,
): Pick<ChosenOp, 'spends' | 'receives'> | undefined {
  const { op, objects } = one;
  if (required.pair) {
    const pool = objects.find(({ objectId }) => objectId === required.objectId);
    const [first, second] = pool ? coinsOf(pool) : [];
    if (!first || !second) return undefined;
    const [sums, side] =
      'takes' in required.pair ? [required.pair.takes, 'spends'] : [required.pair.brings, 'receives'];
    const moved = [
      { coinType: first, amount: sums[0] },
      { coinType: second, amount: sums[1] },
    ].filter(({ amount }) => amount > 0n);
    return { spends: [], receives: [], [side]: moved };
  }
  const takes = takesCoin(op, required.role) && required.amount !== undefined;
  if (takes && coinIn === undefined) return undefined;
  const promises = required.minStated === true || argumentsOf(op).some(({ role }) => role === 'minOut');
  // The wallet holds the op to a minimum only of a coin that is known.
  if (required.minStated && coinOut === undefined) return undefined;
  return {
    spends: takes ? [{ coinType: coinIn!, amount: required.amount! }] : [],
    receives:
      promises && coinOut !== undefined && required.minOut
        ? [{ coinType: coinOut, amount: required.minOut }]
        : [],
  };
}

/** Undefined: any. */
function supportedSet(coins: Manifest['supportedCoins']): ReadonlySet<string> | undefined {
  if (!coins || coins.includes('*')) return undefined;
  return new Set(coins.filter((coin) => isValidStructTag(coin)).map((coin) => normalizeStructTag(coin)));
}
