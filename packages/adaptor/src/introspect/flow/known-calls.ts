import { isSystemPackage } from '../../packages/system.ts';
import type { FunctionName } from '../code/module.ts';
import { isSystemType, type MoveType } from '../code/move-type.ts';
import type { Fact, IntentMode } from './summary.ts';
import { content, flatten, join, nothing, type Value } from './value.ts';

interface ModeledCall {
  args: readonly Value[];
  typeArgs: readonly MoveType[];
  /** Makes a result with a number of its own that is computed from `from`, by default from all arguments. */
  result(index: number, from?: readonly Value[]): Value;
}

interface Effect {
  returns?: readonly Value[];
  facts?: readonly Fact[];
  /** Value that the call writes behind its first argument, a reference. */
  writes?: Value;
}

type CallModel = (call: ModeledCall) => Effect;

const getArgument = (args: readonly Value[], index: number): Value => args[index] ?? nothing;
const readMoney = (args: readonly Value[], index: number): Value =>
  flatten(content(getArgument(args, index)));

/** Models a call that returns money of an argument. A coin, a balance and their amount are the same value here. */
const counts =
  (index: number): CallModel =>
  ({ args }) => ({ returns: [readMoney(args, index)] });

/** Models a call that returns the content of its argument: here by a reference to the same place, below by value. */
const inside: CallModel = ({ args }) => ({ returns: [getArgument(args, 0)] });
const insideByValue: CallModel = ({ args }) => ({ returns: [content(getArgument(args, 0))] });

const splits =
  (index: number): CallModel =>
  ({ args }) => ({
    returns: [readMoney(args, index)],
    facts: [{ kind: 'splits', value: readMoney(args, index) }],
  });

const either: CallModel = ({ args }) => ({ returns: [join(readMoney(args, 0), readMoney(args, 1))] });
const zero: CallModel = () => ({ returns: [nothing] });

const gives: CallModel = ({ args, typeArgs: [type] }) => ({
  facts: type && isSystemType(type, '0x2::coin::Coin') ? [{ kind: 'gives', value: readMoney(args, 0) }] : [],
});

const numbers = ['u8', 'u16', 'u32', 'u64', 'u128', 'u256'];

/** Framework functions that the analysis follows values through, by `<package>::<module>::<function>`. */
const framework = new Map<string, CallModel>([
  ...['value', 'into_balance', 'from_balance'].map((name) => [`0x2::coin::${name}`, counts(0)] as const),
  ['0x2::coin::balance', inside],
  ['0x2::coin::balance_mut', inside],
  ['0x2::coin::split', splits(1)],
  ['0x2::coin::take', splits(1)],
  ['0x2::coin::mint', splits(1)],
  ['0x2::coin::mint_balance', splits(1)],
  ['0x2::coin::burn', counts(1)],
  ['0x2::coin::zero', zero],
  ['0x2::balance::value', counts(0)],
  ['0x2::balance::withdraw_all', counts(0)],
  ['0x2::balance::split', splits(1)],
  ['0x2::balance::increase_supply', splits(1)],
  ['0x2::balance::decrease_supply', counts(1)],
  ['0x2::balance::zero', zero],
  ['0x2::transfer::public_transfer', gives],
  ['0x2::transfer::transfer', gives],
  ['0x1::option::borrow', inside],
  ['0x1::option::borrow_mut', inside],
  ...['some', 'extract', 'destroy_some', 'to_vec'].map(
    (name) => [`0x1::option::${name}`, insideByValue] as const,
  ),
  ['0x1::option::none', zero],
  ['0x1::option::get_with_default', either],
  ['0x1::option::destroy_with_default', either],
  ['0x1::option::fill', ({ args }) => ({ writes: getArgument(args, 1) })],
  ...numbers.flatMap((type) => ['min', 'max'].map((name) => [`0x1::${type}::${name}`, either] as const)),
  ['0x2::math::min', either],
  ['0x2::math::max', either],
]);

/**
 * Modules that find values by keys. Their results follow from the container alone, since a key says nothing about a
 * value.
 */
const containers =
  /^0x2::(table|bag|object_table|object_bag|linked_table|vec_map|vec_set|table_vec|dynamic_field|dynamic_object_field)$/;

const requests =
  (mode: IntentMode): CallModel =>
  ({ args, typeArgs }) => ({
    returns: [readMoney(args, 1)],
    facts: [{ kind: 'takes', mode, value: readMoney(args, 1), coin: typeArgs[1], service: typeArgs[0] }],
  });

const requestsSwap: CallModel = ({ args, typeArgs }) => ({
  returns: [readMoney(args, 1)],
  facts: [
    { kind: 'takes', mode: 'D', value: readMoney(args, 1), coin: typeArgs[1], service: typeArgs[0] },
    { kind: 'least', value: readMoney(args, 2), coin: typeArgs[2] },
  ],
});

/** The money has the value of the request. The receipt that comes with it must be handed back. */
const pays: CallModel = ({ args, result }) => ({ returns: [readMoney(args, 1), result(1)] });

const beginsSpend: CallModel = ({ args, typeArgs, result }) => ({
  returns: [result(0)],
  facts: [{ kind: 'takes', value: readMoney(args, 1), coin: typeArgs[0] }],
});

const spends: CallModel = ({ args, typeArgs, result }) => ({
  returns: [result(0)],
  facts: [{ kind: 'takes', value: readMoney(args, 2), coin: typeArgs[1], service: typeArgs[0] }],
});

const deposits: CallModel = ({ args, typeArgs, result }) => ({
  returns: [result(0)],
  facts: [{ kind: 'brings', value: readMoney(args, 1), coin: typeArgs[0] }],
});

const brings =
  (index: number, coin: number): CallModel =>
  ({ args, typeArgs, result }) => ({
    returns: [result(0)],
    facts: [{ kind: 'brings', value: readMoney(args, index), coin: typeArgs[coin], service: typeArgs[0] }],
  });

const movesAsset =
  (name: number): CallModel =>
  ({ args, typeArgs, result }) => ({
    returns: [result(0, [])],
    facts: [
      { kind: 'asset', value: nothing, service: typeArgs[0] },
      { kind: 'names', value: readMoney(args, name), name: 'name' },
    ],
  });

const binds: CallModel = ({ args, typeArgs }) => ({
  facts: [
    { kind: 'binds', value: nothing, service: typeArgs[0] },
    { kind: 'names', value: readMoney(args, 1), name: 'account' },
  ],
});

/** Functions of a wallet package, by `<module>::<function>`. */
const wallet = new Map<string, CallModel>([
  ['intent::request_payment', requests('A')],
  ['intent::request_payment_for_payer', requests('B')],
  ['intent::request_payment_unmetered', requests('C')],
  ['intent::request_swap', requestsSwap],
  ['intent::validate_and_pay', pays],
  ['intent::validate_and_pay_for_payer', pays],
  ['intent::validate_and_pay_unmetered', pays],
  ['intent::validate_and_swap_out', pays],
  ['intent::verify_swap_and_credit', brings(3, 2)],
  ['policy::begin_spend', beginsSpend],
  ['delegate::spend', spends],
  ['wallet::receive_from_service', brings(1, 1)],
  ['wallet::deposit', deposits],
  ['wallet::receive_asset_from_service', movesAsset(2)],
  ['wallet::take_asset_for_service', movesAsset(1)],
  ['wallet::bind_external_account_from_service', binds],
]);

/**
 * Finds the model of a call that is known by the function's name: a function of the framework, or of a wallet package,
 * whose interface is fixed. Returns undefined for all others.
 */
export function findCallModel(callee: FunctionName, isWalletPackage: boolean): CallModel | undefined {
  if (isWalletPackage) return wallet.get(`${callee.module}::${callee.name}`);
  if (!isSystemPackage(callee.address)) return undefined;
  const module = `0x${BigInt(callee.address).toString(16)}::${callee.module}`;
  const known = framework.get(`${module}::${callee.name}`);
  if (known) return known;
  const isContainer = containers.test(module);
  return ({ args, result }) => ({
    returns: [0, 1, 2].map((i) => result(i, isContainer ? args.slice(0, 1) : args)),
  });
}
