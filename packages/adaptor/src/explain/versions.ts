import type { VersionClaim } from './explanation.ts';
import type { ExplainFacts, ObjectFact } from './facts.ts';
import type { NamedVersion, ParsedTransaction } from './parse.ts';

/** Compares the versions that a transaction names with those that the node has. Objects that the node lacks are not compared. */
export function compareVersions({ versions }: ParsedTransaction, { objects }: ExplainFacts): VersionClaim[] {
  return versions.flatMap((named) => {
    const object = objects.get(named.id);
    return (object && compare(named, object)) ?? [];
  });
}

function compare(named: NamedVersion, { owner, version, digest }: ObjectFact): VersionClaim | undefined {
  const { id } = named;
  if (named.digest === undefined) {
    const shared = owner.kind === 'shared' ? owner.initialVersion : undefined;
    if (shared === undefined || shared === named.version) return undefined;
    return { id, named: named.version, found: shared, kind: 'shared' };
  }
  if (version === undefined) return undefined;
  const [namedNumber, currentNumber] = [BigInt(named.version), BigInt(version)];
  if (namedNumber !== currentNumber) {
    return {
      id,
      named: named.version,
      found: version,
      kind: namedNumber < currentNumber ? 'older' : 'newer',
    };
  }
  if (digest === undefined || digest === named.digest) return undefined;
  return { id, named: named.version, found: version, kind: 'content' };
}

/** Removes the balances of coins that have another one by the time at which the transaction runs. */
export function forgetBalances(facts: ExplainFacts, versions: readonly VersionClaim[]): ExplainFacts {
  const newer = versions.filter(({ kind }) => kind === 'newer');
  if (newer.length === 0) return facts;
  const objects = new Map(facts.objects);
  for (const { id } of newer) objects.set(id, { ...objects.get(id)!, balance: undefined });
  return { ...facts, objects };
}
