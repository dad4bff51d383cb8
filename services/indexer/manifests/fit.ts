import { checkManifestAgainstListing, type Subject } from '@adaptor-marketplace/adaptor/manifest-fit';
import { nameSkeleton } from '@adaptor-marketplace/adaptor/names/skeleton';
import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import { type Listed, typeColumns } from './listings.ts';

interface Pair {
  type: string;
  publisher: string;
  packageId: string;
  /** Null in a rule's manifest. */
  saidServiceType: string | null;
  saidRuleType: string;
  saidPackageId: string;
  name: string;
}

/**
 * Holds each listing, or rule, of these hashes against the manifest that is stored under its hash. A publisher
 * can commit to any bytes, also to a copy of another adaptor's manifest.
 */
export async function judgeManifests(
  client: ClientBase,
  network: Network,
  table: Listed,
  hashes: string[],
): Promise<void> {
  const type = typeColumns[table];
  const { rows } = await client.query<Pair>({
    name: `manifests-of-${table}`,
    text: `select l.${type} as type, l.publisher, l.package_id as "packageId",
        m.body ->> 'serviceType' as "saidServiceType", m.body ->> 'ruleType' as "saidRuleType",
        m.body ->> 'packageId' as "saidPackageId", m.body ->> 'name' as name
      from (select distinct unnest($2::text[]) as hash) asked
      join manifests m on m.hash = asked.hash
      join ${table} l on l.network = $1 and l.manifest_hash = m.hash`,
    values: [network, hashes],
  });
  if (rows.length === 0) return;
  const errors = rows.map((row) => checkManifestAgainstListing(said(row), listed(table, row)) ?? null);
  await client.query({
    name: `judge-manifests-of-${table}`,
    text: `update ${table} l set manifest_error = c.error
      from unnest($2::text[], $3::text[], $4::text[]) as c (type, publisher, error)
      where l.network = $1 and l.${type} = c.type and l.publisher = c.publisher
        and l.manifest_error is distinct from c.error`,
    values: [network, rows.map((row) => row.type), rows.map((row) => row.publisher), errors],
  });
  if (table === 'listings') await storeNames(client, network, rows);
}

/** A listing's name, from its manifest. */
export interface ListingName {
  /** Service type. */
  type: string;
  publisher: string;
  name: string;
}

/** Stores names beside their listings, with what they look like. @returns how many were not there */
export async function storeNames(
  client: ClientBase,
  network: Network,
  names: readonly ListingName[],
): Promise<number> {
  const { rowCount } = await client.query({
    name: 'store-listing-names',
    text: `update listings l set name = c.name, name_skeleton = c.skeleton
      from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as c (type, publisher, name, skeleton)
      where l.network = $1 and l.service_type = c.type and l.publisher = c.publisher
        and (l.name, l.name_skeleton) is distinct from (c.name, c.skeleton)`,
    values: [
      network,
      names.map(({ type }) => type),
      names.map(({ publisher }) => publisher),
      names.map(({ name }) => name),
      names.map(({ name }) => nameSkeleton(name)),
    ],
  });
  return rowCount ?? 0;
}

function said({ saidServiceType, saidRuleType, saidPackageId: packageId }: Pair): Subject {
  return saidServiceType === null
    ? { ruleType: saidRuleType, packageId }
    : { serviceType: saidServiceType, packageId };
}

function listed(table: Listed, { type, packageId }: Pair): Subject {
  return table === 'rules' ? { ruleType: type, packageId } : { serviceType: type, packageId };
}
