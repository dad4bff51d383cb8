/** State of the objects that the transaction names, according to a node. */
export type ObjectsSeen =
  /** It did not answer, or not in full. */
  | { kind: 'failed' }
  /** They are at the versions that the transaction names: it may still execute. */
  | { kind: 'unmoved' }
  /** The transaction itself wrote one of them: it executed. */
  | { kind: 'ours' }
  /** One is at a later version, which the transaction of this digest made. */
  | { kind: 'moved'; by: string }
  /** One does not exist, on a node of this height. */
  | { kind: 'gone'; height: bigint };

/** Result of a lookup of the transaction on a node. */
export type LookupSeen =
  /** No answer, or an error other than NOT_FOUND. */
  | { kind: 'failed' }
  | { kind: 'found' }
  /**
   * NOT_FOUND, from a node with these checkpoints. `moverAt` is the checkpoint at which the node has the transaction
   * that moved the object on; `null` if it does not have it or if no object has moved.
   */
  | { kind: 'notFound'; lowest: bigint; height: bigint; moverAt: bigint | null };

/** One round of calls: the objects, then the lookup on each node that was queried for it. */
export interface Round {
  objects: ObjectsSeen;
  lookups: readonly LookupSeen[];
}

type Conclusion =
  | 'undecided'
  /** It never executed and never will. */
  | 'impossible'
  /** It can no longer execute, and no node can say whether it did. */
  | 'unknown';

const roundsNeeded = 3;

/** Maximum number of checkpoints by which a node's execution is ahead of its newest checkpoint. */
export const checkpointsBehindMax = 50n;

/**
 * Decides whether a signed transaction that no node shows can still have executed. It makes no calls: it takes in the
 * rounds of responses about one transaction, in order.
 *
 * Absence proves something only on a node that would show the transaction if it had executed. Let it name the object X
 * at version v, and let X be at a later version, made by P. Whatever used X at v executed before P, or is P. So on one
 * consistent node, in this order:
 *
 * 1. X is read, and P found.
 * 2. P is looked up, then the transaction. The node has executed P, at a checkpoint up to its height. If the
 *    transaction had executed, that was before P, so this node had executed it too.
 * 3. The node's lowest available checkpoint is read last. It only rises, so at the lookup no checkpoint after the one
 *    of the signature was pruned, and the transaction cannot be in an earlier one.
 *
 * Then NOT_FOUND means that something else used X, and the transaction can never execute. Behind a load balancer each
 * step may reach another node. Steps 2 and 3 are therefore one answer where the node describes itself in its headers,
 * and P is looked up there again. A node that lags or has pruned does not count. Three such rounds in a row cover what
 * a node does between the parts of an answer, such as deleting history before it says so.
 */
export class Rounds {
  readonly #signedAt: bigint | null;
  readonly #needed: number;
  #impossible = 0;
  #unknown = 0;
  /** Height of a node that had the missing object and has executed its deletion. */
  #goneAt: bigint | undefined;
  /** Stays `true` once a node has shown the execution, whatever other nodes report later. */
  executed = false;

  /**
   * @param signedAt a checkpoint that was there before the transaction was signed; null: not recorded
   * @param needed rounds in a row that must say the same
   */
  constructor(signedAt: bigint | null, needed = roundsNeeded) {
    this.#signedAt = signedAt;
    this.#needed = needed;
  }

  add({ objects, lookups }: Round): Conclusion {
    if (objects.kind === 'ours' || lookups.some(({ kind }) => kind === 'found')) this.executed = true;
    const over = this.#isOver(objects);
    const impossible = over && !this.executed && lookups.some((lookup) => this.#excludes(lookup, objects));
    const unknown =
      over && !impossible && lookups.length > 0 && lookups.every((lookup) => this.cannotKnow(lookup));
    this.#impossible = impossible ? this.#impossible + 1 : 0;
    this.#unknown = unknown ? this.#unknown + 1 : 0;
    if (this.#impossible >= this.#needed) return 'impossible';
    return this.#unknown >= this.#needed ? 'unknown' : 'undecided';
  }

  /** `true` if an object has moved on from the version that the transaction names: sending it again is useless. */
  #isOver(objects: ObjectsSeen): boolean {
    if (objects.kind !== 'gone') return objects.kind === 'ours' || objects.kind === 'moved';
    // A node that lags behind the signature may not have the object yet.
    if (this.#signedAt !== null && objects.height < this.#signedAt + checkpointsBehindMax) return false;
    this.#goneAt ??= objects.height;
    return true;
  }

  /** Returns `true` if the node would show the transaction if it had executed. */
  #excludes(lookup: LookupSeen, objects: ObjectsSeen): boolean {
    if (lookup.kind !== 'notFound' || this.#signedAt === null || lookup.lowest > this.#signedAt) return false;
    if (objects.kind === 'moved') return lookup.moverAt !== null && lookup.moverAt <= lookup.height;
    return this.#goneAt !== undefined && lookup.height >= this.#goneAt + checkpointsBehindMax;
  }

  /** Returns `true` if the node may have executed the transaction and pruned it since. */
  cannotKnow(lookup: LookupSeen): boolean {
    return lookup.kind === 'notFound' && (this.#signedAt === null || lookup.lowest > this.#signedAt);
  }
}
