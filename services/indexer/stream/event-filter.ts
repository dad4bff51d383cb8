import type { GrpcTypes } from '@mysten/sui/grpc';

/** A node refuses filters with more literals. */
const literalsMax = 10;

export const packageWrites: GrpcTypes.TransactionTerm = {
  literals: [{ negated: false, predicate: { oneofKind: 'packageWrite', packageWrite: {} } }],
};

/** Ids of the package versions that define the event types, each once. */
export const listPackages = (eventTypes: readonly string[]) => [
  ...new Set(eventTypes.map((type) => type.slice(0, type.indexOf('::')))),
];

/** Returns `true` if a node's filter accepts these event types in addition to the one literal for written packages. */
export const filterFits = (eventTypes: readonly string[]) => listPackages(eventTypes).length < literalsMax;

/**
 * Returns a filter for event types that `filterFits`: any of them, or of their packages if too many, which is wider.
 */
export function buildFilter(eventTypes: readonly string[]): GrpcTypes.TransactionFilter {
  const literals = eventTypes.length < literalsMax ? eventTypes : listPackages(eventTypes);
  const terms = literals.map((eventType) => ({
    literals: [{ negated: false, predicate: { oneofKind: 'eventType' as const, eventType: { eventType } } }],
  }));
  return { terms };
}
