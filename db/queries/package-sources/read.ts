import { columnTypes, type Item, type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import type { SourceVerdict } from '../catalog/source-verdict.ts';
import { keyRows, type Queryable, toColumns } from '../queryable.ts';
import type { SourceReport } from './report.ts';

interface PackageKey {
  network: string;
  packageId: string;
}

const columns = readColumns(tables.packageSources, ['hash', 'sourceHash', 'lastError'], {
  offeredAtMs: 'offeredAt',
  verifiedAtMs: 'verifiedAt',
});

type SourceRow = Row<typeof columns> & Pick<PackageSource, 'verdict' | 'report'>;

/** An offer with its result. */
export interface PackageSource extends Item<typeof columns> {
  /** Null until it is verified. */
  verdict: SourceVerdict | null;
  report: SourceReport | null;
}

const selectSource = `${columns.select('p')}, p.verdict, p.report`;

const toSource = (row: SourceRow): PackageSource => ({
  ...columns.toItem(row),
  verdict: row.verdict,
  report: row.report,
});

const keys = keyRows(columnTypes(tables.packageSources, 'network', 'packageId'));

/** Reads the source with the best verdict of each package, else the first that waits, in the order of the keys. */
export async function readPackageSources(
  db: Queryable,
  packages: readonly PackageKey[],
): Promise<(PackageSource | undefined)[]> {
  const { rows } = await db.query<SourceRow | { hash: null }>({
    name: 'package-sources',
    text: `select best.* from ${keys} left join lateral (
        select ${selectSource} from package_sources p
        where p.network = key.network and p.package_id = key.package_id
        order by p.rank, p.offered_at limit 1) best on true
      order by key.nth`,
    values: toColumns(packages, 'network', 'packageId'),
  });
  return rows.map((row) => (row.hash === null ? undefined : toSource(row)));
}

export const readPackageSource = async (db: Queryable, key: PackageKey) =>
  (await readPackageSources(db, [key]))[0];

/** Reads one offer for a package; undefined if there is none, or no longer. */
export async function readSourceOffer(
  db: Queryable,
  { network, packageId }: PackageKey,
  hash: string,
): Promise<PackageSource | undefined> {
  const { rows } = await db.query<SourceRow>({
    name: 'source-offer',
    text: `select ${selectSource} from package_sources p
      where p.network = $1 and p.package_id = $2 and p.hash = $3`,
    values: [network, packageId, hash],
  });
  return rows[0] && toSource(rows[0]);
}

/** A package that certified code can reach. */
export interface ReachedPackage {
  packageId: string;
  /** Best verdict of its source. Null without one. */
  verdict: SourceVerdict | null;
}

/**
 * Reads the packages that the certified functions of each package can reach, itself included, in the order of the keys. Empty
 * until they are certified.
 */
export async function readReachedPackages(
  db: Queryable,
  packages: readonly PackageKey[],
): Promise<ReachedPackage[][]> {
  const { rows } = await db.query<{ reached: ReachedPackage[] }>({
    name: 'reached-packages',
    text: `select coalesce(reach.packages, '[]') as reached from ${keys}
      left join certified_packages c on c.network = key.network and c.package_id = key.package_id
      left join lateral (
        select json_agg(json_build_object('packageId', r.id, 'verdict', best.verdict) order by r.nth) as packages
        from unnest(c.reaches) with ordinality as r (id, nth)
        left join lateral (
          select p.verdict from package_sources p
          where p.network = c.network and p.package_id = r.id and p.rank is not null
          order by p.rank, p.offered_at limit 1) best on true) reach on true
      order by key.nth`,
    values: toColumns(packages, 'network', 'packageId'),
  });
  return rows.map(({ reached }) => reached);
}

/** Reads an offered content by its hash. */
export async function readOfferedContent(db: Queryable, hash: string): Promise<Buffer | undefined> {
  const { rows } = await db.query<{ content: Buffer }>({
    name: 'offered-content',
    text: 'select content from offered_sources where hash = $1',
    values: [hash],
  });
  return rows[0]?.content;
}
