import type { PublisherVerdict, UnknownAnswer, WitnessCheck } from '@adaptor-marketplace/adaptor/chain';
import type { WitnessWarning } from '@adaptor-marketplace/adaptor/introspect';
import type { OpMisfit } from '@adaptor-marketplace/adaptor/manifest';
import type { GrpcTypes } from '@mysten/sui/grpc';
import type { ClientBase } from 'pg';
import type { ListingKey } from '../../../db/queries/catalog/maintain.ts';
import {
  type CheckResult,
  type ListedOps,
  type ListingCheck,
  type RegistrationTable,
  readOps,
  recordChecks,
} from '../../../db/queries/checks.ts';
import type { NetworkSettings } from '../../../lib/config/networks.ts';
import { publicMessage } from '../../../lib/outbound/errors.ts';
import { recheckAfterSeconds, retryAfterSeconds } from '../queue/schedule.ts';
import { type CalledPackages, findMisfits } from './called-packages.ts';

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
}

/** Times that a negative answer is checked again: another replica behind the url may not have the package yet. */
const doubtedAttempts = 2;

/**
 * Stores answers, under the lock of `lockManifests`. Errors do not show `token`.
 * @returns the listings whose shown data changed
 */
export async function storeChecked(
  client: ClientBase,
  { network, rpcToken: token }: Pick<NetworkSettings, 'network' | 'rpcToken'>,
  checked: readonly Checked[],
): Promise<ListingKey[]> {
  const [listings, rules] = (['listings', 'rules'] as const).map((table) =>
    checked.filter((check) => check.table === table),
  );
  // A rule's manifest lists no calls.
  if (rules!.length > 0) {
    await recordChecks(
      client,
      network,
      'rules',
      rules!.map((check) => toResult(check, token, null)),
    );
  }
  if (listings!.length === 0) return [];
  const known = listings!.filter(({ witness }) => witness.pkg).map(({ listing }) => listing);
  const manifests = known.length > 0 ? await readOps(client, network, known) : [];
  const results = listings!.map((check) => {
    const { witness, listing, called } = check;
    const isIts = ({ type, publisher }: ListedOps) =>
      type === listing.type && publisher === listing.publisher;
    const misfits = witness.pkg ? findMisfits(manifests.find(isIts), witness.pkg, called) : null;
    return toResult(check, token, misfits);
  });
  const changed = await recordChecks(client, network, 'listings', results);
  return changed.map(({ type: serviceType, publisher }) => ({ serviceType, publisher }));
}

/**
 * Returns the result to store for an answer. A negative answer does not replace a positive one until it was repeated
 * often enough: one replica that is behind must not take an adaptor out of the catalog.
 */
function toResult(
  { listing, witness: { check: witness, warnings }, publisher }: Checked,
  token: string | undefined,
  misfits: OpMisfit[] | null,
): CheckResult {
  const open = isOpen(witness) || isOpen(publisher);
  const doubted =
    listing.attempts <= doubtedAttempts &&
    (witness.status === 'invalid' || publisher.status === 'unverified');
  const reasons = [witness, publisher].flatMap((check) => ('reason' in check ? [check.reason] : []));
  return {
    check: listing,
    outcome: {
      witness: witness.status === 'unknown' ? null : witness.status,
      publisher: publisher.status === 'unknown' && publisher.retryable ? null : publisher.status,
      error: publicMessage(reasons.join(' '), [token]) || null,
      warnings: warnings ?? null,
      misfits,
      doubted,
      retryAfterSeconds: open || doubted ? retryAfterSeconds(listing.attempts) : null,
      recheckAfterSeconds: recheckAfterSeconds(),
    },
  };
}

const isOpen = (check: WitnessCheck | PublisherVerdict): check is UnknownAnswer =>
  check.status === 'unknown' && check.retryable;
