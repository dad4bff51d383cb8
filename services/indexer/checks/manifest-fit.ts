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

/**
 * Holds each listing of these hashes against the manifest that is stored under its hash. A publisher can commit
 * to any bytes, also to a copy of another adaptor's manifest.
 */
export async function judgeManifests(client: ClientBase, network: Network, hashes: string[]): Promise<void> {
  const { rows } = await client.query<Pair>({
    name: 'manifests-of',
    text: `select l.service_type as "serviceType", l.publisher, l.package_id as "packageId",
        m.body ->> 'serviceType' as "saidServiceType", m.body ->> 'packageId' as "saidPackageId"
      from (select distinct unnest($2::text[]) as hash) asked
      join manifests m on m.hash = asked.hash
      join listings l on l.network = $1 and l.manifest_hash = m.hash`,
    values: [network, hashes],
  });
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
