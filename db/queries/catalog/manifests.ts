import { manifestSchema } from '@adaptor-marketplace/adaptor/manifest';
import { keyRows, type Queryable } from '../queryable.ts';
import { shownManifest } from '../shown-manifest.ts';

/** Top-level fields of the manifest's schema, except the list of its operations, which is most of a large one. */
export const headKeys: readonly string[] = Object.keys(manifestSchema.shape).filter((key) => key !== 'ops');

/**
 * SQL expression for fields of a manifest, from row `m` of `manifests`, as JSON. A missing field is null. The body is
 * decompressed once instead of for each key: PostgreSQL does not merge a subquery with an offset into the outer one.
 * @param keys SQL expression for an array of their names
 */
export const buildHeadSql = (keys: string) => `(select json_object_agg(key, whole.body->key)
    from (select ${shownManifest} - 'ops' as body offset 0) whole cross join unnest(${keys}) key)`;

const parts = {
  head: buildHeadSql(`array[${headKeys.map((key) => `'${key}'`).join(', ')}]`),
  ops: `${shownManifest}->'ops'`,
  whole: 'm.body',
} as const;

/** A part of a manifest: its fields without the operations, its operations, or everything as published, which the hash covers. */
export type ManifestPart = keyof typeof parts;

/**
 * Reads a part of many manifests in one round trip, as JSON text in the order of the hashes. From the one on whose part
 * makes the total exceed `bytesMax`, the result is undefined: the database does not send it.
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
