import type {
  ArrivesClaim,
  Holder,
  LeavesClaim,
  Likelihood,
  ObjectClaim,
  Provenance,
  Route,
} from './explanation.ts';
import { assetType, isHolder, type Movement, type Origin } from './origin.ts';

/** Claims about money and objects that follow from the movements of a transaction. */
interface MovementClaims {
  leaves: LeavesClaim[];
  arrives: ArrivesClaim[];
  objects: ObjectClaim[];
}

/** @param own addresses and objects of the signers and wallets, to which something can come back */
export function summarizeMovements(movements: readonly Movement[], own: readonly Holder[]): MovementClaims {
  const losses = movements.filter((movement) => movement.origin.holder && !isStaying(movement));
  const ownNames = new Set(own.map(nameHolder));
  const gains = movements.filter(
    ({ origin, to }) =>
      (to.kind === 'address' || to.kind === 'object') &&
      ownNames.has(nameHolder(to)) &&
      !isHolder(origin.holder, to),
  );
  const money = losses.filter(({ origin }) => origin.objectId === undefined);
  const objects = losses.filter(({ origin }) => origin.objectId !== undefined);
  return {
    leaves: groupBy(money, ({ origin }) => [origin.holder, assetType(origin.type)]).map((group) => {
      const { origin } = group[0];
      const atMost = sumLeaving(group.map((each) => each.origin));
      return {
        holder: origin.holder!,
        type: assetType(origin.type),
        atMost: atMost === undefined ? null : String(atMost),
        routes: listRoutes(group),
      };
    }),
    arrives: groupBy(gains, ({ to, type }) => [to, assetType(type)]).map((group) => ({
      holder: group[0].to as Holder,
      type: assetType(group[0].type),
      atLeast: String(group.reduce((sum, { atLeast }) => sum + atLeast, 0n)),
      from: listUnique(group.map(({ origin }): Provenance => origin.from)),
      commands: listUnique(group.map(({ command }) => command)),
    })),
    objects: groupBy(objects, ({ origin }) => [origin.objectId]).map((group) => {
      const { objectId, type, holder } = group[0].origin;
      return { id: objectId!, type, holder: holder!, routes: listRoutes(group) };
    }),
  };
}

const nameHolder = (holder: Holder): string =>
  holder.kind === 'address' ? holder.address : `object ${holder.id}`;

/**
 * `true` if something comes back to its holder. Money that comes back within an object is spent: it is no longer among
 * the coins of its holder.
 */
const isStaying = (movement: Movement): boolean =>
  isHolder(movement.origin.holder, movement.to) && findContainer(movement) === undefined;

/** Finds the type of the object that contains moving money. Undefined for money on its own, and for an object. */
function findContainer({ origin, type }: Movement): string | undefined {
  if (origin.objectId !== undefined || type === '?') return undefined;
  return assetType(type) === assetType(origin.type) ? undefined : type;
}

type Group<T> = [T, ...T[]];

/** Groups items by the values of their keys. Many items share few long values, so each value is serialized once. */
function groupBy<T>(items: readonly T[], key: (item: T) => readonly unknown[]): Group<T>[] {
  const byValue = new Map<unknown, number>();
  const byText = new Map<string | undefined, number>();
  const toNumber = (value: unknown): number => {
    const known = byValue.get(value);
    if (known !== undefined) return known;
    const text = JSON.stringify(value);
    const number = byText.get(text) ?? byText.size;
    byText.set(text, number);
    byValue.set(value, number);
    return number;
  };
  const groups = Map.groupBy(items, (item) => key(item).map(toNumber).join());
  return [...(groups.values() as Iterable<Group<T>>)];
}

const listUnique = <T>(items: readonly T[]): T[] => [
  ...new Map(items.map((item) => [JSON.stringify(item), item])).values(),
];

/** Likelihoods, the most certain first. */
const likelihoods: readonly Likelihood[] = ['always', 'may', 'unread'];

/** Lists the destinations of movements, each once. */
export function listRoutes(movements: readonly Movement[]): Route[] {
  return groupBy(movements, (each) => [each.to, findContainer(each)]).map((group) => ({
    to: group[0].to,
    ...buildWithin(findContainer(group[0])),
    likelihood: likelihoods.find((each) => group.some(({ likelihood }) => likelihood === each))!,
    commands: listUnique(group.map(({ command }) => command)),
  }));
}

const buildWithin = (type: string | undefined): Pick<Route, 'within'> =>
  type === undefined ? {} : { within: type };

/**
 * Adds up what can leave. The parts of an origin are together at most the origin. Returns undefined without a bound.
 */
function sumLeaving(origins: readonly Origin[]): bigint | undefined {
  const leaving = new Set(origins);
  const parts = new Map<Origin, Origin[]>();
  const roots: Origin[] = [];
  const seen = new Set<Origin>();
  for (const origin of leaving) {
    for (let at: Origin | undefined = origin; at && !seen.has(at); at = at.parent) {
      seen.add(at);
      if (!at.parent) roots.push(at);
      else if (parts.has(at.parent)) parts.get(at.parent)!.push(at);
      else parts.set(at.parent, [at]);
    }
  }
  const measure = (origin: Origin): bigint | undefined => {
    if (leaving.has(origin)) return origin.amount;
    const sum = addUp((parts.get(origin) ?? []).map(measure));
    if (sum === undefined || origin.amount === undefined) return sum ?? origin.amount;
    return sum < origin.amount ? sum : origin.amount;
  };
  return addUp(roots.map(measure));
}

/** Returns undefined if an amount has no bound. */
function addUp(amounts: readonly (bigint | undefined)[]): bigint | undefined {
  let sum = 0n;
  for (const amount of amounts) {
    if (amount === undefined) return undefined;
    sum += amount;
  }
  return sum;
}
