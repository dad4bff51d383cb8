import { type OpEntry, opEntriesMax } from '../../../lib/actions/op-terms.ts';
import type * as tables from '../../schema/index.ts';
import type { Queryable } from '../queryable.ts';

/** Maximum number of services whose ops are tools of one wallet: the first in the order of their types. */
export const toolServicesMax = 100;
/** Maximum number of ops that are tools of one wallet. Each service has its first op among them before any has its second. */
export const opToolsMax = opEntriesMax;

/** Stores the ops of verified manifests that become tools. */
export async function storeOpTools(
  client: Queryable,
  manifests: readonly { hash: string; ops: readonly OpEntry[] }[],
): Promise<void> {
  const rows = manifests.flatMap(({ hash, ops }) => ops.map((op) => ({ hash, ...op })));
  if (rows.length === 0) return;
  await client.query({
    name: 'store-op-tools',
    text: `insert into op_tools (manifest_hash, position, terms)
      select * from unnest($1::text[], $2::int[], $3::json[]) on conflict do nothing`,
    values: [
      rows.map(({ hash }) => hash),
      rows.map(({ position }) => position),
      rows.map(({ terms }) => JSON.stringify(terms)),
    ],
  });
}

/** The wallet whose ops are listed, and the limits of the caller. */
interface OpToolsKey {
  network: string;
  walletId: string;
  /** Address that acts for the wallet. */
  delegate: string;
  /** Services that the caller's key allows; null: all. */
  services: readonly string[] | null;
  /** `true` to leave out adaptors that the operator has not confirmed. */
  confirmedOnly: boolean;
}

/** Key of an op. The terms under one key never change. */
export interface OpToolRef {
  serviceType: string;
  /** Hash of the listed manifest. */
  hash: string;
  /** Index in `ops` of the manifest. */
  position: number;
}

interface FoundOpTools {
  /** In the order of their services and positions. */
  tools: OpToolRef[];
  /** Number of ops of these services, also those beyond `opToolsMax`. */
  ops: number;
  /** `true` if the wallet granted more services than `toolServicesMax`. */
  moreServices: boolean;
}

/** SQL for the services of a caller, one more than `toolServicesMax`. The parameters are those of `findOpTools`. */
const budgets = `select a.key from delegate_allowances a
    where a.network = $1 and a.wallet_id = $2 and a.delegate = $3 and a.kind = 'service'
      and ($4::text[] is null or a.key = any ($4))
      and exists (select from service_grants g
        where g.network = a.network and g.wallet_id = a.wallet_id and g.service_type = a.key)
    order by a.key limit ${toolServicesMax + 1}`;

/**
 * Finds the ops that an address may call for a wallet: those of shown listings whose packages stay, among the services
 * that the wallet granted and for which the address has a budget. Reads no manifest, and of each op only the key.
 */
export async function findOpTools(db: Queryable, key: OpToolsKey): Promise<FoundOpTools> {
  const { rows } = await db.query<FoundOpTools>({
    name: 'find-op-tools',
    text: `
with budgets as materialized (
  select a.key as service_type, row_number() over (order by a.key) as nth from (
    ${budgets}) a
), entries as (
  select b.nth, e.service_type, e.manifest_hash, misfits.positions
  from budgets b
  join catalog_entries e on e.network = $1 and e.service_type = b.service_type and e.shown
  cross join lateral (
    select coalesce(array_agg((misfit ->> 'index')::int), '{}') as positions
    from jsonb_array_elements(e.op_misfits) misfit where misfit ->> 'manifestHash' = e.manifest_hash) misfits
  where b.nth <= ${toolServicesMax} and (e.pending_version is null or e.pending_package_id = e.package_id)
    and (not $5 or exists (select from agent_adaptors c
      where c.network = $1 and c.service_type = e.service_type and c.manifest_hash = e.manifest_hash))
), ops as materialized (
  select e.nth, e.service_type, o.manifest_hash, o.position,
    row_number() over (partition by e.nth order by o.position) as turn
  from entries e join op_tools o on o.manifest_hash = e.manifest_hash and o.position <> all (e.positions)
), shown as (select * from ops order by turn, nth limit ${opToolsMax})
select (select count(*) from ops)::int as ops,
  (select count(*) > ${toolServicesMax} from budgets) as "moreServices",
  (select coalesce(json_agg(json_build_object('serviceType', service_type, 'hash', manifest_hash,
    'position', position) order by nth, position), '[]') from shown) as tools`,
    values: [key.network, key.walletId, key.delegate, key.services, key.confirmedOnly],
  });
  return rows[0]!;
}

/** Finds the services whose ops `findOpTools` reads, listed or not. */
export async function findToolServices(
  db: Queryable,
  { network, walletId, delegate, services }: OpToolsKey,
): Promise<string[]> {
  const { rows } = await db.query<{ key: string }>({
    name: 'find-tool-services',
    text: budgets,
    values: [network, walletId, delegate, services],
  });
  return rows.slice(0, toolServicesMax).map(({ key }) => key);
}

/** Reads the terms of ops, in their order. @throws Error if one is not stored */
export async function readOpTerms(
  db: Queryable,
  refs: readonly OpToolRef[],
): Promise<(typeof tables.opTools.$inferSelect)['terms'][]> {
  if (refs.length === 0) return [];
  const { rows } = await db.query<Pick<typeof tables.opTools.$inferSelect, 'terms'>>({
    name: 'read-op-terms',
    text: `select o.terms from unnest($1::text[], $2::int[]) with ordinality as key (hash, position, nth)
      join op_tools o on o.manifest_hash = key.hash and o.position = key.position order by key.nth`,
    values: [refs.map(({ hash }) => hash), refs.map(({ position }) => position)],
  });
  if (rows.length !== refs.length) throw new Error('the terms of a listed op are not stored');
  return rows.map(({ terms }) => terms);
}
