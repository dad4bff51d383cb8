import { manifestSchema } from '@adaptor-marketplace/adaptor/manifest';
import { keyRows, type Queryable } from '../queryable.ts';

/** Names that the manifest's shape knows, without the list of its operations, which is most of a large one. */
export const headKeys: readonly string[] = Object.keys(manifestSchema.shape).filter((key) => key !== 'ops');

/**
 * Fields of a manifest, of row `m` of `manifests`, as JSON: an expression. A field that it lacks is null. The body is
 * decompressed once, and not for each of the keys: PostgreSQL does not merge a subquery with an offset into the one around it.
 * @param keys an array of their names: an expression too
 */
export const headOf = (keys: string) => `(select json_object_agg(key, whole.body->key)
    from (select m.body - 'ops' as body offset 0) whole cross join unnest(${keys}) key)`;

const parts = {
  head: headOf(`array[${headKeys.map((key) => `'${key}'`).join(', ')}]`),
  ops: `m.body->'ops'`,
  whole: 'm.body',
} as const;

/** What is read of a manifest: the fields that it names, its operations, or all that the hash covers. */
export type ManifestPart = keyof typeof parts;

/**
 * Reads a part of many manifests in one round trip, as JSON text in the order of the hashes. Undefined where all before
 * it and it are more than `bytesMax` together: what exceeds that stays in the database.
 */
export async function readManifestParts(
  db: Queryable,
  part: ManifestPart,
  hashes: readonly string[],
  bytesMax: number,
): Promise<(string | undefined)[]> {
  const { rows } = await db.query<{ hash: string; text: string | null }>({
    name: `read-manifests-${part}`,
    text: `
select hash, case when sum(octet_length(text)) over (order by position) <= $2 then text end as text
from (
  select key.nth as position, m.hash, (${parts[part]})::text as text
  from ${keyRows({ hash: 'text' })}
  join manifests m on m.hash = key.hash
) parts`,
    values: [hashes, bytesMax],
  });
  const found = new Map(rows.map((row) => [row.hash, row.text ?? undefined]));
  return hashes.map((hash) => found.get(hash));
}
