import type { ClientBase, Pool } from 'pg';
import type { Attester, StatementField } from '../../lib/config/attesters.ts';
import { columnTypes, type Item, type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import { inTransaction } from '../transaction.ts';
import type { DueItems } from './due.ts';
import { keyRows, type Queryable, toColumns } from './queryable.ts';
import { checkQueue, readInTurns, type Turns } from './turns.ts';
import { createWrite } from './writes.ts';

interface StatementsKey {
  packageId: string;
  /** Type of the data of the statements. */
  type: string;
}

interface StatementsRequest extends StatementsKey {
  checkpoint: number;
}

const again = `requests = r.requests + 1, check_attempts = 0, next_check_at = now(), check_ready = true`;

/** Requests reads of the statements about packages, at most one for each key. */
export const requestStatements = createWrite<StatementsRequest>(
  'request-statements',
  `insert into statement_reads as r (network, package_id, type, checkpoint)
    select $1, c.* from unnest($2::text[], $3::text[], $4::bigint[]) as c (package_id, type, checkpoint)
    on conflict (network, package_id, type) do update
      set checkpoint = greatest(r.checkpoint, excluded.checkpoint), ${again}`,
  ['packageId', 'type', 'checkpoint'],
);

/**
 * Stores the attesters of a network in place of the former ones. Statements of others are deleted, and those of new and of
 * changed ones read again.
 */
export async function storeAttesters(
  pool: Pool,
  network: string,
  attesters: readonly Attester[],
): Promise<void> {
  await inTransaction(pool, async (client) => {
    // Two processes that start at once store one list after the other.
    await client.query('lock table attesters in share row exclusive mode');
    const types = attesters.map(({ type }) => type);
    for (const table of ['package_statements', 'attesters']) {
      await client.query(`delete from ${table} where network = $1 and type <> all ($2::text[])`, [
        network,
        types,
      ]);
    }
    await client.query(
      `with changed as (
        insert into attesters as a (network, type, name, says, fields)
        select $1, c.* from jsonb_to_recordset($2) as c (type text, name text, says text, fields jsonb)
        on conflict (network, type) do update set name = excluded.name, says = excluded.says, fields = excluded.fields
          where (a.name, a.says, a.fields) is distinct from (excluded.name, excluded.says, excluded.fields)
        returning type)
      update statement_reads r set ${again} from changed where r.network = $1 and r.type = changed.type`,
      [network, JSON.stringify(attesters)],
    );
  });
}

const readsColumns = readColumns(tables.statementReads, ['packageId', 'type', 'checkpoint', 'requests']);

/** A due read of the statements of one type about a package. */
export interface StatementRead extends Row<typeof readsColumns> {
  /** Attempts, this one included. */
  attempts: number;
  /** The attester's fields; null if the type is of none. */
  fields: Partial<Record<StatementField, string>> | null;
}

const selectRead = `${readsColumns.select('q')}, q.check_attempts + 1 as attempts,
  (select a.fields from attesters a where a.network = q.network and a.type = q.type) as fields`;

/** Reads the due reads. A package with statements of many types delays no other. */
export async function readDueStatementReads(
  db: Queryable,
  read: { network: string; limit: number; turns: Turns },
): Promise<DueItems<StatementRead>> {
  return await readInTurns<StatementRead>(db, read, {
    name: 'due-statement-reads',
    table: 'statement_reads',
    ...checkQueue,
    groups: [{ group: 'package_id', order: 'type' }],
    select: selectRead,
  });
}

/** Reads a due read in its current state; undefined if it is no longer due. */
export async function readDueStatementRead(
  db: Queryable,
  network: string,
  { packageId, type }: StatementsKey,
): Promise<StatementRead | undefined> {
  const { rows } = await db.query<StatementRead>({
    name: 'due-statement-read',
    text: `select ${selectRead} from statement_reads q
      where q.network = $1 and q.package_id = $2 and q.type = $3 and q.next_check_at <= now()`,
    values: [network, packageId, type],
  });
  return rows[0];
}

/** A statement in force, as it was read from its object. */
export interface FoundStatement {
  objectId: string;
  content: Partial<Record<StatementField, string>>;
}

/** Result of a read: the statements in force, or the reason why they stay as they were, and the time until the next. */
export type StatementReadOutcome =
  | { found: readonly FoundStatement[]; reason: null; nextAfterSeconds: number | null }
  | { found: undefined; reason: string; nextAfterSeconds: number };

/**
 * Stores the result of a read in place of the last one. It stores nothing if another read was requested meanwhile, which is
 * then due.
 */
export async function recordStatements(
  pool: Pool,
  network: string,
  read: StatementRead,
  { found, reason, nextAfterSeconds }: StatementReadOutcome,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rowCount } = await client.query({
      name: 'record-statement-read',
      text: `update statement_reads r set last_error = $5, check_attempts = case when $5::text is null then 0 else $6::int end,
          next_check_at = now() + make_interval(secs => $7::float8), check_ready = false
        where r.network = $1 and r.package_id = $2 and r.type = $3 and r.requests = $4`,
      values: [network, read.packageId, read.type, read.requests, reason, read.attempts, nextAfterSeconds],
    });
    if (rowCount === 1 && found) await replaceStatements(client, network, read, found);
  });
}

async function replaceStatements(
  client: ClientBase,
  network: string,
  { packageId, type }: StatementRead,
  found: readonly FoundStatement[],
): Promise<void> {
  await client.query({
    name: 'replace-statements',
    text: `with gone as (
        delete from package_statements s where s.network = $1 and s.package_id = $2 and s.type = $3
          and s.object_id <> all ($4::text[]))
      insert into package_statements as s (network, object_id, package_id, type, content)
      select $1, c.object_id, $2, $3, c.content::jsonb from unnest($4::text[], $5::text[]) as c (object_id, content)
      on conflict (network, object_id) do update set content = excluded.content, read_at = clock_timestamp()`,
    values: [
      network,
      packageId,
      type,
      found.map(({ objectId }) => objectId),
      found.map(({ content }) => JSON.stringify(content)),
    ],
  });
}

const statementColumns = readColumns(tables.packageStatements, ['objectId', 'type', 'content'], {
  readAtMs: 'readAt',
});

/** A statement in force of an attester of the operator's list. */
export interface Statement
  extends Omit<Item<typeof statementColumns>, 'content'>,
    Record<StatementField, string | null> {
  /** Name of the attester. */
  attester: string;
  /** The operator's words for what the attester's statements say. */
  says: string;
}

type StatementRow = Row<typeof statementColumns> & Pick<Statement, 'attester' | 'says'>;

/** Maximum number of statements of a package in an answer. */
export const statementsMax = 50;

const keys = keyRows(columnTypes(tables.packageStatements, 'network', 'packageId'));

/** Reads the statements about each package, by attester and then the newest first, in the order of the keys. */
export async function readStatements(
  db: Queryable,
  packages: readonly { network: string; packageId: string }[],
): Promise<Statement[][]> {
  const { rows } = await db.query<StatementRow & { nth: number }>({
    name: 'package-statements',
    text: `select key.nth::int, one.* from ${keys} cross join lateral (
        select ${statementColumns.select('s')}, a.name as attester, a.says
        from package_statements s join attesters a using (network, type)
        where s.network = key.network and s.package_id = key.package_id
        order by a.name, s.type, s.read_at desc, s.object_id limit ${statementsMax}) one
      order by key.nth, one.attester, one.type, one."readAtMs" desc, one."objectId"`,
    values: toColumns(packages, 'network', 'packageId'),
  });
  const answers: Statement[][] = packages.map(() => []);
  for (const row of rows) answers[row.nth - 1]!.push(toStatement(row));
  return answers;
}

function toStatement(row: StatementRow): Statement {
  const { content, ...statement } = statementColumns.toItem(row);
  return {
    ...statement,
    attester: row.attester,
    says: row.says,
    summary: null,
    repository: null,
    commit: null,
    path: null,
    sourceHash: null,
    report: null,
    issuer: null,
    ...content,
  };
}
