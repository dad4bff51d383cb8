/** Kinds of plans, the best first. */
export const kinds = ['coordinator', 'routed', 'pushed down', 'pulled', 'refused'] as const;

export type Kind = (typeof kinds)[number];

export interface Plan {
  kind: Kind;
  /** Sentences: each part that goes through the coordinator, or the first reason of a refusal. */
  reasons: readonly string[];
}

/** A statement, or a part of one that cannot be planned apart, which Citus refuses or which would change its meaning. */
export class Refusal extends Error {}

export function refuse(reason: string): never {
  throw new Refusal(reason);
}
