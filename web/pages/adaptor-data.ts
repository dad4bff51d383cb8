import type { FieldChange } from '../components/changes.ts';
import type { ProvenDomain } from '../components/publisher.ts';
import type { CoinInfo, SupportedCoin } from '../components/values.ts';
import type { Connection } from '../frame/paging.ts';
import { type Operation, operationFields } from '../words/operation.ts';
import { type Statement, statementSelection } from './statements-part.ts';

/** Data of an adaptor's page, as its GraphQL query returns them. */

export interface CoinUse {
  coin: string;
  actions: number;
  taken: string;
  brought: string;
  coinInfo: CoinInfo | null;
}

interface UseDay {
  /** UTC date, such as `2026-01-31`. */
  day: string;
  actions: number;
  /** Distinct wallets of the day. */
  wallets: number;
  coins: readonly { coin: string; taken: string; brought: string }[];
}

interface RatingDay {
  /** UTC date, such as `2026-01-31`. */
  day: string;
  count: number;
  avg: number;
}

export interface Version {
  version: number;
  listed: boolean;
  timestampMs: number;
  changes: readonly FieldChange[];
}

interface Review {
  attester: string;
  score: number;
  verified: boolean;
  timestampMs: number;
  text: string | null;
}

interface RegistryEvent {
  name: string;
  sender: string;
  txDigest: string;
  timestampMs: number;
}

interface Reviews {
  count: number;
  avg: number | null;
  verifiedCount: number;
  verifiedAvg: number | null;
}

interface Manifest {
  name: string;
  summary: string;
  category: string;
  glyph: string | null;
  deprecated: string | null;
  integrator: string | null;
  feeBps: number | null;
  feeRecipient: string | null;
  docsUrl: string | null;
  repoUrl: string | null;
  auditUrl: string | null;
  appUrl: string | null;
  profile: { name: string | null } | null;
  source: { repository: string; commit: string; path: string | null } | null;
}

/** A function that operations call, with what the analysis of its bytecode shows. */
export interface CertifiedFunction {
  packageId: string;
  module: string;
  name: string;
  /** Types of its parameters in Move's syntax. */
  parameters: readonly string[] | null;
  /** Positions of the operations that call it. */
  operations: readonly number[];
  state: string;
  reason: string | null;
  sentences: readonly {
    kind: string;
    verdict: string;
    text: string;
    path: readonly { function: string; instruction: number }[];
    callsBefore: number;
  }[];
  sentenceCount: number;
  /** Packages by the short names that the sentences use. */
  packages: readonly { name: string; packageId: string }[];
}

export interface Certificate {
  state: string;
  reason: string | null;
  functions: readonly CertifiedFunction[];
  hasMoreFunctions: boolean;
}

/** Differences between the claims of a version and of the one before it. */
export interface CertificateDiff {
  /** Null unless both versions are analyzed. */
  widens: boolean | null;
  formerVersion: number | null;
  functions: readonly {
    module: string;
    name: string;
    reason: string | null;
    widens: boolean;
    sentences: readonly { change: string; widens: boolean; text: string; formerText: string | null }[];
    packages: CertifiedFunction['packages'];
  }[];
}

/** Simulations of an adaptor. */
export interface Canary {
  ranAtMs: number | null;
  operations: readonly {
    name: string;
    state: string;
    sinceMs: number;
    triedAtMs: number | null;
    untried: string | null;
    outcomes: readonly { failure: string | null }[];
    days: readonly { day: string; worked: number; failed: number }[];
  }[];
}

/** The commit that the manifest names, as it was fetched. */
export interface NamedSource {
  state: 'WAITING' | 'READ' | 'FAILED';
  reason: string | null;
  checkedAtMs: number | null;
  nextAttemptAtMs: number | null;
}

/** The offered source of a package with the best verdict. */
export interface OfferedSource {
  verdict: string;
  compiler: string | null;
  reason: string | null;
  verifiedAtMs: number | null;
}

export interface SourceReach {
  packageCount: number;
  verifiedCount: number;
  unverified: readonly string[];
}

interface Adaptor {
  serviceType: string;
  packageId: string;
  publisherVerified: boolean;
  publisherName: string | null;
  packageName: string | null;
  publisherDomain: ProvenDomain | null;
  manifestHash: string;
  manifestUri: string;
  version: number;
  manifest: Manifest;
  coins: readonly SupportedCoin[];
  operations: readonly Operation[];
  certificate: Certificate;
  certificateDiff: CertificateDiff;
  /** Null if the adaptor is not simulated. */
  canary: Canary | null;
  packageSource: OfferedSource | null;
  namedSource: NamedSource | null;
  sourceReach: SourceReach;
  statements: readonly Statement[];
  reviews: Reviews;
  owners: number;
  newOwners: number;
  manifestWarnings: readonly { code: string; path: string; detail: string }[];
  warnings: readonly { code: string; detail: string }[];
  alikeNames: readonly { name: string; serviceType: string; publisher: string; usage: { actions: number } }[];
  pending: { version: number; state: string } | null;
  successor: Successor | null;
}

export interface Successor {
  serviceType: string;
  manifest: { name: string };
}

export interface Quarantine {
  reason: string;
  sinceMs: number;
}

export interface ListingData {
  serviceType: string;
  publisher: string;
  status: string;
  reason: string | null;
  quarantined: Quarantine | null;
  firstListedAtMs: number;
  registered: {
    packageId: string;
    manifestUri: string;
    manifestHash: string;
    version: number;
    updatedAtMs: number;
  };
  publisherEverVerified: boolean;
  publishedBy: { verified: boolean; shownCount: number; actions: number; icon: string | null };
  usage: { actions: number; uniqueVaults: number; lastActionMs: number | null };
  usageByDay: readonly UseDay[];
  ratingsByDay: readonly RatingDay[];
  usageByCoin: readonly CoinUse[];
  latestReviews: Connection<Review>;
  versions: Connection<Version>;
  events: Connection<RegistryEvent>;
  adaptor: Adaptor | null;
  /** Reviews of the entry, for parts that show them with the listing. */
  reviews: Reviews | null;
}

export const listingDocument = `query Listing($chain: Chain!, $serviceType: String!, $publisher: String, $reviews: ReviewFilter, $days: Int!) {
  listing(chain: $chain, serviceType: $serviceType, publisher: $publisher) {
    serviceType publisher status reason quarantined { reason sinceMs } firstListedAtMs publisherEverVerified
    registered { packageId manifestUri manifestHash version updatedAtMs }
    publishedBy { verified shownCount actions icon }
    usage { actions uniqueVaults lastActionMs }
    usageByDay(days: $days) { day actions wallets coins { coin taken brought } }
    ratingsByDay(days: $days) { day count avg }
    usageByCoin(days: $days) { coin actions taken brought coinInfo { symbol decimals logo } }
    latestReviews(first: 20, filter: $reviews) { edges { node { attester score verified timestampMs text } } }
    versions(first: 10) { edges { node { version listed timestampMs changes { path before after } } } }
    events(first: 20) { edges { node { name sender txDigest timestampMs } } }
    adaptor {
      serviceType packageId publisherVerified publisherName packageName publisherDomain { domain lastSeenMs } manifestHash manifestUri version
      manifest { name summary category glyph deprecated integrator feeBps feeRecipient docsUrl repoUrl auditUrl appUrl profile { name } source { repository commit path } }
      coins { coinType coinInfo { symbol decimals } }
      operations { ${operationFields} }
      certificate { state reason hasMoreFunctions functions { packageId module name parameters operations state reason sentenceCount packages { name packageId } sentences(first: 24) { kind verdict text path { function instruction } callsBefore } } }
      certificateDiff { widens formerVersion functions { module name reason widens sentences(first: 3) { change widens text formerText } packages { name packageId } } }
      canary(days: 90) { ranAtMs operations { name state sinceMs triedAtMs untried outcomes { failure } days { day worked failed } } }
      packageSource { verdict compiler reason verifiedAtMs } namedSource { state reason checkedAtMs nextAttemptAtMs } sourceReach { packageCount verifiedCount unverified } ${statementSelection}
      reviews { count avg verifiedCount verifiedAvg } owners newOwners
      manifestWarnings { code path detail }
      warnings { code detail }
      alikeNames { name serviceType publisher usage { actions } }
      pending { version state }
      successor { serviceType manifest { name } }
    }
  }
}`;
