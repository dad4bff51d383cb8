import type { KeyScope } from '../../db/schema/agent-access.ts';

/** What bounds an executor key: its scope, and its end in milliseconds since the epoch (null: it has none). */
export interface KeyBounds extends KeyScope {
  expiresMs: number | null;
}

type BoundName = keyof KeyBounds;

/** A change of bounds: what is absent stays. */
export type BoundsChange = Partial<KeyScope> & { expiresMs?: number | undefined };

type Narrowing =
  | { kind: 'narrowed'; bounds: KeyBounds }
  /** The change would allow something that the key may not do. */
  | { kind: 'widened'; field: BoundName; reason: string };

/** Applies a change that takes from what a key may do, and refuses one that adds to it. */
export function narrow(bounds: KeyBounds, change: BoundsChange): Narrowing {
  const service = change.services?.find((one) => !allowsService(bounds, one));
  if (service !== undefined) return notAmong('services', service);
  const action = change.actions?.find((one) => !allowsAction(bounds, one));
  if (action !== undefined) return notAmong('actions', action);
  for (const field of ['maxPerRun', 'maxPerDay'] as const) {
    const reason = moreCoins(bounds[field], change[field]);
    if (reason !== undefined) return { kind: 'widened', field, reason };
  }
  if (change.unattended && !bounds.unattended) {
    return { kind: 'widened', field: 'unattended', reason: 'the key asks a person first' };
  }
  const { expiresMs } = change;
  if (expiresMs !== undefined && bounds.expiresMs !== null && expiresMs > bounds.expiresMs) {
    return { kind: 'widened', field: 'expiresMs', reason: `the key ends at ${bounds.expiresMs}` };
  }
  const changed = Object.entries(change).filter(([, value]) => value !== undefined);
  return { kind: 'narrowed', bounds: { ...bounds, ...Object.fromEntries(changed) } };
}

const notAmong = (field: 'services' | 'actions', one: string): Narrowing => ({
  kind: 'widened',
  field,
  reason: `${one} is not among them`,
});

type Amounts = Readonly<Record<string, string>>;

/** Why a list of coins allows more than another; undefined where it does not. */
function moreCoins(old: Amounts | undefined, now: Amounts = {}): string | undefined {
  if (old === undefined) return undefined;
  for (const [coinType, amount] of Object.entries(now)) {
    const most = amountOf(old, coinType);
    if (most === undefined) return `${coinType} is not among them`;
    if (BigInt(amount) > most) return `of ${coinType} it is ${most}`;
  }
  return undefined;
}

/**
 * Whether a key may do a step's action. `compose` itself is none: each of its steps is asked for. A spend goes to no
 * service but to any recipient that the policy lets pass, so a key that is for services does it only where its actions
 * name it.
 */
export function allowsAction({ actions, services }: KeyScope, action: string): boolean {
  if (actions !== undefined) return actions.includes(action);
  return services === undefined || action !== 'spend';
}

/** Whether a key may use a service; undefined is one that is not known. */
export function allowsService({ services }: KeyScope, service: string | undefined): boolean {
  return services === undefined || (service !== undefined && services.includes(service));
}

/** A coin of which a run would take more than its key allows; `most` undefined: the key allows none of it. */
interface CoinExcess {
  field: 'maxPerRun' | 'maxPerDay';
  coinType: string;
  amount: bigint;
  most: bigint | undefined;
}

/**
 * What one run takes beyond a key's bounds on coins, by coin type in base units. A list allows no coin that it leaves
 * out. What is left of `maxPerDay` is for the day's counts to say; more than a whole day's amount never fits.
 */
export function coinExcess(scope: KeyScope, taken: ReadonlyMap<string, bigint>): CoinExcess | undefined {
  for (const field of ['maxPerRun', 'maxPerDay'] as const) {
    const bounds = scope[field];
    if (bounds === undefined) continue;
    for (const [coinType, amount] of taken) {
      const most = amountOf(bounds, coinType);
      if (amount > 0n && (most === undefined || amount > most)) return { field, coinType, amount, most };
    }
  }
  return undefined;
}

/** What is beyond a key, as the rest of a sentence. */
export function excessInWords({ field, coinType, amount, most }: CoinExcess): string {
  if (most === undefined) return `it takes ${coinType}, which the key's ${field} does not include`;
  return `it takes ${amount} of ${coinType}, more than the ${most} of the key's ${field}`;
}

function amountOf(amounts: Amounts, coinType: string): bigint | undefined {
  return Object.hasOwn(amounts, coinType) ? BigInt(amounts[coinType]!) : undefined;
}
