import type { ClientBase } from 'pg';
import type { Network } from '../../../lib/config/index.ts';
import type { TouchedListing } from './listings.ts';

/**
 * After the listings changed: `manifest_fetches` holds exactly what the present listings name. A manifest that
 * is announced again gets a new chance, and what none names any more is not fetched; a body that was verified
 * stays in `manifests`, never to be fetched again.
 */
export async function announceManifests(
  client: ClientBase,
  network: Network,
  touched: TouchedListing[],
): Promise<void> {
  await client.query({
    name: 'announce-manifests',
    text: `insert into manifest_fetches (network, hash, uri, status, next_attempt_at)
      select distinct on (l.manifest_hash, l.manifest_uri) l.network, l.manifest_hash, l.manifest_uri,
        case when m.hash is null then 'pending' else 'verified' end, case when m.hash is null then now() end
      from unnest($2::text[], $3::text[]) as k (service_type, publisher)
      join listings l on l.network = $1 and l.service_type = k.service_type and l.publisher = k.publisher
      left join manifests m on m.hash = l.manifest_hash
      on conflict (network, hash, uri) do update set next_attempt_at = now(), attempts = 0
        where manifest_fetches.status <> 'verified'`,
    values: [
      network,
      touched.map(({ serviceType }) => serviceType),
      touched.map(({ publisher }) => publisher),
    ],
  });
  const former = touched.filter(({ formerHash }) => formerHash !== null);
  if (former.length === 0) return;
  await client.query({
    name: 'forget-manifests',
    text: `delete from manifest_fetches f using unnest($2::text[], $3::text[]) as c (hash, uri)
      where f.network = $1 and f.hash = c.hash and f.uri = c.uri and not exists (select from listings l
        where l.network = f.network and l.manifest_hash = f.hash and l.manifest_uri = f.uri)`,
    values: [network, former.map(({ formerHash }) => formerHash), former.map(({ formerUri }) => formerUri)],
  });
}
