import type { CoinAmount } from '@adaptor-marketplace/adaptor/transactions/lock';
import { byCoin } from '@adaptor-marketplace/adaptor/transactions/lock';
import { refusal } from '../failure.ts';
import { type Call, type CallArgument, u64Of } from './calls.ts';

/** A step's calls within the wallet's lock, and what the lock holds them to. */
export interface LockedCalls {
  service: string;
  takes: CoinAmount[];
  brings: CoinAmount[];
  /** The calls that the lock is around. */
  inner: Call[];
}

/**
 * Reads the lock off a step's calls: `begin`, each bound once, the calls, `end`, all on this wallet by this ticket.
 * @param first the place of the first call in the transaction, whose result is the ticket
 * @param walletPackageId the package whose functions are called
 * @throws RunFailure `unexpected_transaction`
 */
export function readLock(
  calls: readonly Call[],
  first: number,
  { walletId, walletPackageId }: { walletId: string; walletPackageId: string },
): LockedCalls {
  const target = (name: string) => `${walletPackageId}::action::${name}`;
  const isTicket = (argument: CallArgument | undefined) =>
    argument?.kind === 'result' && argument.call === first;
  const onWallet = ({ arguments: [wallet], target: called }: Call, count: number) => {
    if (wallet?.kind === 'object' && wallet.objectId === walletId) return count;
    throw refusal(`${called} is for another wallet`);
  };
  const [begin, ...rest] = calls;
  const end = rest.pop();
  if (begin?.target !== target('begin') || end?.target !== target('end')) {
    throw refusal('its calls are not held to bounds');
  }
  const [service, ...more] = begin.typeArguments;
  if (service === undefined || more.length > 0 || begin.arguments.length !== onWallet(begin, 1)) {
    throw refusal(`${begin.target} has other arguments`);
  }
  if (
    end.typeArguments.length > 0 ||
    end.arguments.length !== onWallet(end, 2) ||
    !isTicket(end.arguments[1])
  ) {
    throw refusal(`${end.target} has other arguments`);
  }
  const bounds = { takes: [] as CoinAmount[], brings: [] as CoinAmount[] };
  const sides = new Map([
    [target('may_take'), bounds.takes],
    [target('must_bring'), bounds.brings],
  ]);
  let bound = 0;
  for (; bound < rest.length; bound += 1) {
    const call = rest[bound]!;
    const side = sides.get(call.target);
    if (!side) break;
    const [coinType, another] = call.typeArguments;
    const amount = u64Of(call.arguments[2]);
    const whole = call.arguments.length === onWallet(call, 3) && isTicket(call.arguments[1]);
    if (!whole || coinType === undefined || another !== undefined || amount === undefined) {
      throw refusal(`${call.target} has other arguments`);
    }
    side.push({ coinType, amount });
  }
  return { service, ...bounds, inner: rest.slice(bound) };
}

/**
 * Holds stated bounds against those that follow from the request.
 * @throws RunFailure `unexpected_transaction`
 */
export function expectBounds(
  { service, takes, brings }: Omit<LockedCalls, 'inner'>,
  expected: { service: string; takes: readonly CoinAmount[]; brings: readonly CoinAmount[] },
): void {
  if (service !== expected.service) throw refusal(`it lets ${service} act`);
  if (!same(takes, expected.takes)) throw refusal('it lets the service take something else');
  if (!same(brings, expected.brings)) throw refusal('it demands something else of the service');
}

function same(stated: readonly CoinAmount[], expected: readonly CoinAmount[]): boolean {
  const left = new Map(byCoin(expected).map(({ coinType, amount }) => [coinType, amount]));
  const all = stated.every(({ coinType, amount }) => left.get(coinType) === amount && left.delete(coinType));
  return all && left.size === 0;
}
