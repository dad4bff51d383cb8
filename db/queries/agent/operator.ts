import type { Pool } from 'pg';

/** An owner's plan. Times are milliseconds since the epoch. */
interface Plan {
  owner: string;
  plan: string;
  grantedMs: number;
  /** Null: until it is ended. */
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

/** Grants a plan in place of the one that the owner had. */
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

/** False where the owner has no plan that is active at `now`. */
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

/** Where nothing is signed; `*` stands for all. Times are milliseconds since the epoch. */
interface Freeze {
  network: string;
  walletId: string;
  reason: string;
  frozenMs: number;
}

interface FreezeRow extends Omit<Freeze, 'frozenMs'> {
  frozen_at: Date;
}

/** Freezes, or changes the reason of what is frozen. */
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

/** False where this was not frozen. */
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

/** The newest first. */
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

/** Those of the services that the operator confirmed, by service type. */
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

/** Confirms an adaptor at one version, in place of the version confirmed before. */
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

/** False where it was not confirmed. */
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

/** In the order of their networks and service types. */
export async function listConfirmed(db: Pool, limit: number): Promise<ConfirmedAdaptor[]> {
  const { rows } = await db.query<AdaptorRow>(
    `select ${columns} from agent_adaptors order by network, service_type collate "C" limit $1`,
    [limit],
  );
  return rows.map(toAdaptor);
}
