import {
  type ExecutableOp,
  findOpValue,
  isAmountTaken,
  isExecutable,
  type ListedManifest,
  type ListedOp,
  listFixedObjects,
  listOpArguments,
  listOpTypeArgs,
  type Manifest,
  type OpFault,
  type OpValue,
  opFault,
  opSchema,
} from '@adaptor-marketplace/adaptor/manifest';
import { type CoinAmount, parsePoolCoins, type ResolvedOp } from '@adaptor-marketplace/adaptor/transactions';
import { isValidStructTag, normalizeStructTag } from '@mysten/sui/utils';
import type { Requirements } from './requirements.ts';
import { type Slot, type SlotRole, type SlotSetting, slotRoles } from './slots.ts';

/** Default function names of each role, for slots whose setting names no op. */
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

/** Finds the executable ops of a manifest for a role: one for each pool, market or pair. Malformed ops are left out. */
export function listRoleOps(
  { ops }: Pick<ListedManifest, 'ops'>,
  role: SlotRole,
  named: SlotSetting['ops'],
): ExecutableOp[] {
  return ops.filter((op): op is ExecutableOp => serves(op, role, named?.[role]) && isExecutable(op));
}

/** Finds the ops of a manifest that match a role but cannot be executed, each with the reason. */
export function listBrokenRoleOps(
  { ops }: Pick<ListedManifest, 'ops'>,
  role: SlotRole,
  named: SlotSetting['ops'],
): { index: number; reason: OpFault }[] {
  return ops.flatMap((op, index) => {
    // An op without a valid kind may be a swap.
    const might = role === 'swap' && named?.[role] === undefined && !kind.safeParse(op.kind).success;
    const reason = might || serves(op, role, named?.[role]) ? opFault(op) : undefined;
    return reason ? [{ index, reason }] : [];
  });
}

const { kind } = opSchema.shape;

/**
 * Finds the ops that open an account, in a slot where wallets need one. A draft can call them although the request does
 * not name them, so ops that need a coin, an amount or a value, or that are several calls, are left out.
 */
export function listOpeners(
  manifest: Pick<ListedManifest, 'ops'>,
  slot: Slot,
  named: SlotSetting['ops'],
): ExecutableOp[] {
  const roles: readonly SlotRole[] = slotRoles[slot];
  if (!roles.includes('openAccount')) return [];
  return listRoleOps(manifest, 'openAccount', named).filter(({ call, intentMode }) => {
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

/** `true` if an op works on the given pool or market, which is one of its fixed objects, or if none is given. */
export const worksOn = (op: ExecutableOp, objectId: string | undefined) =>
  objectId === undefined || listFixedObjects(op).includes(objectId);

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

/** `true` if an op takes a coin out of the wallet. */
export function takesCoin(op: ExecutableOp, role: SlotRole): boolean {
  return payingRoles.has(role) || isAmountTaken(op);
}

/** Returns values for the arguments that the manifest leaves open. `named`: meaning of names, by the slot's setting. */
export function valuesFor(
  op: ExecutableOp,
  values: Record<string, unknown> = {},
  named: SlotSetting['values'] = {},
): Record<string, unknown> {
  return Object.fromEntries(
    listOpArguments(op).flatMap((argument) => {
      if (argument.role !== 'pure' || argument.value !== undefined) return [];
      const name = argument.name ?? argument.type;
      const meaning = findMeaning(name, named);
      return meaning !== undefined && Object.hasOwn(values, meaning) ? [[name, values[meaning]]] : [];
    }),
  );
}

/**
 * `true` if an op accepts every value that the request states: each has an argument that is open, or fixed to the same
 * value. Any other op could place a short order as a long one, or an order with a limit at any price.
 */
export function takesStated(
  op: ExecutableOp,
  { values = {}, stated = [] }: Pick<Requirements, 'values' | 'stated'>,
  named: SlotSetting['values'] = {},
): boolean {
  return stated.every((meaning) => {
    const found = listOpArguments(op).flatMap((one) =>
      one.role === 'pure' && findMeaning(one.name ?? one.type, named) === meaning ? [one.value] : [],
    );
    const agrees = (fixed: unknown) => fixed === undefined || String(fixed) === String(values[meaning]);
    return found.length > 0 && found.every(agrees);
  });
}

const findMeaning = (name: string, named: NonNullable<SlotSetting['values']>): OpValue | undefined =>
  Object.hasOwn(named, name) ? named[name] : findOpValue(name);

interface ChosenOp extends ResolvedOp {
  /** Maximum amounts that leave the wallet. */
  spends: CoinAmount[];
  /** Minimum amounts that enter the wallet. */
  receives: CoinAmount[];
}

/** Returns the first op with the required coins, on the required pool or market. */
export function chooseOp(
  resolved: readonly ResolvedOp[],
  required: Requirements,
  supportedCoins: Manifest['supportedCoins'],
): ChosenOp | undefined {
  const supported = parseSupportedCoins(supportedCoins);
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
    const moved = listCoinsMoved(one, required, coinIn, coinOut);
    if (moved) return { ...one, coinIn, coinOut, ...moved };
  }
  return undefined;
}

/** Returns the coin of one side: the object's, else the required one; undefined if open, false if they contradict. */
function agreed(
  { op, ...settled }: ResolvedOp,
  side: 'coinIn' | 'coinOut',
  required: Requirements,
  supported: ReadonlySet<string> | undefined,
): string | undefined | false {
  const implied = side === 'coinIn' ? required.impliedIn : required.impliedOut;
  const [coin, own] = [required[side], settled[side]];
  if (coin === undefined) return own ?? implied;
  if (supported && !supported.has(coin)) return false;
  if (own !== undefined) return own === coin && coin;
  // An op without a type argument for this side has fixed coins, which the manifest may or may not name.
  return (listOpTypeArgs(op).includes(side) || supported?.has(coin) === true) && coin;
}

/** Returns the only other coin that the adaptor supports; undefined if there are several. */
function onlyOther(
  { op }: ResolvedOp,
  side: 'coinIn' | 'coinOut',
  otherSide: string | undefined,
  supported: ReadonlySet<string> | undefined,
): string | undefined {
  if (!listOpTypeArgs(op).includes(side)) return undefined;
  const [only, ...more] = [...(supported ?? [])].filter((coin) => coin !== otherSide);
  return more.length === 0 ? only : undefined;
}

/** Returns the amounts that an op moves; undefined if the type of a coin that it takes, or must bring, is unknown. */
function listCoinsMoved(
  one: ResolvedOp,
  required: Requirements,
  coinIn: string | undefined,
  coinOut: string | undefined,
): Pick<ChosenOp, 'spends' | 'receives'> | undefined {
  const { op, objects } = one;
  if (required.pair) {
    const pool = objects.find(({ objectId }) => objectId === required.objectId);
    const [first, second] = pool ? parsePoolCoins(pool) : [];
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
  const promises = required.minStated === true || listOpArguments(op).some(({ role }) => role === 'minOut');
  // The wallet can enforce a minimum only for a known coin.
  if (required.minStated && coinOut === undefined) return undefined;
  return {
    spends: takes ? [{ coinType: coinIn!, amount: required.amount! }] : [],
    receives:
      promises && coinOut !== undefined && required.minOut
        ? [{ coinType: coinOut, amount: required.minOut }]
        : [],
  };
}

/** Returns the supported coins, or undefined if the adaptor supports any coin. */
function parseSupportedCoins(coins: Manifest['supportedCoins']): ReadonlySet<string> | undefined {
  if (!coins || coins.includes('*')) return undefined;
  return new Set(coins.filter((coin) => isValidStructTag(coin)).map((coin) => normalizeStructTag(coin)));
}
