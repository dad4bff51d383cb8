import { ask } from '@adaptor-marketplace/adaptor/chain/answers';
import { callOptions } from '@adaptor-marketplace/adaptor/chain/call-options';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { PoolClient } from 'pg';
import {
  type BoundSource,
  changeFilter,
  type SourceIdentity,
  type SourceState,
} from '../../../db/queries/sources.ts';
import { FatalError } from '../../../lib/errors/index.ts';
import { publishedAt } from './packages.ts';

/** A followed package was upgraded, and its newest version defines event types that the filter lacks. */
export class UpgradedError extends Error {}

/** Separates the prefixes of event types in a stored filter. */
const separator = ' ';

export const filterOf = (eventTypes: readonly string[]) => eventTypes.join(separator);

/** Ids of the package versions whose event types a filter names. */
export const versionsOf = (filter: string) => [
  ...new Set(filter.split(separator).map((type) => type.slice(0, type.indexOf('::')))),
];

export interface StoredFilter {
  identity: SourceIdentity;
  stored: BoundSource;
  /** What the source's packages define now, as `EventTypesNow` answers. */
  eventTypes: readonly string[];
  /** The packages of the settings, as first published. */
  originals: readonly string[];
  client: ChainClient;
  /** A client of the node that has what the first one pruned. */
  archive: (() => Promise<ChainClient>) | undefined;
}

/**
 * The state to go on from with these event types. A later version of a followed package may add to what is stored, while
 * its first event is still ahead.
 * @throws FatalError `other_filter` for any other change, `missed_upgrade` where events of that version were passed over;
 * Error where the node is behind what is stored, or does not say
 */
export async function resumeFilter(db: PoolClient, options: StoredFilter): Promise<SourceState> {
  const { identity, stored, eventTypes, originals } = options;
  const former = stored.filter.split(separator);
  const missing = former.filter((type) => !eventTypes.includes(type));
  const added = eventTypes.filter((type) => !former.includes(type));
  const versions = versionsOf(filterOf(added));
  if (missing.length > 0) {
    await requireKnown(options.client, versionsOf(filterOf(missing)));
    throw otherFilter(options);
  }
  if (added.length === 0) return stored;
  // Modules of a version that was followed already: the settings changed, or what this software knows.
  const followed = new Set([...originals, ...versionsOf(stored.filter)]);
  if (versions.some((id) => followed.has(id))) throw otherFilter(options);
  for (const id of versions) await requireAhead(options, id);
  return changeFilter(db, identity, { from: stored, to: filterOf(eventTypes) });
}

function otherFilter({ identity: { name, network }, stored, eventTypes }: StoredFilter): FatalError {
  return new FatalError(
    'other_filter',
    `Source ${name} of ${network} was filled with events of ${stored.filter}, and is now set to ` +
      `${filterOf(eventTypes)}. Set the former packages, or use another database.`,
  );
}

/** A node that is behind does not know the version yet whose types are stored. */
async function requireKnown({ movePackageService }: ChainClient, ids: readonly string[]): Promise<void> {
  for (const packageId of ids) {
    const answer = await ask(movePackageService.getPackage({ packageId }, callOptions(10_000)));
    if (answer.status !== 'found') throw new Error(`package ${packageId}: ${answer.reason}`);
  }
}

async function requireAhead(
  { identity: { name, network }, stored, client, archive }: StoredFilter,
  id: string,
): Promise<void> {
  const published = (await publishedAt(client, id)) ?? (archive && (await publishedAt(await archive(), id)));
  if (published === undefined) {
    throw new FatalError(
      'pruned_cursor',
      `The node no longer says when package ${id} was published. ` +
        `Set SUI_${network.toUpperCase()}_ARCHIVE_URL to a node that does.`,
    );
  }
  if (published > stored.checkpoint) return;
  throw new FatalError(
    'missed_upgrade',
    `Source ${name} of ${network} is at checkpoint ${stored.checkpoint} without the event types of package ${id}, ` +
      `which was published at checkpoint ${published}. Use another database, which is filled from the beginning.`,
  );
}
