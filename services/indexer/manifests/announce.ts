import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';

/** A manifest as a listing or a rule names it. */
export interface NamedManifest {
  hash: string;
  uri: string;
}

/**
 * Until the end of the transaction, this one alone changes which manifests a network names, or what is known of
 * them. Listings, rules and fetches are written by transactions of their own: without it, one would forget a
 * manifest that another has just begun to name, or leave it unjudged. To be taken before any row is changed.
 */
export async function lockManifests(client: ClientBase, network: Network): Promise<void> {
  await client.query({
    name: 'lock-manifests',
    text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [`manifests ${network}`],
  });
}

/**
 * After listings or rules changed: `manifest_fetches` holds exactly what the present ones name. A manifest that
 * is announced again gets a new chance, and what none names any more is not fetched; a body that was verified
 * stays in `manifests`, never to be fetched again.
 * @param named what the changed ones name now
 * @param former what they named before
 */
export async function announceManifests(
  client: ClientBase,
  network: Network,
  named: NamedManifest[],
  former: NamedManifest[],
): Promise<void> {
  await client.query({
    name: 'announce-manifests',
    text: `insert into manifest_fetches (network, hash, uri, status, next_attempt_at)
      select distinct $1, n.hash, n.uri, case when m.hash is null then 'pending' else 'verified' end,
        case when m.hash is null then now() end
      from unnest($2::text[], $3::text[]) as n (hash, uri)
      left join manifests m on m.hash = n.hash
      on conflict (network, hash, uri) do update set next_attempt_at = now(), attempts = 0
        where manifest_fetches.status <> 'verified'`,
    values: [network, ...columns(named)],
  });
  if (former.length === 0) return;
  await client.query({
    name: 'forget-manifests',
    text: `delete from manifest_fetches f using unnest($2::text[], $3::text[]) as c (hash, uri)
      where f.network = $1 and f.hash = c.hash and f.uri = c.uri
        and not exists (select from listings l
          where l.network = f.network and l.manifest_hash = f.hash and l.manifest_uri = f.uri)
        and not exists (select from rules r
          where r.network = f.network and r.manifest_hash = f.hash and r.manifest_uri = f.uri)`,
    values: [network, ...columns(former)],
  });
}

const columns = (manifests: NamedManifest[]) => [
  manifests.map(({ hash }) => hash),
  manifests.map(({ uri }) => uri),
];
