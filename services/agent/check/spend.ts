import type { ActionStep } from '../../../lib/actions/request.ts';
import type { CalledPackages } from '../chain/node.ts';
import { refusal } from '../failure.ts';
import { type Call, type CallArgument, pureBytes } from './calls.ts';

type Spend = Extract<ActionStep, { action: 'spend' }>;

/** Packages and the wallet that the calls of a spend may name. */
export interface SpendWorld {
  walletId: string;
  packages: Pick<CalledPackages, 'wallet' | 'allowlist'>;
}

/**
 * Holds the calls of a spend against the request: a request for exactly this payment, stamped by a cap and caveats,
 * confirmed. Answers the cap that stamps it and the lists that do. `first` is the place of the first call in the transaction.
 * @throws RunFailure `unexpected_transaction`
 */
export function checkSpend(
  calls: readonly Call[],
  first: number,
  step: Spend,
  world: SpendWorld,
): { cap: string; lists: string[] } {
  const walletPackageId = world.packages.wallet.newestId;
  const [begin, ...rest] = calls;
  const confirm = rest.pop();
  if (!begin || !confirm) throw refusal('a spend begins and is confirmed');
  const isWallet = (argument: CallArgument | undefined) => isObject(argument, world.walletId);
  const isRequest = (argument: CallArgument | undefined) =>
    argument?.kind === 'result' && argument.call === first;

  expectCall(begin, `${walletPackageId}::policy::begin_spend`, [step.coinType], 3);
  const [wallet, amount, recipient] = begin.arguments;
  if (!isWallet(wallet)) throw refusal('it spends from another wallet');
  if (!isPure(amount, pureBytes.u64(BigInt(step.amount)))) throw refusal('it spends another amount');
  if (!isPure(recipient, pureBytes.address(step.recipient))) throw refusal('it pays another recipient');

  const stamps = new Map([
    [`${walletPackageId}::cap_auth::prove`, 'cap'],
    [`${walletPackageId}::sub_delegate::spend`, 'cap'],
    [`${world.packages.allowlist?.newestId}::rule::enforce`, 'caveat'],
  ]);
  const caps: string[] = [];
  const lists: string[] = [];
  for (const call of rest) {
    const kind = stamps.get(call.target);
    if (kind === undefined) throw refusal(`a spend does not call ${call.target}`);
    expectCall(call, call.target, [], 2);
    const [object, request] = call.arguments;
    if (object?.kind !== 'object' || !isRequest(request)) throw refusal('a stamp is for another request');
    (kind === 'cap' ? caps : lists).push(object.objectId);
  }
  // One suffices, and of a scoped one the budget would be used for nothing.
  const [cap, another] = caps;
  if (cap === undefined || another !== undefined) throw refusal('it goes by another number of caps than one');
  if (step.capId !== undefined && cap !== step.capId) throw refusal('it goes by another cap');

  expectCall(confirm, `${walletPackageId}::policy::confirm_spend`, [step.coinType], 2);
  if (!isWallet(confirm.arguments[0]) || !isRequest(confirm.arguments[1])) {
    throw refusal('it confirms another request');
  }
  return { cap, lists };
}

function expectCall(call: Call, target: string, typeArguments: string[], argumentCount: number): void {
  if (call.target !== target) throw refusal(`${call.target} stands where ${target} should`);
  if (call.typeArguments.join() !== typeArguments.join()) throw refusal(`${target} is for another coin`);
  if (call.arguments.length !== argumentCount) throw refusal(`${target} has other arguments`);
}

const isObject = (argument: CallArgument | undefined, objectId: string) =>
  argument?.kind === 'object' && argument.objectId === objectId;
const isPure = (argument: CallArgument | undefined, bytes: string) =>
  argument?.kind === 'pure' && argument.bytes === bytes;
