import type { Certificate } from '@adaptor-marketplace/adaptor/certify';
import type { ClientBase, Pool } from 'pg';
import { columnTypes, type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import { inTransaction } from '../transaction.ts';
import type { DueItems } from './due.ts';
import { keyRows, type Queryable, toColumns } from './queryable.ts';
import { readInTurns, type Turns } from './turns.ts';

/** Adds packages whose certificates are due. A package that is known stays as it is. */
export async function addCertifiedPackages(
  client: ClientBase,
  network: string,
  packages: readonly { packageId: string; publisher: string }[],
): Promise<void> {
  if (packages.length === 0) return;
  await client.query({
    name: 'add-certified-packages',
    text: `insert into certified_packages (network, package_id, publisher)
      select distinct on (package_id) $1, package_id, publisher
      from unnest($2::text[], $3::text[]) as named (package_id, publisher)
      order by package_id on conflict do nothing`,
    values: [network, ...toColumns(packages, 'packageId', 'publisher')],
  });
}

const dueColumns = readColumns(tables.certifiedPackages, ['packageId', 'publisher']);

/** A package whose certificates are due. */
export interface DuePackage extends Row<typeof dueColumns> {
  /** Attempts for the current version of the analysis, including this one. */
  attempts: number;
}

const selectDue = `${dueColumns.select('q')}, q.check_attempts + 1 as attempts`;

/** Maximum number of packages that become due in one look because the analysis has changed. */
const renewedMax = 500;

/**
 * Reads the due packages, and makes those due whose certificates are of an earlier version of the analysis. A publisher with
 * many packages delays no other.
 */
export async function readDuePackages(
  db: Queryable,
  read: { network: string; limit: number; turns: Turns },
  analysis: number,
): Promise<DueItems<DuePackage>> {
  const renewed = await db.query({
    name: 'renew-certificates',
    text: `update certified_packages set next_check_at = now(), check_ready = true, check_attempts = 0
      where ctid = any (array(select ctid from certified_packages
        where network = $1 and analysis < $2 and next_check_at is null limit ${renewedMax} for update skip locked))`,
    values: [read.network, analysis],
  });
  const due = await readInTurns<DuePackage>(db, read, {
    name: 'due-packages',
    table: 'certified_packages',
    due: 'next_check_at',
    ready: 'check_ready',
    priorities: ['least(check_attempts, 1) = 0', 'least(check_attempts, 1) = 1'],
    groups: [{ group: 'publisher', order: 'package_id' }],
    select: selectDue,
  });
  return renewed.rowCount === renewedMax ? { ...due, nextMs: 0 } : due;
}

/** Reads a due package in its current state; undefined if it is no longer due. */
export async function readDuePackage(
  db: Queryable,
  network: string,
  packageId: string,
): Promise<DuePackage | undefined> {
  const { rows } = await db.query<DuePackage>({
    name: 'due-package',
    text: `select ${selectDue} from certified_packages q
      where network = $1 and package_id = $2 and next_check_at <= now()`,
    values: [network, packageId],
  });
  return rows[0];
}

/** A certificate of one function. Its package and its function are those that the certificate names. */
export interface HashedCertificate {
  hash: string;
  certificate: Certificate;
}

/** Result of an analysis. `unread`: callable functions without a certificate were not read, for this reason. */
export type CertifyOutcome = { analysis: number; certificates: readonly HashedCertificate[] } & (
  | { state: 'computed' }
  | { state: 'unread'; reason: string }
);

/** Stores the certificates of a package in place of the former ones. A result of an earlier analysis replaces no later one. */
export async function recordCertificates(
  pool: Pool,
  network: string,
  packageId: string,
  outcome: CertifyOutcome,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rowCount } = await client.query({
      name: 'record-certified-package',
      text: `update certified_packages set state = $3, reason = $4, analysis = $5, computed_at = now(), check_attempts = 0,
          next_check_at = null, check_ready = false
        where network = $1 and package_id = $2 and coalesce(analysis, 0) <= $5`,
      values: [
        ...[network, packageId, outcome.state, outcome.state === 'unread' ? outcome.reason : null],
        outcome.analysis,
      ],
    });
    if (rowCount === 0) return;
    await client.query({
      name: 'delete-certificates',
      text: 'delete from certificates where network = $1 and package_id = $2',
      values: [network, packageId],
    });
    await client.query({
      name: 'insert-certificates',
      text: `insert into certificates (network, package_id, module, function, hash, certificate)
        select $1, $2, c ->> 'module', c ->> 'function', hash, c
        from unnest($3::text[], $4::jsonb[]) as made (hash, c)`,
      values: [
        ...[network, packageId, outcome.certificates.map(({ hash }) => hash)],
        outcome.certificates.map(({ certificate }) => JSON.stringify(certificate)),
      ],
    });
  });
}

/** Stores an attempt that a later one repeats: the node did not show a package. */
export async function postponeCertificates(
  db: Queryable,
  network: string,
  { packageId, attempts }: DuePackage,
  { reason, retryAfterSeconds }: { reason: string; retryAfterSeconds: number },
): Promise<void> {
  await db.query({
    name: 'postpone-certificates',
    text: `update certified_packages set reason = case when state = 'pending' then $3 else reason end, check_attempts = $4,
        next_check_at = now() + make_interval(secs => $5::float8), check_ready = false
      where network = $1 and package_id = $2`,
    values: [network, packageId, reason, attempts, retryAfterSeconds],
  });
}

/** A function, by the package whose id a call names. */
interface FunctionKey {
  network: string;
  packageId: string;
  module: string;
  function: string;
}

/** State of a function's certificate. Hash and certificate are null unless it is `computed`. */
export interface FunctionCertificate {
  state: 'computed' | 'pending' | 'unread';
  /** The reason of `unread`, or the error of the last attempt of `pending`. */
  reason: string | null;
  hash: string | null;
  certificate: Certificate | null;
}

const functionKeys = keyRows(columnTypes(tables.certificates, 'network', 'packageId', 'module', 'function'));

/** Reads the certificates of functions, in the order of the keys. Each has up to 256 KiB. */
export async function readCertificates(
  db: Queryable,
  keys: readonly FunctionKey[],
): Promise<FunctionCertificate[]> {
  if (keys.length === 0) return [];
  const { rows } = await db.query<FunctionCertificate>({
    name: 'read-certificates',
    text: `select c.hash, c.certificate,
      case when c.hash is not null then 'computed' when p.state = 'pending' then 'pending' else 'unread' end as state,
      case
        when c.hash is not null then null
        when p.state is null then 'No listing is checked that has this package, and only such packages are certified.'
        when p.state = 'computed' then 'The package has no such function that a transaction can call.'
        else p.reason
      end as reason
      from ${functionKeys}
      left join certified_packages p on p.network = key.network and p.package_id = key.package_id
      left join certificates c on c.network = key.network and c.package_id = key.package_id
        and c.module = key.module and c.function = key.function
      order by key.nth`,
    values: toColumns(keys, 'network', 'packageId', 'module', 'function'),
  });
  return rows;
}

const certifiedColumns = readColumns(tables.certifiedPackages, ['analysis', 'reason']);
const packageKeys = keyRows(columnTypes(tables.certifiedPackages, 'network', 'packageId'));

/** State of a package's certificates. */
export interface CertifiedPackage extends Row<typeof certifiedColumns> {
  state: 'pending' | CertifyOutcome['state'];
}

/** Reads the states of packages, in the order of the keys; `pending` if no listing with the package is checked yet. */
export async function readCertifiedPackages(
  db: Queryable,
  keys: readonly { network: string; packageId: string }[],
): Promise<CertifiedPackage[]> {
  const { rows } = await db.query<CertifiedPackage>({
    name: 'certified-packages',
    text: `select ${certifiedColumns.select('p')}, coalesce(p.state, 'pending') as state from ${packageKeys}
      left join certified_packages p on p.network = key.network and p.package_id = key.package_id order by key.nth`,
    values: toColumns(keys, 'network', 'packageId'),
  });
  return rows;
}
