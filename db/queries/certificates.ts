import type { Certificate, CertificateBrief } from '@adaptor-marketplace/adaptor/certify';
import type { ClientBase, Pool } from 'pg';
import { columnTypes, type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import { inTransaction } from '../transaction.ts';
import type { DueItems } from './due.ts';
import { keyRows, type Queryable, toColumns } from './queryable.ts';
import { checkQueue, readInTurns, type Turns } from './turns.ts';

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
  /** Attempts for the current versions of the analysis and of the sentences, including this one. */
  attempts: number;
}

const selectDue = `${dueColumns.select('q')}, q.check_attempts + 1 as attempts`;

/** Maximum number of packages that become due in one look because the analysis or its words have changed. */
const renewedMax = 500;

/** Versions that make certificates: the analysis the claims, the wording the sentences. */
interface CertificateVersions {
  analysis: number;
  wording: number;
}

/**
 * Reads the due packages, and makes those due whose certificates are of earlier versions. A publisher with many packages delays
 * no other.
 */
export async function readDuePackages(
  db: Queryable,
  read: { network: string; limit: number; turns: Turns },
  { analysis, wording }: CertificateVersions,
): Promise<DueItems<DuePackage>> {
  const renewed = await db.query({
    name: 'renew-certificates',
    text: `update certified_packages set next_check_at = now(), check_ready = true, check_attempts = 0
      where ctid = any (array(select ctid from certified_packages
        where network = $1 and (analysis, wording) < ($2, $3) and next_check_at is null limit ${renewedMax} for update skip locked))`,
    values: [read.network, analysis, wording],
  });
  const due = await readInTurns<DuePackage>(db, read, {
    name: 'due-packages',
    table: 'certified_packages',
    ...checkQueue,
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
export interface MadeCertificate {
  hash: string;
  certificate: Certificate;
  /** Size of its canonical JSON. */
  bytes: number;
  brief: CertificateBrief;
}

/** Result of an analysis. `unread`: callable functions without a certificate were not read, for this reason. */
export type CertifyOutcome = CertificateVersions & { certificates: readonly MadeCertificate[] } & (
    | { state: 'computed' }
    | { state: 'unread'; reason: string }
  );

/**
 * Stores the certificates of a package in place of the former ones, and makes the comparisons due that wait for them. A
 * result of earlier versions replaces no later one.
 */
export async function recordCertificates(
  pool: Pool,
  network: string,
  packageId: string,
  outcome: CertifyOutcome,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rowCount } = await client.query({
      name: 'record-certified-package',
      text: `update certified_packages set state = $3, reason = $4, analysis = $5, wording = $6, reaches = $7, computed_at = now(),
          check_attempts = 0, next_check_at = null, check_ready = false
        where network = $1 and package_id = $2 and (coalesce(analysis, 0), coalesce(wording, 0)) <= ($5, $6)`,
      values: [
        network,
        packageId,
        outcome.state,
        outcome.state === 'unread' ? outcome.reason : null,
        outcome.analysis,
        outcome.wording,
        listReached(outcome.certificates),
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
      text: `insert into certificates (network, package_id, module, function, hash, certificate, bytes, brief)
        select $1, $2, c ->> 'module', c ->> 'function', hash, c, bytes, brief
        from unnest($3::text[], $4::jsonb[], $5::integer[], $6::jsonb[]) as made (hash, c, bytes, brief)`,
      values: [
        network,
        packageId,
        outcome.certificates.map(({ hash }) => hash),
        outcome.certificates.map(({ certificate }) => JSON.stringify(certificate)),
        outcome.certificates.map(({ bytes }) => bytes),
        outcome.certificates.map(({ brief }) => JSON.stringify(brief)),
      ],
    });
    await client.query({
      name: 'end-waits-for-package',
      text: `update claim_changes set waits_for = null, check_attempts = 0, next_check_at = now(), check_ready = true
        where network = $1 and waits_for = $2`,
      values: [network, packageId],
    });
  });
}

const listReached = (certificates: readonly MadeCertificate[]): string[] =>
  [...new Set(certificates.flatMap(({ certificate }) => certificate.closure.map(({ id }) => id)))].sort();

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

/** State of a function's certificate. All but the reason are null unless it is `computed`. */
export interface FunctionCertificate {
  state: 'computed' | 'pending' | 'unread';
  /** The reason of `unread`, or the error of the last attempt of `pending`. */
  reason: string | null;
  hash: string | null;
  /** Version of the analysis that computed it. */
  analysis: number | null;
  brief: CertificateBrief | null;
  /** Types of its parameters in Move's syntax. Null also if they are longer than 16 KiB. */
  parameters: readonly string[] | null;
}

const functionKeys = keyRows(columnTypes(tables.certificates, 'network', 'packageId', 'module', 'function'));

const stateColumns = `c.hash, c.brief, c.parameters, case when c.hash is not null then p.analysis end as analysis,
  case when c.hash is not null then 'computed' when p.state = 'pending' then 'pending' else 'unread' end as state,
  case
    when c.hash is not null then null
    when p.state is null then 'No listing is checked that has this package, and only such packages are certified.'
    when p.state = 'computed' then 'The package has no such function that a transaction can call.'
    else p.reason
  end as reason`;

const joinedTables = `${functionKeys}
  left join certified_packages p on p.network = key.network and p.package_id = key.package_id
  left join certificates c on c.network = key.network and c.package_id = key.package_id
    and c.module = key.module and c.function = key.function`;

/** Reads the states of functions with their first sentences, in the order of the keys. */
export async function readCertificateBriefs(
  db: Queryable,
  keys: readonly FunctionKey[],
): Promise<FunctionCertificate[]> {
  if (keys.length === 0) return [];
  const { rows } = await db.query<FunctionCertificate>({
    name: 'certificate-briefs',
    text: `select ${stateColumns} from ${joinedTables} order by key.nth`,
    values: toColumns(keys, 'network', 'packageId', 'module', 'function'),
  });
  return rows;
}

/** A function with its whole certificate, up to 1 MiB. */
interface WholeCertificate extends FunctionCertificate {
  certificate: Certificate | null;
}

/** Reads functions with their certificates, in the order of the keys, up to the first certificate that exceeds the bound. */
export async function readCertificates(
  db: Queryable,
  keys: readonly FunctionKey[],
  bytesMax: number,
): Promise<WholeCertificate[]> {
  if (keys.length === 0) return [];
  const { rows } = await db.query<WholeCertificate>({
    name: 'read-certificates',
    text: `select ${stateColumns},
        case when sum(c.bytes) over (order by key.nth) <= $5 then c.certificate end as certificate
      from ${joinedTables} order by key.nth`,
    values: [...toColumns(keys, 'network', 'packageId', 'module', 'function'), bytesMax],
  });
  const end = rows.findIndex(({ hash, certificate }) => hash !== null && certificate === null);
  return end === -1 ? rows : rows.slice(0, end);
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
