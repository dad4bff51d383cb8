import type { Pool } from 'pg';
import { lockUntilCommit } from '../../lock.ts';
import { type Item, type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { inTransaction } from '../../transaction.ts';
import { decodeIdCursor, type Page, toIdPage } from '../page.ts';
import type { Queryable } from '../queryable.ts';

/** Bounds on the reports that wait for the operator. */
export const reportsMax = {
  listing: 50,
  /** Reports of one listing from one subnet. A provider gives each customer many addresses of a subnet. */
  subnetOfListing: 5,
  subnet: 20,
  /** Beyond it, a new report replaces the oldest one of the listing with the most: a flood about one listing keeps out no other. */
  all: 10_000,
};

type Refusal = 'listing' | 'subnetOfListing' | 'subnet';

interface ReportedListing {
  network: string;
  serviceType: string;
  publisher: string;
}

interface NewReport extends ReportedListing {
  category: (typeof tables.reportCategories)[number];
  words: string;
  /** Address that limits count. */
  address: string;
  /** Subnet of the address. */
  subnet: string;
}

/**
 * Stores a report. A second report of a listing from the same address replaces the first and counts as sent now. `unknown`:
 * there is no such listing. Otherwise the name of the bound that refuses it.
 */
export async function addReport(db: Pool, report: NewReport): Promise<'stored' | 'unknown' | Refusal> {
  const { network, serviceType, publisher, category, words, address, subnet } = report;
  return await inTransaction(db, async (client) => {
    await lockUntilCommit(client, 'reports');
    const { rows } = await client.query<
      Record<keyof typeof reportsMax, number> & {
        known: boolean;
        senderDigest: string;
        subnetDigest: string;
        isRepeated: boolean;
      }
    >({
      name: 'count-reports',
      text: `with s as (
          select encode(sha256(secret || convert_to($4, 'UTF8')), 'hex') as sender,
            encode(sha256(secret || convert_to($5, 'UTF8')), 'hex') as subnet from installation_secret),
        about as (select * from reports r where r.network = $1 and r.service_type = $2 and r.publisher = $3)
        select s.sender as "senderDigest", s.subnet as "subnetDigest",
          exists (select from listings l
            where l.network = $1 and l.service_type = $2 and l.publisher = $3) as known,
          exists (select from about r where r.sender = s.sender) as "isRepeated",
          (select count(*)::int from about) as listing,
          (select count(*)::int from about r where r.subnet = s.subnet) as "subnetOfListing",
          (select count(*)::int from reports r where r.subnet = s.subnet) as subnet,
          (select count(*)::int from reports) as all
        from s`,
      values: [network, serviceType, publisher, address, subnet],
    });
    const { known, senderDigest, subnetDigest, isRepeated, ...counts } = rows[0]!;
    if (!known) return 'unknown';
    if (!isRepeated) {
      for (const bound of ['listing', 'subnetOfListing', 'subnet'] as const) {
        if (counts[bound] >= reportsMax[bound]) return bound;
      }
      if (counts.all >= reportsMax.all) await makeRoom(client);
    }
    await client.query({
      name: 'add-report',
      text: `insert into reports (network, service_type, publisher, category, words, sender, subnet)
        values ($1, $2, $3, $4, $5, $6, $7)
        on conflict (sender, network, service_type, publisher) do update
          set id = default, category = excluded.category, words = excluded.words, sent_at = excluded.sent_at`,
      values: [network, serviceType, publisher, category, words, senderDigest, subnetDigest],
    });
    return 'stored';
  });
}

/** Deletes the oldest report of the listing with the most reports. */
async function makeRoom(client: Queryable): Promise<void> {
  await client.query({
    name: 'make-room-for-report',
    text: `delete from reports where id = (
      select min(id) from reports group by network, service_type, publisher order by count(*) desc, min(id) limit 1)`,
  });
}

const reportColumns = readColumns(
  tables.reports,
  ['id', 'network', 'serviceType', 'publisher', 'category', 'words'],
  { sentAtMs: 'sentAt' },
);

/** A report as the operator reads it. */
type Report = Item<typeof reportColumns>;

/**
 * Lists the reports of a network, the newest first.
 * @throws ProblemError `bad_cursor`
 */
export async function listReports(
  db: Queryable,
  { network, limit, cursor }: { network: string; limit: number; cursor?: string | undefined },
): Promise<Page<Report>> {
  const { rows } = await db.query<Row<typeof reportColumns>>({
    name: 'list-reports',
    text: `select ${reportColumns.select('r')} from reports r
      where r.network = $1 and r.id < $2::bigint
      order by r.id desc limit $3::int + 1`,
    values: [network, decodeIdCursor(cursor), limit],
  });
  return toIdPage(rows, limit, reportColumns.toItem);
}

/** Deletes the reports that the operator has read. Returns the number of deleted reports. */
export async function dismissReports(db: Queryable, ids: readonly number[]): Promise<number> {
  const { rowCount } = await db.query({
    name: 'dismiss-reports',
    text: 'delete from reports where id = any ($1::bigint[])',
    values: [ids],
  });
  return rowCount ?? 0;
}
