import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { Pool } from 'pg';
import { z } from 'zod';
import { createQueryBuilder } from '../../client.ts';
import { and, desc, eq, gt, isNull, or, sql } from '../../orm/drizzle.ts';
import { type Item, type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { cursorText, decodeCursor, encodeCursor, type Page, toPage } from '../page.ts';

const planColumns = readColumns(tables.agentPlans, ['owner', 'plan'], {
  grantedMs: 'grantedAt',
  endsMs: 'endsAt',
});

/** An owner's plan. Times are milliseconds since the epoch. */
type Plan = Item<typeof planColumns>;

/** Grants a plan, which replaces the owner's former one. */
export async function grantPlan(db: Pool, plan: typeof tables.agentPlans.$inferInsert): Promise<void> {
  await createQueryBuilder(db)
    .insert(tables.agentPlans)
    .values(plan)
    .onConflictDoUpdate({ target: tables.agentPlans.owner, set: plan });
}

const isActive = (now: Date) => or(isNull(tables.agentPlans.endsAt), gt(tables.agentPlans.endsAt, now));

/** Result of ending a plan or a freeze. `changed`: it is not the one that the operator meant, but a later one in its place. */
type EndResult = 'ended' | 'changed' | 'absent';

/**
 * Ends the owner's plan that is active at `now`, if it was granted at `grantedMs`; without `grantedMs`, whichever it is.
 */
export async function endPlan(
  db: Pool,
  { owner, grantedMs }: { owner: string; grantedMs?: number | undefined },
  now: Date,
): Promise<EndResult> {
  const { grantedAt } = tables.agentPlans;
  const { rowCount } = await createQueryBuilder(db)
    .update(tables.agentPlans)
    .set({ endsAt: now })
    .where(and(eq(tables.agentPlans.owner, owner), isActive(now), isAt(grantedAt, grantedMs)));
  if (rowCount === 1) return 'ended';
  return (await hasPlan(db, owner, now)) ? 'changed' : 'absent';
}

/** Condition on the time of a decision, which has whole milliseconds. Undefined: any time. */
const isAt = (column: AnyPgColumn, atMs: number | undefined) =>
  atMs === undefined ? undefined : eq(column, new Date(atMs));

export async function hasPlan(db: Pool, owner: string, now: Date): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'agent-plan',
    text: 'select from agent_plans where owner = $1 and (ends_at is null or ends_at > $2)',
    values: [owner, now],
  });
  return rowCount === 1;
}

/** Plans that are active at `now`, in the order of their owners. */
export async function listPlans(db: Pool, now: Date, limit: number): Promise<Plan[]> {
  const plans = await createQueryBuilder(db)
    .select(planColumns.selection)
    .from(tables.agentPlans)
    .where(isActive(now))
    .orderBy(sql`${tables.agentPlans.owner} collate "C"`)
    .limit(limit);
  return plans.map(planColumns.toItem);
}

const freezeColumns = readColumns(tables.agentFreezes, ['network', 'walletId', 'reason'], {
  frozenMs: 'frozenAt',
});

/**
 * A freeze: the agent signs nothing for the wallet and network. `*` stands for all of them. Times are milliseconds since
 * the epoch.
 */
type Freeze = Item<typeof freezeColumns>;

/** Adds a freeze, or replaces the reason and the time of an existing one, which keeps its digest. */
export async function freeze(db: Pool, added: typeof tables.agentFreezes.$inferInsert): Promise<void> {
  const { agentFreezes } = tables;
  const { reason, frozenAt } = added;
  const digest = sql`coalesce(excluded.digest, ${agentFreezes.digest})`;
  await createQueryBuilder(db)
    .insert(agentFreezes)
    .values(added)
    .onConflictDoUpdate({
      target: [agentFreezes.network, agentFreezes.walletId],
      set: { reason, frozenAt, digest },
    });
}

/** Ends the freeze of a scope, if it was set at `frozenMs`; without `frozenMs`, whichever it is. */
export async function unfreeze(
  db: Pool,
  { network, walletId, frozenMs }: Pick<Freeze, 'network' | 'walletId'> & { frozenMs?: number | undefined },
): Promise<EndResult> {
  const { agentFreezes } = tables;
  const inScope = and(eq(agentFreezes.network, network), eq(agentFreezes.walletId, walletId));
  const { rowCount } = await createQueryBuilder(db)
    .delete(agentFreezes)
    .where(and(inScope, isAt(agentFreezes.frozenAt, frozenMs)));
  if (rowCount === 1) return 'ended';
  return (await createQueryBuilder(db).$count(agentFreezes, inScope)) > 0 ? 'changed' : 'absent';
}

/** Lists freezes, the newest first. */
export async function listFreezes(db: Pool, limit: number): Promise<Freeze[]> {
  const freezes = await createQueryBuilder(db)
    .select(freezeColumns.selection)
    .from(tables.agentFreezes)
    .orderBy(desc(tables.agentFreezes.frozenAt))
    .limit(limit);
  return freezes.map(freezeColumns.toItem);
}

const adaptorColumns = readColumns(
  tables.agentAdaptors,
  ['network', 'serviceType', 'publisher', 'version', 'packageId', 'manifestHash'],
  { confirmedMs: 'confirmedAt' },
);

type AdaptorRow = Row<typeof adaptorColumns>;

/** An adaptor that the operator confirmed, at exactly this version. Times are milliseconds since the epoch. */
type ConfirmedAdaptor = Item<typeof adaptorColumns>;

/** Reads the adaptors that the operator confirmed among these services, by service type. */
export async function readConfirmed(
  db: Pool,
  network: string,
  serviceTypes: readonly string[],
): Promise<Map<string, ConfirmedAdaptor>> {
  const { rows } = await db.query<AdaptorRow>({
    name: 'agent-confirmed-adaptors',
    text: `select ${adaptorColumns.select('a')} from agent_adaptors a
      where a.network = $1 and a.service_type = any ($2::text[])`,
    values: [network, serviceTypes],
  });
  return new Map(rows.map((row) => [row.serviceType, adaptorColumns.toItem(row)]));
}

/** Confirms an adaptor at one version, which replaces the version confirmed before. */
export async function confirmAdaptor(
  db: Pool,
  adaptor: typeof tables.agentAdaptors.$inferInsert,
): Promise<void> {
  await createQueryBuilder(db)
    .insert(tables.agentAdaptors)
    .values(adaptor)
    .onConflictDoUpdate({
      target: [tables.agentAdaptors.network, tables.agentAdaptors.serviceType],
      set: adaptor,
    });
}

/** Returns `false` if the adaptor was not confirmed. */
export async function removeConfirmed(
  db: Pool,
  { network, serviceType }: Pick<ConfirmedAdaptor, 'network' | 'serviceType'>,
): Promise<boolean> {
  const { rowCount } = await createQueryBuilder(db)
    .delete(tables.agentAdaptors)
    .where(and(eq(tables.agentAdaptors.network, network), eq(tables.agentAdaptors.serviceType, serviceType)));
  return rowCount === 1;
}

/** Lists confirmed adaptors, by network and service type. */
export async function listConfirmed(db: Pool, limit: number): Promise<ConfirmedAdaptor[]> {
  const adaptors = await createQueryBuilder(db)
    .select(adaptorColumns.selection)
    .from(tables.agentAdaptors)
    .orderBy(tables.agentAdaptors.network, sql`${tables.agentAdaptors.serviceType} collate "C"`)
    .limit(limit);
  return adaptors.map(adaptorColumns.toItem);
}

const shownColumns = readColumns(
  tables.catalogEntries,
  ['name', 'publisher', 'packageId', 'manifestHash', 'version'],
  { updatedMs: 'updatedAt' },
);

/** A confirmed adaptor beside the catalog's entry for its service type. */
export interface Confirmation {
  confirmed: ConfirmedAdaptor;
  /** Null if the catalog shows no entry. */
  shown: Item<typeof shownColumns> | null;
}

/**
 * Reads confirmed adaptors with their current catalog entries, by network and service type.
 * @throws ProblemError `bad_cursor`
 */
export async function readConfirmations(
  db: Pool,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Page<Confirmation>> {
  const after = cursor === undefined ? ['', ''] : decodeCursor(cursor, z.tuple([cursorText, cursorText]));
  const [adaptors, entries] = [tables.agentAdaptors, tables.catalogEntries];
  const rows = await createQueryBuilder(db)
    .select({ confirmed: adaptorColumns.selection, shown: shownColumns.selection })
    .from(adaptors)
    .leftJoin(
      entries,
      and(
        eq(entries.network, adaptors.network),
        eq(entries.serviceType, adaptors.serviceType),
        entries.shown,
      ),
    )
    .where(sql`(${adaptors.network}, ${adaptors.serviceType}) > (${after[0]}, ${after[1]})`)
    .orderBy(adaptors.network, adaptors.serviceType)
    .limit(limit + 1);
  const toItem = ({ confirmed, shown }: (typeof rows)[number]): Confirmation => ({
    confirmed: adaptorColumns.toItem(confirmed),
    shown: shown && shownColumns.toItem(shown),
  });
  return toPage(rows, limit, toItem, ({ confirmed }) =>
    encodeCursor([confirmed.network, confirmed.serviceType]),
  );
}
