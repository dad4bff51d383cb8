import { setImmediate } from 'node:timers/promises';
import type { PublisherVerdict, UnknownAnswer, WitnessCheck } from '@adaptor-marketplace/adaptor/chain';
import type { WitnessWarning } from '@adaptor-marketplace/adaptor/introspect';
import type { GrpcTypes } from '@mysten/sui/grpc';
import type { ClientBase, Pool } from 'pg';
import type { ListingKey } from '../../../db/queries/catalog/maintain.ts';
import { addCertifiedPackages } from '../../../db/queries/certificates.ts';
import {
  type CheckResult,
  type ListingCheck,
  type RegistrationTable,
  readFittingHashes,
  readOps,
  recordChecks,
} from '../../../db/queries/checks.ts';
import type { NetworkSettings } from '../../../lib/config/networks.ts';
import { redactMessage } from '../../../lib/outbound/errors.ts';
import { computeRecheckSeconds, computeRetrySeconds } from '../queue/schedule.ts';
import type { CalledPackages } from './called-packages.ts';
import { type ComparedOps, compareWithChain } from './compare-ops.ts';
import type { FixedObjects } from './object-types.ts';

export interface ListedWitness {
  check: WitnessCheck;
  /** Warnings from the package's bytecode; undefined if the node did not show the package. */
  warnings: WitnessWarning[] | undefined;
  pkg?: GrpcTypes.Package;
}

/** A listing or rule, and the chain's answers about it. */
export interface Checked {
  table: RegistrationTable;
  listing: ListingCheck;
  witness: ListedWitness;
  publisher: PublisherVerdict;
  called: CalledPackages;
  fixed: FixedObjects;
  /** Hash of the manifest whose packages and objects were read; absent if it was not known. */
  readFor?: string | undefined;
}

/** Times that a negative answer is checked again: another replica behind the url may not have the package yet. */
const doubtedAttempts = 2;

/** The comparison of a listing's ops, for the manifest that they are of. */
interface ComparedListing extends ComparedOps {
  manifestHash: string;
}

const noOps: ComparedOps = { misfits: [], coins: [], isPartial: false };

const toKey = ({ type, publisher }: { type: string; publisher: string }) => `${type} ${publisher}`;

/**
 * Compares the ops of the listings' manifests with the chain, before the transaction that stores the answers: a
 * manifest of 256 KiB takes 50 ms. Other work comes between two listings, and those with the same manifest, the same
 * packages and the same objects share the result.
 */
export async function compareOps(
  pool: Pool,
  network: string,
  checked: readonly Checked[],
): Promise<Map<string, ComparedListing>> {
  const known = checked.filter(({ table, witness }) => table === 'listings' && witness.pkg);
  const results = new Map<string, ComparedListing>();
  if (known.length === 0) return results;
  const manifests = await readOps(
    pool,
    network,
    known.map(({ listing }) => listing),
  );
  const byKey = new Map(manifests.map((manifest) => [toKey(manifest), manifest]));
  const comparisons = new Map<string, ComparedOps>();
  for (const { listing, witness, called, fixed } of known) {
    const manifest = byKey.get(toKey(listing));
    if (!manifest) continue;
    const { manifestHash } = manifest;
    // A package never changes, nor does the type of an object, but the node may not have shown one of them.
    const packages = [...called].map(([id, pkg]) => (pkg ? id : `no ${id}`)).sort();
    const objects = [...fixed.types.keys()].sort();
    const inputs = JSON.stringify([manifestHash, listing.packageId, packages, objects]);
    let compared = comparisons.get(inputs);
    if (!compared) {
      compared = await compareWithChain(manifest, { pkg: witness.pkg!, called, types: fixed.types });
      comparisons.set(inputs, compared);
      await setImmediate();
    }
    results.set(toKey(listing), { manifestHash, ...compared });
  }
  return results;
}

/**
 * Stores answers, under the lock of `lockManifests`. Errors do not show `token`.
 * @param comparisons comparisons of the listings, as `compareOps` made them before
 * @returns the listings whose shown data changed, and whether one of them is due for another check: its manifest is not
 *   the one whose ops were compared, or for which the chain was read
 */
export async function storeChecked(
  client: ClientBase,
  { network, rpcToken: token }: Pick<NetworkSettings, 'network' | 'rpcToken'>,
  checked: readonly Checked[],
  comparisons: ReadonlyMap<string, ComparedListing>,
): Promise<{ changed: ListingKey[]; due: boolean }> {
  const listings = checked.filter(({ table }) => table === 'listings');
  const rules = checked.filter(({ table }) => table === 'rules');
  // A rule's manifest lists no calls.
  if (rules.length > 0) {
    await recordChecks(
      client,
      network,
      'rules',
      rules.map((check) => toResult(check, token, null)),
    );
  }
  if (listings.length === 0) return { changed: [], due: false };
  const known = listings.filter(({ witness }) => witness.pkg).map(({ listing }) => listing);
  const hashes = known.length > 0 ? await readFittingHashes(client, network, known) : [];
  const byKey = new Map(hashes.map((row) => [toKey(row), row.manifestHash]));
  const results = listings.map((check) => {
    if (!check.witness.pkg) return toResult(check, token, null);
    const key = toKey(check.listing);
    const compared = comparisons.get(key);
    const isCurrent = compared?.manifestHash === byKey.get(key);
    const result = toResult(check, token, isCurrent ? (compared ?? noOps) : null);
    // The manifest was fetched while the chain was read. What its ops call was not read then.
    const isUnread = compared?.isPartial === true && check.readFor !== compared.manifestHash;
    if (!isCurrent || isUnread) result.outcome.recheckAfterSeconds = 0;
    return result;
  });
  const changed = await recordChecks(client, network, 'listings', results);
  const valid = listings.filter(({ witness }) => witness.check.status === 'valid');
  await addCertifiedPackages(
    client,
    network,
    valid.map(({ listing }) => listing),
  );
  return {
    changed: changed.map(({ type: serviceType, publisher }) => ({ serviceType, publisher })),
    due: results.some(({ outcome }) => outcome.recheckAfterSeconds === 0),
  };
}

/**
 * Returns the result to store for an answer. A negative answer does not replace a positive one until it was repeated
 * often enough: one replica that is behind must not take an adaptor out of the catalog.
 */
function toResult(
  { listing, witness: { check: witness, warnings }, publisher, called, fixed }: Checked,
  token: string | undefined,
  compared: ComparedOps | null,
): CheckResult {
  const isEarly = listing.attempts <= doubtedAttempts;
  const isComplete = fixed.isComplete && !called.values().some((pkg) => pkg === undefined);
  const mustRetry = mayChange(witness) || mayChange(publisher) || (isEarly && !isComplete);
  const isDoubted = isEarly && (witness.status === 'invalid' || publisher.status === 'unverified');
  const reasons = [witness, publisher].flatMap((check) => ('reason' in check ? [check.reason] : []));
  return {
    check: listing,
    outcome: {
      witness: witness.status === 'unknown' ? null : witness.status,
      publisher: publisher.status === 'unknown' && publisher.retryable ? null : publisher.status,
      error: redactMessage(reasons.join(' '), [token]) || null,
      warnings: warnings ?? null,
      misfits: compared?.misfits ?? null,
      coins: compared?.coins ?? null,
      doubted: isDoubted,
      retryAfterSeconds: mustRetry || isDoubted ? computeRetrySeconds(listing.attempts) : null,
      recheckAfterSeconds: computeRecheckSeconds(),
    },
  };
}

const mayChange = (check: WitnessCheck | PublisherVerdict): check is UnknownAnswer =>
  check.status === 'unknown' && check.retryable;
