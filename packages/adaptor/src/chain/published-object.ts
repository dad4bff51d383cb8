import { normalizeStructTag } from '@mysten/sui/utils';
import type { Answer } from './answers.ts';
import { normalizeAddress } from './names.ts';
import { type PublisherReader, readPublishTransaction } from './publisher.ts';

/**
 * Finds the object that a package's `init` made, by the transaction that published the package.
 * @param packageId id of the first version
 * @param type of the object, with that id
 * @returns `absent` also if the node no longer has that transaction
 */
export async function findPublishedObject(
  client: PublisherReader,
  packageId: string,
  type: string,
): Promise<Answer<string>> {
  const published = await readPublishTransaction(client, packageId);
  if ('status' in published) {
    const { reason, retryable } = published;
    return { status: retryable ? 'unavailable' : 'absent', reason };
  }
  const expected = normalizeStructTag(type);
  const hasType = ({ objectType = '' }: { objectType?: string }) =>
    objectType.includes('::') && normalizeStructTag(objectType) === expected;
  const made = published.effects?.changedObjects.filter(hasType) ?? [];
  const objectId = normalizeAddress(made[0]?.objectId ?? '');
  if (made.length === 1 && objectId !== undefined) return { status: 'found', value: objectId };
  return {
    status: 'absent',
    reason: `the transaction that published ${packageId} made ${made.length} objects of ${type}`,
  };
}
