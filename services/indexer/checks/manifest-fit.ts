import type { ClientBase } from 'pg';
import { checkManifestAgainstListing } from '../../../lib/adaptor/manifest.ts';
import type { Network } from '../../../lib/config/index.ts';

interface Pair {
  serviceType: string;
  publisher: string;
  packageId: string;
  saidServiceType: string;
  saidPackageId: string;
}

const pairs = `select l.service_type as "serviceType", l.publisher, l.package_id as "packageId",
    m.body ->> 'serviceType' as "saidServiceType", m.body ->> 'packageId' as "saidPackageId"
  from manifests m join listings l on l.manifest_hash = m.hash where l.network = $1`;

/**
 * Holds each listing of these hashes against the manifest that is stored under its hash. A publisher can commit
 * to any bytes, also to a copy of another adaptor's manifest.
 */
export async function judgeManifests(client: ClientBase, network: Network, hashes: string[]): Promise<void> {
  const text = `${pairs} and m.hash = any ($2::text[])`;
  const { rows } = await client.query<Pair>({ name: 'manifests-of', text, values: [network, hashes] });
  await judge(client, network, rows);
}

/** Holds every listing of the network against its manifest, where that is stored. */
export async function judgeListings(client: ClientBase, network: Network): Promise<void> {
  const { rows } = await client.query<Pair>(pairs, [network]);
  await judge(client, network, rows);
}

async function judge(client: ClientBase, network: Network, rows: Pair[]): Promise<void> {
  if (rows.length === 0) return;
  const errors = rows.map((row) => {
    const said = { serviceType: row.saidServiceType, packageId: row.saidPackageId };
    return checkManifestAgainstListing(said, row) ?? null;
  });
  await client.query({
    name: 'judge-manifests',
    text: `update listings l set manifest_error = c.error
      from unnest($2::text[], $3::text[], $4::text[]) as c (service_type, publisher, error)
      where l.network = $1 and l.service_type = c.service_type and l.publisher = c.publisher
        and l.manifest_error is distinct from c.error`,
    values: [network, rows.map((row) => row.serviceType), rows.map((row) => row.publisher), errors],
  });
}
