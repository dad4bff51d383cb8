import { boolean, index, integer, pgTable, primaryKey, sql, text } from '../orm/drizzle.ts';
import { instant } from './columns.ts';

/**
 * Names of verified publishers that are checked again and again: the domains in the profiles of their manifests, the
 * SuiNS name of each address, and the MVR name of each package.
 */
export const publisherProofs = pgTable(
  'publisher_proofs',
  {
    network: text('network').notNull(),
    publisher: text('publisher').notNull(),
    kind: text('kind').$type<'domain' | 'suins' | 'mvr'>().notNull(),
    /** The domain, in lower case, or the id of the package. Empty for a SuiNS name, which the chain names. */
    claim: text('claim').notNull(),
    /** The proven domain, the SuiNS name or the MVR name. Null if the last check found none. */
    name: text('name'),
    /** Time of the check that last found the name. Null without a name. */
    seenAt: instant('seen_at'),
    /** The reason why the last check failed. */
    lastError: text('last_error'),
    /** Failed checks since the last success. */
    checkAttempts: integer('check_attempts').notNull().default(0),
    nextCheckAt: instant('next_check_at').notNull().defaultNow(),
    /** `true` if that time has come: checks become ready in pages, so that those to come are not read with them. */
    checkReady: boolean('check_ready').notNull().default(true),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.publisher, table.kind, table.claim] }),
    index('publisher_proofs_next_checks')
      .on(table.network, table.kind, table.nextCheckAt)
      .where(sql`not check_ready`),
    // A read of due checks takes turns between the domains, and between the publishers.
    index('publisher_proofs_checks_of_claim')
      .on(table.network, table.kind, sql`least(check_attempts, 1)`, table.claim, table.publisher)
      .where(sql`check_ready`),
    index('publisher_proofs_checks_of_publisher')
      .on(table.network, table.kind, sql`least(check_attempts, 1)`, table.publisher, table.claim)
      .where(sql`check_ready`),
  ],
);

export type ProofKind = (typeof publisherProofs.$inferSelect)['kind'];
