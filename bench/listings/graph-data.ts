import type { Database } from '../../db/client.ts';
import { fillCatalog, network } from './listings.ts';

/** The work of the bare server for a query: its statements and the headers of its response. */
export interface Prepared {
  statements: { name?: string; text: string; values: unknown[] }[];
  /** Names and values in turn. */
  headers: string[];
}

const entries = 100;
const versions = 12;
const owners = 200;

/** The database that the queries read: a catalog with a history, and wallets with grants and delegates. */
export async function fillGraph(db: Database): Promise<void> {
  await fillCatalog(db, entries);
  await db.pool.query(`
    insert into listing_versions (network, checkpoint, tx_index, event_index, service_type, publisher, version, listed,
        package_id, manifest_uri, manifest_hash, "timestamp")
      select network, n, tx_index, 0, service_type, publisher, n, true, package_id, manifest_uri, manifest_hash, now()
      from listing_versions cross join generate_series(2, ${versions}) n;
    insert into events (network, checkpoint, tx_index, event_index, source, tx_digest, sender, "timestamp", type, name, data,
        contents)
      select network, checkpoint, tx_index, 0, 'registry', md5(version || service_type), publisher, "timestamp",
        '0x1::registry::Updated', 'Updated',
        jsonb_build_object('serviceType', service_type, 'publisher', publisher, 'version', version), '\\x00'
      from listing_versions;
    insert into wallets (network, wallet_id, owner, identity, created_at, created_checkpoint, created_tx_index,
        created_event_index)
      select '${network}', ${id("'a'", 'o * 10 + w')}, ${id("'b'", 'o')}, ${id("'a'", 'o * 10 + w')}, now(), o, w, 0
      from generate_series(1, ${owners}) o cross join generate_series(1, 5) w;
    insert into service_grants (network, wallet_id, service_type, coin, allowance, granted_at, first_granted_at)
      select network, wallet_id, ${id("'c'", 'n')} || '::a::A', '0x2::sui::SUI', n * 1000, now(), now()
      from wallets cross join generate_series(1, 4) n;
    insert into delegates (network, wallet_id, delegate, added_at)
      select network, wallet_id, ${id("'d'", 'n')}, now() from wallets cross join generate_series(1, 3) n`);
  await db.pool.query('vacuum analyze');
}

/** An expression: 0x, a letter and a number, in 64 digits. */
const id = (letter: string, number: string) => `('0x' || ${letter} || lpad((${number})::text, 63, '0'))`;

/** The owner whose wallets are read. */
export const owner = `0xb${'7'.padStart(63, '0')}`;

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

/** The same rows for PostGraphile: views with the fields of the graph, and the relations between them. */
export const views = `
create schema bench;
create view bench.adaptor as select network, service_type, publisher, publisher_verified, version, manifest_hash, shown,
  ${ms('updated_at')} as updated_at_ms, (-actions) as by_actions, (-unique_vaults) as by_vaults, actions, unique_vaults,
  ${ms('last_action_at')} as last_action_ms, review_count,
  round(score_sum::numeric / nullif(review_count, 0), 2)::float8 as avg_score from catalog_entries;
create view bench.manifest as select hash, body->>'name' as name, body->>'category' as category,
  body->>'summary' as summary from manifests;
create view bench.version as select network, service_type, publisher, version, listed, manifest_hash,
  ${ms('"timestamp"')} as timestamp_ms, checkpoint::float8, tx_index, event_index from listing_versions;
create view bench.event as select v.network, v.service_type, v.publisher, e.tx_digest || ':' || e.event_index as event_id,
  e.name, e.sender, ${ms('e."timestamp"')} as timestamp_ms, e.data, e.checkpoint::float8, e.tx_index, e.event_index
  from listing_versions v join events e using (network, checkpoint, tx_index, event_index);
create view bench.wallet as select network, wallet_id, owner, identity, paused, ${ms('created_at')} as created_ms,
  created_checkpoint from wallets;
create view bench.service_grant as select network, wallet_id, service_type, coin, allowance::text,
  ${ms('granted_at')} as granted_ms from service_grants;
create view bench.delegate as select network, wallet_id, delegate as address, ${ms('added_at')} as added_ms from delegates;
comment on view bench.adaptor is E'@primaryKey network,service_type,publisher\\n@foreignKey (manifest_hash) references bench.manifest (hash)|@fieldName manifest';
comment on view bench.manifest is '@primaryKey hash';
comment on view bench.version is E'@primaryKey network,checkpoint,tx_index,event_index\\n@foreignKey (network,service_type,publisher) references bench.adaptor (network,service_type,publisher)|@foreignFieldName versions';
comment on view bench.event is E'@primaryKey event_id\\n@foreignKey (network,service_type,publisher) references bench.adaptor (network,service_type,publisher)|@foreignFieldName events';
comment on view bench.wallet is '@primaryKey network,wallet_id';
comment on view bench.service_grant is E'@primaryKey network,wallet_id,service_type,coin\\n@foreignKey (network,wallet_id) references bench.wallet (network,wallet_id)|@foreignFieldName grants';
comment on view bench.delegate is E'@primaryKey network,wallet_id,address\\n@foreignKey (network,wallet_id) references bench.wallet (network,wallet_id)|@foreignFieldName delegates';
`;
