import type { KeyScope } from '../../db/schema/agent-access.ts';

/** Bounds of an executor key: its scope, and its expiry in milliseconds since the epoch. Null means no expiry. */
export interface KeyBounds extends KeyScope {
  expiresMs: number | null;
}

type BoundName = keyof KeyBounds;

/** A change of bounds. Absent fields stay as they are. */
export type BoundsChange = Partial<KeyScope> & { expiresMs?: number | undefined };

type Narrowing =
  | { kind: 'narrowed'; bounds: KeyBounds }
  /** The change would allow something that the key may not do. */
  | { kind: 'widened'; field: BoundName; reason: string };

/** Applies a change that restricts a key, and refuses one that extends it. */
export function narrow(bounds: KeyBounds, change: BoundsChange): Narrowing {
  const service = change.services?.find((one) => !allowsService(bounds, one));
  if (service !== undefined) return notAmong('services', service);
  const action = change.actions?.find((one) => !allowsAction(bounds, one));
  if (action !== undefined) return notAmong('actions', action);
  for (const field of ['maxPerRun', 'maxPerDay'] as const) {
    const reason = describeMoreCoins(bounds[field], change[field]);
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

type AmountsByCoin = Readonly<Record<string, string>>;

/** Returns the reason why new amounts allow more than the old ones, or undefined if they do not. */
function describeMoreCoins(old: AmountsByCoin | undefined, now: AmountsByCoin = {}): string | undefined {
  if (old === undefined) return undefined;
  for (const [coinType, amount] of Object.entries(now)) {
    const most = findAmount(old, coinType);
    if (most === undefined) return `${coinType} is not among them`;
    if (BigInt(amount) > most) return `of ${coinType} it is ${most}`;
  }
  return undefined;
}

/**
 * `true` if a key allows the action of a step. `compose` is not such an action: check each of its steps. A spend uses
 * no service, and can go to any recipient that the policy allows. A key with `services` therefore allows it only if its
 * `actions` name it.
 */
export function allowsAction({ actions, services }: KeyScope, action: string): boolean {
  if (actions !== undefined) return actions.includes(action);
  return services === undefined || action !== 'spend';
}

/** `true` if a key allows a service. `service` is undefined if it is not known. */
export function allowsService({ services }: KeyScope, service: string | undefined): boolean {
  return services === undefined || (service !== undefined && services.includes(service));
}

/** A coin of which a run would take more than its key allows. `most`: undefined if the key allows none of it. */
interface CoinExcess {
  field: 'maxPerRun' | 'maxPerDay';
  coinType: string;
  amount: bigint;
  most: bigint | undefined;
}

/**
 * Finds a coin of which one run takes more than its key allows. `taken` has base units by coin type. A list allows no
 * coin that it leaves out. An amount above `maxPerDay` never fits. The daily counts decide what is left of the day.
 */
export function findCoinExcess(scope: KeyScope, taken: ReadonlyMap<string, bigint>): CoinExcess | undefined {
  for (const field of ['maxPerRun', 'maxPerDay'] as const) {
    const bounds = scope[field];
    if (bounds === undefined) continue;
    for (const [coinType, amount] of taken) {
      const most = findAmount(bounds, coinType);
      if (amount > 0n && (most === undefined || amount > most)) return { field, coinType, amount, most };
    }
  }
  return undefined;
}

/** Describes an excess as the end of a sentence. */
export function describeExcess({ field, coinType, amount, most }: CoinExcess): string {
  if (most === undefined) return `it takes ${coinType}, which the key's ${field} does not include`;
  return `it takes ${amount} of ${coinType}, more than the ${most} of the key's ${field}`;
}

function findAmount(amounts: AmountsByCoin, coinType: string): bigint | undefined {
  return Object.hasOwn(amounts, coinType) ? BigInt(amounts[coinType]!) : undefined;
}
