import type { ClientBase } from 'pg';
import type { Network } from '../../../lib/config/index.ts';
import { judgeListings, judgeManifests } from '../checks/manifest-fit.ts';
import type { ListingChange } from './fold.ts';

/**
 * `manifest_fetches` holds exactly what the present listings name: what none names any more is not fetched,
 * and a body that was verified stays in `manifests`, never to be fetched again.
 */
const unnamed = `not exists (
  select from listings l where l.network = f.network and l.manifest_hash = f.hash and l.manifest_uri = f.uri)`;

/** What a listing names, and whether it is there already. */
const announced = `select distinct on (l.manifest_hash, l.manifest_uri) l.network, l.manifest_hash, l.manifest_uri,
    case when m.hash is null then 'pending' else 'verified' end, case when m.hash is null then now() end
  from listings l left join manifests m on m.hash = l.manifest_hash where l.network = $1`;

/** A manifest by what a listing says of it. */
interface Named {
  hash: string;
  uri: string;
}

/** What the listings named before they change. */
export async function namedManifests(
  client: ClientBase,
  network: Network,
  changes: ListingChange[],
): Promise<Named[]> {
  const { rows } = await client.query<Named>({
    name: 'named-manifests',
    text: `select l.manifest_hash as hash, l.manifest_uri as uri
      from unnest($2::text[], $3::text[]) as c (service_type, publisher)
      join listings l on l.network = $1 and l.service_type = c.service_type and l.publisher = c.publisher`,
    values: [
      network,
      changes.map(({ serviceType }) => serviceType),
      changes.map(({ publisher }) => publisher),
    ],
  });
  return rows;
}

/**
 * After the listings changed. A manifest that is announced again gets a new chance.
 * @param former what they named before
 */
export async function announceManifests(
  client: ClientBase,
  network: Network,
  changes: ListingChange[],
  former: Named[],
): Promise<void> {
  const contents = changes.flatMap(({ content }) => (content ? [content.fields] : []));
  if (contents.length === 0) return;
  const hashes = contents.map((fields) => fields.manifestHash);
  const uris = contents.map((fields) => fields.manifestUri);
  await client.query({
    name: 'announce-manifests',
    text: `insert into manifest_fetches (network, hash, uri, status, next_attempt_at)
      ${announced} and (l.manifest_hash, l.manifest_uri) in (select * from unnest($2::text[], $3::text[]))
      on conflict (network, hash, uri) do update set next_attempt_at = now(), attempts = 0
        where manifest_fetches.status <> 'verified'`,
    values: [network, hashes, uris],
  });
  await client.query({
    name: 'forget-manifests',
    text: `delete from manifest_fetches f using unnest($2::text[], $3::text[]) as c (hash, uri)
      where f.network = $1 and f.hash = c.hash and f.uri = c.uri and ${unnamed}`,
    values: [network, former.map(({ hash }) => hash), former.map(({ uri }) => uri)],
  });
  await judgeManifests(client, network, hashes);
}

/** For all listings at once. */
export async function settleManifests(client: ClientBase, network: Network): Promise<void> {
  await client.query(
    `insert into manifest_fetches (network, hash, uri, status, next_attempt_at) ${announced} on conflict do nothing`,
    [network],
  );
  await client.query(`delete from manifest_fetches f where f.network = $1 and ${unnamed}`, [network]);
  await judgeListings(client, network);
}
