import { nameSkeleton } from '@adaptor-marketplace/adaptor/names/skeleton';
import type { Queryable, Statement } from '../queryable.ts';

/** An entry whose name looks like another's. */
export interface AlikeName {
  serviceType: string;
  publisher: string;
  name: string;
  /** Milliseconds since the epoch: the first registration by this publisher. */
  firstListedAtMs: number;
  usage: { actions: number; uniqueVaults: number; lastActionMs: number | null };
}

/** Most entries that are shown. The earliest cannot be pushed out by later ones, of which anyone can make many. */
export const alikeMax = 5;

/**
 * The entries whose names look like that of listing `l`, as JSON. The conditions are those of the index
 * `listings_alike`, which has them in this order: an entry costs one look into it, and one row for each in the answer.
 */
export const alikeNames = (l: string) => `(
  select coalesce(jsonb_agg(jsonb_build_object(
    'serviceType', a.service_type, 'publisher', a.publisher, 'name', a.name,
    'firstListedAtMs', (extract(epoch from a.registered_at) * 1000)::bigint,
    'usage', jsonb_build_object('actions', coalesce(u.actions, 0), 'uniqueVaults', coalesce(u.unique_vaults, 0),
      'lastActionMs', (extract(epoch from u.last_action_at) * 1000)::bigint)
    ) order by a.registered_checkpoint, a.registered_tx_index, a.registered_event_index), '[]') as alike_names
  from (
    select o.* from listings o
    where o.network = ${l}.network and o.name_skeleton = ${l}.name_skeleton
      and o.service_type <> ${l}.service_type and o.listed and o.name_error is null
      and o.manifest_error is null and o.witness_check = 'valid' and o.publisher_check = 'verified'
    order by o.registered_checkpoint, o.registered_tx_index, o.registered_event_index
    limit ${alikeMax}
  ) a
  left join service_usage u on u.network = a.network and u.service_type = a.service_type
)`;

const findAlikeNames: Statement = {
  name: 'find-alike-names',
  text: `
select n.alike_names
from (select $1::text as network, $2::text as service_type, $3::text as name_skeleton) l
cross join lateral ${alikeNames('l')} n`,
};

/** The entries of other service types, by verified publishers, whose names look like this one: `alikeMax` first listed. */
export async function readAlikeNames(
  db: Queryable,
  { network, serviceType, name }: { network: string; serviceType: string; name: string },
): Promise<AlikeName[]> {
  const { rows } = await db.query<{ alike_names: AlikeName[] }>({
    ...findAlikeNames,
    values: [network, serviceType, nameSkeleton(name)],
  });
  return rows[0]?.alike_names ?? [];
}
