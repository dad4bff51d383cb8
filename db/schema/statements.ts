import { boolean, index, integer, jsonb, pgTable, primaryKey, sql, text } from '../orm/drizzle.ts';
import { checkpointNumber, instant } from './columns.ts';

/** Attesters whose statements are shown: the operator's list, which the indexer stores when it starts. */
export const attesters = pgTable(
  'attesters',
  {
    network: text('network').notNull(),
    /** Type of the data of its statements. */
    type: text('type').notNull(),
    name: text('name').notNull(),
    /** The operator's words for what each of its statements says. */
    says: text('says').notNull(),
    /** Names of the data's fields in Move, by what is shown of them. */
    fields: jsonb('fields').$type<Record<string, string>>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.type] })],
);

/** Packages about which a statement of a type was made or revoked. Those in force are read from the node. */
export const statementReads = pgTable(
  'statement_reads',
  {
    network: text('network').notNull(),
    packageId: text('package_id').notNull(),
    type: text('type').notNull(),
    /** Checkpoint of the newest event: a node that has not reached it does not know all statements. */
    checkpoint: checkpointNumber('checkpoint').notNull(),
    /** Number of requests to read. A read that another request overtook is repeated. */
    requests: integer('requests').notNull().default(1),
    /** The reason why the last attempt failed. */
    lastError: text('last_error'),
    checkAttempts: integer('check_attempts').notNull().default(0),
    /** Null while the type is of no attester. */
    nextCheckAt: instant('next_check_at').defaultNow(),
    /** `true` if that time has come: reads become ready in pages, so that those to come are not read with them. */
    checkReady: boolean('check_ready').notNull().default(true),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.packageId, table.type] }),
    index('statement_reads_of_type').on(table.network, table.type),
    index('statement_reads_next_checks')
      .on(table.network, table.nextCheckAt)
      .where(sql`next_check_at is not null and not check_ready`),
    index('statement_reads_of_package')
      .on(table.network, sql`least(check_attempts, 1)`, table.packageId, table.type)
      .where(sql`next_check_at is not null and check_ready`),
  ],
);

/** Statements of attesters in force, as they were when they were read. */
export const packageStatements = pgTable(
  'package_statements',
  {
    network: text('network').notNull(),
    objectId: text('object_id').notNull(),
    packageId: text('package_id').notNull(),
    type: text('type').notNull(),
    /** Texts of the attester, by what is shown of them. */
    content: jsonb('content').$type<Record<string, string>>().notNull(),
    readAt: instant('read_at').notNull().default(sql`clock_timestamp()`),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.objectId] }),
    index('package_statements_of_package').on(table.network, table.packageId, table.type),
  ],
);
