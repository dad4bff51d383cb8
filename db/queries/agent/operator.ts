import type { Pool } from 'pg';
import { z } from 'zod';
import { cursorText, decodeCursor, encodeCursor, type Page, toPage } from '../page.ts';

/** An owner's plan. Times are milliseconds since the epoch. */
interface Plan {
  owner: string;
  plan: string;
  grantedMs: number;
  /** Null: no end date. */
  endsMs: number | null;
}

interface PlanRow {
  owner: string;
  plan: string;
  granted_at: Date;
  ends_at: Date | null;
}

const toPlan = ({ granted_at, ends_at, ...row }: PlanRow): Plan => ({
  ...row,
  grantedMs: granted_at.getTime(),
  endsMs: ends_at?.getTime() ?? null,
});

/** Grants a plan, which replaces the owner's former one. */
export async function grantPlan(
  db: Pool,
  { owner, plan, grantedAt, endsAt }: { owner: string; plan: string; grantedAt: Date; endsAt: Date | null },
): Promise<void> {
  await db.query(
    `insert into agent_plans (owner, plan, granted_at, ends_at) values ($1, $2, $3, $4)
      on conflict (owner) do update
      set plan = excluded.plan, granted_at = excluded.granted_at, ends_at = excluded.ends_at`,
    [owner, plan, grantedAt, endsAt],
  );
}

/** Ends the owner's plan. Returns `false` if the owner has no plan that is active at `now`. */
export async function endPlan(db: Pool, owner: string, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'update agent_plans set ends_at = $2 where owner = $1 and (ends_at is null or ends_at > $2)',
    [owner, now],
  );
  return rowCount === 1;
}

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
  const { rows } = await db.query<PlanRow>(
    `select owner, plan, granted_at, ends_at from agent_plans where ends_at is null or ends_at > $1
      order by owner collate "C" limit $2`,
    [now, limit],
  );
  return rows.map(toPlan);
}

/**
 * A wallet, a network or everything for which nothing is signed; `*` stands for all. Times are milliseconds since the
 * epoch.
 */
interface Freeze {
  network: string;
  walletId: string;
  reason: string;
  frozenMs: number;
}

interface FreezeRow extends Omit<Freeze, 'frozenMs'> {
  frozen_at: Date;
}

/** Adds a freeze, or changes the reason of an existing one. */
export async function freeze(
  db: Pool,
  { network, walletId, reason, frozenAt }: Omit<Freeze, 'frozenMs'> & { frozenAt: Date },
): Promise<void> {
  await db.query(
    `insert into agent_freezes (network, wallet_id, reason, frozen_at) values ($1, $2, $3, $4)
      on conflict (network, wallet_id) do update set reason = excluded.reason`,
    [network, walletId, reason, frozenAt],
  );
}

/** Returns `false` if there was no such freeze. */
export async function unfreeze(
  db: Pool,
  { network, walletId }: Pick<Freeze, 'network' | 'walletId'>,
): Promise<boolean> {
  const { rowCount } = await db.query('delete from agent_freezes where network = $1 and wallet_id = $2', [
    network,
    walletId,
  ]);
  return rowCount === 1;
}

/** Lists freezes, the newest first. */
export async function listFreezes(db: Pool, limit: number): Promise<Freeze[]> {
  const { rows } = await db.query<FreezeRow>(
    `select network, wallet_id as "walletId", reason, frozen_at from agent_freezes
      order by frozen_at desc limit $1`,
    [limit],
  );
  return rows.map(({ frozen_at, ...row }) => ({ ...row, frozenMs: frozen_at.getTime() }));
}

/** An adaptor that the operator confirmed, at exactly this version. */
interface ConfirmedAdaptor {
  network: string;
  serviceType: string;
  publisher: string;
  packageId: string;
  /** Lower-case hex. */
  manifestHash: string;
  /** Milliseconds since the epoch. */
  confirmedMs: number;
}

interface AdaptorRow extends Omit<ConfirmedAdaptor, 'confirmedMs'> {
  confirmed_at: Date;
}

const columns = `network, service_type as "serviceType", publisher, package_id as "packageId",
  manifest_hash as "manifestHash", confirmed_at`;
const toAdaptor = ({ confirmed_at, ...row }: AdaptorRow): ConfirmedAdaptor => ({
  ...row,
  confirmedMs: confirmed_at.getTime(),
});

/** Reads the adaptors that the operator confirmed among these services, by service type. */
export async function readConfirmed(
  db: Pool,
  network: string,
  serviceTypes: readonly string[],
): Promise<Map<string, ConfirmedAdaptor>> {
  const { rows } = await db.query<AdaptorRow>({
    name: 'agent-confirmed-adaptors',
    text: `select ${columns} from agent_adaptors where network = $1 and service_type = any ($2::text[])`,
    values: [network, serviceTypes],
  });
  return new Map(rows.map((row) => [row.serviceType, toAdaptor(row)]));
}

/** Confirms an adaptor at one version, which replaces the version confirmed before. */
export async function confirmAdaptor(
  db: Pool,
  adaptor: Omit<ConfirmedAdaptor, 'confirmedMs'> & { confirmedAt: Date },
): Promise<void> {
  const { network, serviceType, publisher, packageId, manifestHash, confirmedAt } = adaptor;
  await db.query(
    `insert into agent_adaptors (network, service_type, publisher, package_id, manifest_hash, confirmed_at)
      values ($1, $2, $3, $4, $5, $6)
      on conflict (network, service_type) do update set publisher = excluded.publisher,
        package_id = excluded.package_id, manifest_hash = excluded.manifest_hash, confirmed_at = excluded.confirmed_at`,
    [network, serviceType, publisher, packageId, manifestHash, confirmedAt],
  );
}

/** Returns `false` if the adaptor was not confirmed. */
export async function removeConfirmed(
  db: Pool,
  { network, serviceType }: Pick<ConfirmedAdaptor, 'network' | 'serviceType'>,
): Promise<boolean> {
  const { rowCount } = await db.query('delete from agent_adaptors where network = $1 and service_type = $2', [
    network,
    serviceType,
  ]);
  return rowCount === 1;
}

/** Lists confirmed adaptors, by network and service type. */
export async function listConfirmed(db: Pool, limit: number): Promise<ConfirmedAdaptor[]> {
  const { rows } = await db.query<AdaptorRow>(
    `select ${columns} from agent_adaptors order by network, service_type collate "C" limit $1`,
    [limit],
  );
  return rows.map(toAdaptor);
}

/** A confirmed adaptor beside the catalog's entry for its service type. */
export interface Confirmation {
  confirmed: ConfirmedAdaptor;
  /** Null if the catalog shows no entry. */
  shown: {
    name: string;
    publisher: string;
    packageId: string;
    manifestHash: string;
    version: number;
    updatedMs: number;
  } | null;
  /** The two manifests if they differ and the index has both, else null. */
  manifests: { before: object; after: object } | null;
}

interface ConfirmationRow extends AdaptorRow {
  name: string | null;
  shown_publisher: string;
  shown_package: string;
  shown_hash: string;
  version: number;
  updated_at: Date;
  before: object | null;
  after: object | null;
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
  const { rows } = await db.query<ConfirmationRow>({
    name: 'agent-confirmations',
    text: `select a.network, a.service_type as "serviceType", a.publisher, a.package_id as "packageId",
        a.manifest_hash as "manifestHash", a.confirmed_at, e.name, e.publisher as shown_publisher,
        e.package_id as shown_package, e.manifest_hash as shown_hash, e.version, e.updated_at,
        was.body as before, is_now.body as after
      from agent_adaptors a
      left join catalog_entries e on e.network = a.network and e.service_type = a.service_type and e.shown
      left join manifests was on was.hash = a.manifest_hash and e.manifest_hash <> a.manifest_hash
      left join manifests is_now on is_now.hash = e.manifest_hash and e.manifest_hash <> a.manifest_hash
      where (a.network, a.service_type) > ($1, $2)
      order by a.network, a.service_type limit $3::int + 1`,
    values: [...after, limit],
  });
  return toPage(rows, limit, toConfirmation, (row) => encodeCursor([row.network, row.serviceType]));
}

function toConfirmation({ before, after, ...row }: ConfirmationRow): Confirmation {
  const { name, shown_publisher, shown_package, shown_hash, version, updated_at, ...confirmed } = row;
  return {
    confirmed: toAdaptor(confirmed),
    shown:
      name === null
        ? null
        : {
            ...{ name, publisher: shown_publisher, packageId: shown_package },
            ...{ manifestHash: shown_hash, version, updatedMs: updated_at.getTime() },
          },
    manifests: before && after && { before, after },
  };
}
