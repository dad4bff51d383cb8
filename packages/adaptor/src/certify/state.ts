import type {
  DroppedCheckClaim,
  GateClaim,
  NotReadClaim,
  Origin,
  SteersClaim,
  TouchesClaim,
} from './claims.ts';
import { type AtomSet, union } from './flow/atom-set.ts';
import type { Summary, Trail } from './flow/summary.ts';
import { influences } from './flow/value.ts';
import type { Location } from './locate.ts';
import { originKey, type Signature } from './signature.ts';
import type { Tables } from './tables.ts';
import type { WriterSearch } from './writers.ts';

/** The stored fields that the function reads and writes. */
export function describeTouches(
  signature: Signature,
  { reads, writes }: Summary,
  tables: Tables,
): TouchesClaim[] {
  const found = new Map<string, { claim: Omit<TouchesClaim, 'evidence'>; trails: Trail[] }>();
  const note = (access: 'reads' | 'writes', effect: Summary['reads'][number]) => {
    const kind = signature.kind(effect.parameter);
    if (kind !== 'object' && kind !== 'wallet' && kind !== 'ownedObject') return;
    const { path } = signature.locate(effect);
    const key = `${access} ${path}`;
    const known = found.get(key) ?? { claim: { kind: 'touches', verdict: 'may', access, path }, trails: [] };
    known.trails.push(effect.trail);
    found.set(key, known);
  };
  for (const read of reads) note('reads', read);
  for (const write of writes) note('writes', write);
  return [...found.values()].map(({ claim, trails }) => ({
    ...claim,
    evidence: tables.firstEvidence(trails),
  }));
}

/** Gates, and whether all of their origins were read. */
export function describeGates(
  signature: Signature,
  { gates }: Summary,
  writers: WriterSearch,
  tables: Tables,
): { claims: GateClaim[]; isRead: boolean } {
  const found = new Map<string, { on: Origin; location: Location | undefined; trails: Trail[] }>();
  for (const { on, trail } of gates) {
    for (const atom of on.atoms) {
      const origin = signature.origin(atom);
      if (!origin || origin.kind === 'constant') continue;
      const isStored =
        atom.kind === 'initial' && origin.kind === 'state' && signature.kind(atom.parameter) !== 'wallet';
      const location = isStored ? signature.locate(atom) : undefined;
      const key = originKey(origin);
      const known = found.get(key) ?? { on: origin, location, trails: [] };
      known.trails.push(trail);
      found.set(key, known);
    }
  }
  const claims = [...found.values()].map(({ on, location, trails }): GateClaim => {
    const base = { kind: 'gate', verdict: 'may', on, evidence: tables.firstEvidence(trails) } as const;
    return location ? { ...base, writers: tables.findWriters(writers.find(location)) } : base;
  });
  return { claims, isRead: !found.has(originKey({ kind: 'unread' })) };
}

/** The stored fields that reach an amount or a recipient, and whether all origins of these were read. */
export function describeSteering(
  signature: Signature,
  { flows, splits }: Summary,
  writers: WriterSearch,
  tables: Tables,
): { claims: SteersClaim[]; isRead: boolean } {
  const found = new Map<
    string,
    { reaches: SteersClaim['reaches']; location: Location; isWallet: boolean; trails: Trail[] }
  >();
  let isRead = true;
  const note = (reaches: SteersClaim['reaches'], set: AtomSet, trail: Trail) => {
    if (set.isUnread) isRead = false;
    for (const atom of set.atoms) {
      if (atom.kind !== 'initial' || signature.origin(atom)?.kind !== 'state') continue;
      const isWallet = signature.kind(atom.parameter) === 'wallet';
      const location = signature.locate(atom);
      const key = `${reaches} ${location.path}`;
      const known = found.get(key) ?? { reaches, location, isWallet, trails: [] };
      known.trails.push(trail);
      found.set(key, known);
    }
  };
  // A branch steers as well: it chooses between amounts, or between recipients.
  for (const { amount, guards, trail } of splits) {
    note('amount', amount ? union(influences(amount), guards) : guards, trail);
  }
  for (const { recipient, guards, trail } of flows) {
    if (recipient) note('recipient', union(influences(recipient), guards), trail);
  }
  const claims = [...found.values()].map(({ reaches, location, isWallet, trails }): SteersClaim => {
    const evidence = tables.firstEvidence(trails);
    const claim = { kind: 'steers', verdict: 'may', path: location.path, reaches, evidence } as const;
    return isWallet ? claim : { ...claim, writers: tables.findWriters(writers.find(location)) };
  });
  return { claims, isRead };
}

export function describeDroppedChecks({ dropped }: Summary, tables: Tables): DroppedCheckClaim[] {
  return dropped.map(({ check, trail }) => ({
    kind: 'droppedCheck',
    verdict: 'may',
    check,
    evidence: tables.firstEvidence([trail]),
  }));
}

export function describeUnread({ unread, failure }: Summary, tables: Tables): NotReadClaim[] {
  const found = new Map<string, { reason: NotReadClaim['reason']; what: string; trails: Trail[] }>();
  for (const { reason, what, trail } of unread) {
    const known = found.get(`${reason} ${what}`) ?? { reason, what, trails: [] };
    known.trails.push(trail);
    found.set(`${reason} ${what}`, known);
  }
  const claims = [...found.values()].map(
    ({ reason, what, trails }): NotReadClaim => ({
      kind: 'notRead',
      verdict: 'unread',
      reason,
      what,
      evidence: tables.firstEvidence(trails),
    }),
  );
  if (failure) claims.push({ kind: 'notRead', verdict: 'unread', ...failure, evidence: [] });
  return claims;
}
