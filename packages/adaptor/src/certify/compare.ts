import type { Certificate, Claim, Sink } from './claims.ts';
import {
  hasLargerBounds,
  hasMoreUpgrades,
  hasMoreWriters,
  toText,
  type WriterNeeds,
} from './compare-terms.ts';

/**
 * `wider` and `narrower`: a claim about the same thing allows more, or less. `new` and `gone`: only the later, or only the
 * earlier certificate has the claim.
 */
export type ChangeKind = 'new' | 'wider' | 'narrower' | 'gone';

/** A claim that differs between two certificates of a function. */
export interface ClaimChange {
  change: ChangeKind;
  /** `true` if the later code may do more, checks less, or gives back less. */
  widens: boolean;
  /** Claim of the earlier certificate. Absent if it is new. */
  before?: Claim;
  /** Claim of the later certificate. Absent if it is gone. */
  after?: Claim;
}

/** The difference between two certificates of a function. */
export interface CertificateChanges {
  /** Changes of the later claims in their order, then claims that are gone. Evidence makes no difference. */
  changes: ClaimChange[];
  /** `true` if one of the changes widens the claims. */
  widens: boolean;
  /** `true` if some code of the later certificate was not read: it may have changed in other ways. */
  unread: boolean;
}

/** Two certificates are of different versions of the analysis, whose claims say nothing about each other. */
export class OtherAnalysisError extends Error {
  constructor(before: number, after: number) {
    super(
      `The certificates are of versions ${before} and ${after} of the analysis. Compare two that the same version made.`,
    );
    this.name = 'OtherAnalysisError';
  }
}

/**
 * Compares two certificates of a function. It errs to one side: if any claim may allow more, the result widens. So
 * every new claim does, as do a check, a return to the caller and a `cannot` that are gone, and a claim of which all is moved
 * (`always`) in place of some. Code that was not read covers nothing.
 *
 * Claims name packages by their original ids, so the new id of an upgraded package makes no difference. A function whose
 * parameters have other types is compared with no claims.
 *
 * @param before null for a function that was not there: all that it does is new
 * @throws OtherAnalysisError
 * @example
 * const { widens, changes } = compareCertificates(certify(former, target), certify(upgraded, target));
 */
export function compareCertificates(before: Certificate | null, after: Certificate): CertificateChanges {
  if (before && before.analysis !== after.analysis)
    throw new OtherAnalysisError(before.analysis, after.analysis);
  const terms = new Terms();
  const isSame = before !== null && JSON.stringify(before.parameters) === JSON.stringify(after.parameters);
  const earlier = isSame ? terms.list(before) : [];
  const later = terms.list(after);
  const unmatched = Map.groupBy(subtract(earlier, later), ({ key }) => key);
  const changes: ClaimChange[] = [];
  for (const item of subtract(later, earlier)) {
    const former = unmatched.get(item.key)?.shift();
    const change = former ? compareItems(former, item) : toNew(item);
    if (change) changes.push(change);
  }
  for (const { claim } of [...unmatched.values()].flat())
    changes.push({ change: 'gone', widens: isLoss(claim), before: claim });
  return {
    changes,
    widens: changes.some(({ widens }) => widens),
    unread: after.claims.some(({ kind, verdict }) => verdict === 'unread' && kind !== 'upgrade'),
  };
}

/** A claim, in forms that two certificates share. */
interface Item {
  claim: Claim;
  /** The subject of the claim. Two claims with the same one are compared. */
  key: string;
  /** All that the claim says, without evidence. */
  form: string;
  writers: WriterNeeds | undefined;
}

/** Writes claims in forms without positions in the tables of their certificate. */
class Terms {
  /** Numbers of writers by their text: many claims share writers, which can name thousands of functions. */
  readonly #writers = new Map<string, number>();

  list(certificate: Certificate): Item[] {
    const { functions, authorities } = certificate;
    const writers = certificate.writers.map(({ list, others }): WriterNeeds => {
      const needs = list.map(({ function: at, needs }): [string, string[]] => [
        functions[at] ?? '?',
        needs.map((each) => toText(authorities[each] ?? null)).sort(),
      ]);
      return { list: needs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)), others };
    });
    const numbers = writers.map((each) => this.#number(JSON.stringify(each)));
    return certificate.claims.map((claim) => {
      const at = 'writers' in claim ? claim.writers : undefined;
      const key = JSON.stringify(listSubject(claim));
      const content = JSON.stringify(listContent(claim));
      const form = `${key} ${content} ${at === undefined ? '' : numbers[at]}`;
      return { claim, key, form, writers: at === undefined ? undefined : writers[at] };
    });
  }

  #number(text: string): number {
    const number = this.#writers.get(text) ?? this.#writers.size;
    this.#writers.set(text, number);
    return number;
  }
}

/** Returns the items of a list that another list does not have. A repeated item needs its own. */
function subtract(items: readonly Item[], others: readonly Item[]): Item[] {
  const counts = new Map<string, number>();
  for (const { form } of others) counts.set(form, (counts.get(form) ?? 0) + 1);
  return items.filter(({ form }) => {
    const count = counts.get(form) ?? 0;
    counts.set(form, count - 1);
    return count <= 0;
  });
}

/** Returns the parts of a claim that say what it is about. */
function listSubject(claim: Claim): unknown[] {
  const { kind } = claim;
  if ('rest' in claim) return [kind, 'rest'];
  switch (claim.kind) {
    case 'takes':
      return [kind, claim.verdict, toText(claim.source), claim.type ?? null];
    case 'goesTo':
      return [kind, toText(claim.source), toText(claim.sink), claim.type];
    case 'comesBack':
      return [kind, toText(claim.sink), claim.type];
    case 'touches':
      return [kind, claim.access, claim.path];
    case 'gate':
      return [kind, toText(claim.on)];
    case 'steers':
      return [kind, claim.path, claim.reaches];
    case 'droppedCheck':
      return [kind, claim.check];
    case 'witnessLeak':
      return [kind, claim.witness, claim.function];
    case 'upgrade':
      return [kind];
    case 'notRead':
      return [kind, claim.reason, claim.what];
  }
}

/** Returns the other parts, without evidence and writers. */
function listContent(claim: Claim): unknown[] {
  if ('rest' in claim) return [claim.verdict];
  switch (claim.kind) {
    case 'takes':
      return [claim.bounds.map(toText).sort(), claim.repeated];
    case 'goesTo':
      return [claim.verdict, claim.decidedBy.map(toText).sort()];
    case 'comesBack':
      return [claim.sources.map(toText).sort()];
    case 'upgrade': {
      const { policy, holder } = claim.facts ?? {};
      // Each upgrade of the package adds one to the older versions, so their number is left out.
      return [claim.verdict, policy ?? null, toText(holder ?? null), [...claim.versionGates].sort()];
    }
    default:
      return [claim.verdict];
  }
}

function compareItems(former: Item, item: Item): ClaimChange {
  const widens = isWider(former, item);
  return { change: widens ? 'wider' : 'narrower', widens, before: former.claim, after: item.claim };
}

function isWider(former: Item, item: Item): boolean {
  const [before, after] = [former.claim, item.claim];
  if ('rest' in before || 'rest' in after) return after.verdict !== 'cannot';
  if (before.kind === 'takes' && after.kind === 'takes')
    return hasLargerBounds(before.bounds, after.bounds) || (after.repeated && !before.repeated);
  if (before.kind === 'upgrade' && after.kind === 'upgrade') return hasMoreUpgrades(before, after);
  if (after.kind === 'gate' || after.kind === 'steers') return hasMoreWriters(former.writers, item.writers);
  return true;
}

/** A new `cannot` states nothing that the code does. */
function toNew({ claim }: Item): ClaimChange | undefined {
  return claim.verdict === 'cannot' ? undefined : { change: 'new', widens: true, after: claim };
}

/** Sinks from which the caller has the money or the object, or chooses who has it. */
const callersSinks: readonly Sink['kind'][] = ['wallet', 'argument', 'sender', 'argumentAddress', 'returned'];

/** Returns true if the code checks less, or gives back less, without a claim. */
function isLoss(claim: Claim): boolean {
  if ('rest' in claim) return true;
  switch (claim.kind) {
    case 'takes':
      return claim.verdict === 'cannot';
    case 'goesTo':
      return callersSinks.includes(claim.sink.kind);
    case 'gate':
    case 'comesBack':
    case 'upgrade':
      return true;
    default:
      return false;
  }
}
