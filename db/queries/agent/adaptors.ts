import type { Pool } from 'pg';

/** An adaptor that the operator confirmed, at exactly this version. */
export interface ConfirmedAdaptor {
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
