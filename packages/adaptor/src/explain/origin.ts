import { ExplainError, explainBounds } from './bounds.ts';
import type { Destination, Holder, Likelihood, Provenance } from './explanation.ts';

/** Money or an object, by where it was before the transaction; or a part of it that a command took out. */
export interface Origin {
  from: Provenance;
  /** The holder that loses what leaves. Absent for what belongs to a protocol, and for what is made. */
  holder?: Holder | undefined;
  type: string;
  /** The id of the object, if this is a whole object that is not a coin. */
  objectId?: string | undefined;
  /** Upper bound in base units. Undefined: none is known. */
  amount?: bigint | undefined;
  /** The origin that this is a part of. */
  parent?: Origin | undefined;
}

/** A value of the transaction: an input, a result, or the gas coin. */
export interface Value {
  /** Undefined if it is not known. */
  type?: string | undefined;
  /** The money and the objects that the value may be, or may contain, with the type that each has there. */
  parts: Map<Origin, string>;
  /** The parts that it may not be or contain after all, such as the other items of a vector. */
  uncertain?: Set<Origin> | undefined;
  /** `true` if it stands for each of several results. */
  isAny?: boolean | undefined;
  /** Lower bound of its amount if it is a coin. */
  atLeast: bigint;
  /** The bytes of a pure value. */
  bytes?: Uint8Array | undefined;
  /** The object, for an object that is an input. */
  objectId?: string | undefined;
  /** The owner of an input, where it stays unless a command takes it. */
  home?: Holder | undefined;
  /** `shared`: an object that anyone can use. `fixed`: an object that the transaction cannot change. */
  access?: 'shared' | 'fixed' | 'receiving' | undefined;
}

/** Something of an origin that goes somewhere. */
export interface Movement {
  origin: Origin;
  to: Destination;
  /** Type of what arrives. */
  type: string;
  likelihood: Likelihood;
  command: number;
  /** Lower bound of the amount that arrives, if the whole of it has other holders. */
  atLeast: bigint;
}

/** All movements of a transaction, within the bound on steps. */
export class Movements {
  readonly list: Movement[] = [];
  #steps = 0;

  add(movement: Movement): void {
    this.step();
    this.list.push(movement);
  }

  /** @throws ExplainError beyond the bound */
  step(count = 1): void {
    this.#steps += count;
    if (this.#steps > explainBounds.steps) {
      throw new ExplainError(
        'transaction_too_large',
        'The transaction needs too many steps to explain. Split it, and explain the parts.',
      );
    }
  }
}

/** Takes a part of an origin, of at most `amount`. */
export const takePart = (parent: Origin, amount: bigint | undefined): Origin => ({
  from: parent.from,
  holder: parent.holder,
  type: parent.type,
  amount: smaller(parent.amount, amount),
  parent,
});

/** Adds something that a value may be or contain. */
export function addPart(value: Value, origin: Origin, type: string, isCertain: boolean): void {
  value.parts.set(origin, type);
  if (isCertain && !value.isAny) return;
  value.uncertain ??= new Set();
  value.uncertain.add(origin);
}

/** Returns `true` if one of the values is what the origin was taken out of. Each part of a part is a step. */
export function isWithin(
  { parent }: Origin,
  values: ReadonlyMap<Origin, string>,
  movements: Movements,
): boolean {
  for (let at = parent; at; at = at.parent) {
    movements.step();
    if (values.has(at)) return true;
  }
  return false;
}

/** Takes something out of an object, such as a coin that a wallet holds. */
export function takeContent({ from, holder, objectId }: Origin, type: string, amount?: bigint): Origin {
  if (objectId === undefined || from.kind === 'protocol') return { from, holder, type, amount };
  const object: Holder = { kind: 'object', id: objectId };
  return { from: object, holder: object, type, amount };
}

function smaller(a: bigint | undefined, b: bigint | undefined): bigint | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}

const money = /^0x0*2::(?:coin::Coin|balance::Balance)<(.+)>$/;
const withdrawal = /^0x0*2::funds_accumulator::Withdrawal<(.+)>$/;

/** The type of a coin for money in any form. Any other type stays. */
export function assetType(type: string): string {
  const inner = withdrawal.exec(type)?.[1] ?? type;
  return money.exec(inner)?.[1] ?? inner;
}

export const isCoin = (type: string | undefined): boolean =>
  type !== undefined && /^0x0*2::(coin::Coin|balance::Balance|funds_accumulator::Withdrawal)</.test(type);

/** Wallets by their name, as the analysis of certificates knows them. */
export const isWalletType = (type: string): boolean => /^0x[0-9a-f]+::wallet::Wallet(<|$)/.test(type);

export const isHolder = (holder: Holder | undefined, to: Destination): boolean =>
  holder !== undefined &&
  ((holder.kind === 'address' && to.kind === 'address' && holder.address === to.address) ||
    (holder.kind === 'object' && to.kind === 'object' && holder.id === to.id));
