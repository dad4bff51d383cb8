import { briefBounds, kindOrder } from './brief.ts';
import type { Certificate, Claim, PackageVersion, Verdict } from './claims.ts';
import type { CertificateChanges, ChangeKind, ClaimChange } from './compare.ts';
import { type CertificateText, describeRest, describeWithin, findNamedPackages } from './describe.ts';

/** Bounds of the sentences about changes. */
export const changesTextBounds = {
  sentences: 50,
  /** Characters of a sentence. */
  text: briefBounds.text,
  /** Packages that the sentences name in short. */
  packages: briefBounds.packages,
} as const;

/** A sentence about claims that differ between two certificates of a function. */
export interface ChangeSentence {
  kind: Claim['kind'];
  change: ChangeKind;
  /** `true` if the later code may do more, checks less, or gives back less. */
  widens: boolean;
  verdict: Verdict;
  /** Words of the later certificate; those of the earlier one for what is gone. */
  text: string;
  /** Words of the earlier certificate for a claim that is wider or narrower. Null for others. */
  formerText: string | null;
}

/** The first sentences about the changes of a function, within `changesTextBounds`. */
export interface ChangesText {
  sentences: ChangeSentence[];
  /** Number of all sentences. */
  sentenceCount: number;
  /** Packages that the sentences name `@P1`, `@P2` and so on. */
  packages: CertificateText['packages'];
}

/**
 * States the changes of a function in the words of its certificates: first what widens its claims, and of that first what
 * it takes and where that goes. Names come from bytecode: escape them where they are shown.
 *
 * @example
 * const changes = compareCertificates(before, after);
 * for (const { change, text } of describeChanges(changes, { before, after }).sentences) console.log(change, text);
 */
export function describeChanges(
  { changes }: CertificateChanges,
  { before, after }: { before: Certificate | null; after: Certificate },
): ChangesText {
  const closure = joinClosures(after.closure, before?.closure ?? []);
  const earlier = { ...(before ?? after), closure };
  const later = { ...after, closure };
  const pairs = changes.filter(isPair).toSorted(compareRank);
  const { sentences: most } = changesTextBounds;
  const sentences = [
    ...pairs.slice(0, most).map((pair) => describePair(pair, earlier, later)),
    ...describeUnpaired(changes, earlier, later),
  ];
  const ordered = sentences.toSorted(compareRank).slice(0, most);
  const sentenceCount = sentences.length + Math.max(0, pairs.length - most);
  return { ...nameWithin(ordered, closure, after), sentenceCount };
}

/** A claim that both certificates have in another form. */
type Pair = ClaimChange & Required<Pick<ClaimChange, 'before' | 'after'>>;

const isPair = (change: ClaimChange): change is Pair =>
  change.before !== undefined && change.after !== undefined;

function findRank({ widens, ...one }: ClaimChange | ChangeSentence): number {
  const kind = 'kind' in one ? one.kind : (one.after ?? one.before)!.kind;
  return kindOrder.indexOf(kind) + (widens ? 0 : kindOrder.length);
}

const compareRank = (a: ClaimChange | ChangeSentence, b: ClaimChange | ChangeSentence): number =>
  findRank(a) - findRank(b);

function describePair(
  { change, widens, before, after }: Pair,
  earlier: Certificate,
  later: Certificate,
): ChangeSentence {
  const { kind, verdict } = after;
  const [text, formerText] = [describeOne(after, later), describeOne(before, earlier)];
  return { kind, change, widens, verdict, text, formerText };
}

function describeOne(claim: Claim, certificate: Certificate): string {
  if (!('rest' in claim)) return describeClaims({ ...certificate, claims: [claim] })[0]!.text;
  const follows = certificate.claims.some((one) => one.kind === claim.kind && !('rest' in one));
  return describeRest(claim, follows);
}

/** Describes claims that are new or gone. Those of a kind share sentences as in a certificate. */
function describeUnpaired(
  changes: readonly ClaimChange[],
  earlier: Certificate,
  later: Certificate,
): ChangeSentence[] {
  const unpaired = changes.filter((one) => !isPair(one));
  const groups = Map.groupBy(unpaired, (one) => `${one.change} ${findRank(one)}`);
  return [...groups.values()].flatMap((group) => {
    const { change, widens } = group[0]!;
    const claims = group.map((one) => (one.after ?? one.before)!);
    return describeClaims({ ...(change === 'gone' ? earlier : later), claims }).map(
      ({ kind, verdict, text }): ChangeSentence => ({
        kind,
        change,
        widens,
        verdict,
        text,
        formerText: null,
      }),
    );
  });
}

const describeClaims = (certificate: Certificate) =>
  describeWithin(certificate, changesTextBounds.text).sentences;

/** Joins the packages of both certificates, so that sentences of both have the same short names. */
function joinClosures(
  closure: readonly PackageVersion[],
  others: readonly PackageVersion[],
): PackageVersion[] {
  const known = new Set(closure.map(({ originalId }) => originalId));
  return [...closure, ...others.filter(({ originalId }) => !known.has(originalId))];
}

/** Returns the first sentences that name no more packages than the bound, and these packages. */
function nameWithin(
  sentences: readonly ChangeSentence[],
  closure: PackageVersion[],
  certificate: Certificate,
): Pick<ChangesText, 'sentences' | 'packages'> {
  const { packages } = describeWithin({ ...certificate, closure, claims: [] }, changesTextBounds.text);
  const named = new Set<string>();
  const within: ChangeSentence[] = [];
  for (const sentence of sentences) {
    const names = findNamedPackages(`${sentence.text} ${sentence.formerText ?? ''}`);
    const added = [...names].filter((name) => !named.has(name));
    if (named.size + added.length > changesTextBounds.packages) break;
    for (const name of added) named.add(name);
    within.push(sentence);
  }
  return { sentences: within, packages: packages.filter(({ name }) => named.has(name)) };
}
