import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import { type AgentsEvents, agentsEvents } from '../../../lib/chain/events/agents.ts';
import type { ChainEvent, Source } from './source.ts';
import { type DecodedEvent, decodeForStorage } from './storable.ts';

type AgentsEvent = DecodedEvent<AgentsEvents>;
type Profile = AgentsEvents['registry::AgentRegistered'];

/** Agents, as they describe themselves. */
export const agentsSource: Source<AgentsEvent> = {
  name: 'agents',

  packages: ({ agentsPackageId: packageId }) =>
    packageId === undefined ? [] : [{ packageId, setting: 'AGENTS_PACKAGE_ID', modules: ['registry'] }],

  decode: (path, contents) => decodeForStorage(agentsEvents, path, contents),

  append: foldAgents,

  async settle() {
    return false;
  },
};

/** What a batch does to an agent. */
interface Change {
  /** The last profile; undefined where the agent only unlisted itself. */
  profile?: Profile;
  registeredAt?: Date;
  version: number;
  listed: boolean;
  updatedAt: Date;
}

async function foldAgents(client: ClientBase, network: Network, events: ChainEvent<AgentsEvent>[]) {
  const changes = new Map<string, Change>();
  for (const { data, timestampMs } of events) {
    if (!data) continue;
    const { agent, version } = data.fields;
    const at = new Date(timestampMs);
    const former = changes.get(agent);
    const listed = data.name !== 'registry::AgentUnlisted';
    const profile = listed ? (data.fields as Profile) : former?.profile;
    const known = profile && { profile, registeredAt: former?.registeredAt ?? at };
    changes.set(agent, { ...known, version, listed, updatedAt: at });
  }
  const all = [...changes];
  await upsert(
    client,
    network,
    all.filter(([, { profile }]) => profile),
  );
  await unlist(
    client,
    network,
    all.filter(([, { profile }]) => !profile),
  );
}

async function upsert(client: ClientBase, network: Network, rows: [string, Change][]): Promise<void> {
  if (rows.length === 0) return;
  const profiles = rows.map(([, { profile }]) => profile!);
  await client.query({
    name: 'upsert-agents',
    // Arrays of arrays are one rectangle to PostgreSQL, so the skills come as JSON.
    text: `insert into agents (network, agent, name, description, skills, card_url, version, listed,
        registered_at, updated_at)
      select $1, c.agent, c.name, c.description,
        array(select jsonb_array_elements_text(c.skills)), c.card_url, c.version, c.listed, c.registered_at,
        c.updated_at
      from unnest($2::text[], $3::text[], $4::text[], $5::jsonb[], $6::text[], $7::int[], $8::boolean[],
        $9::timestamptz[], $10::timestamptz[]) as c (agent, name, description, skills, card_url, version,
        listed, registered_at, updated_at)
      on conflict (network, agent) do update set name = excluded.name, description = excluded.description,
        skills = excluded.skills, card_url = excluded.card_url, version = excluded.version,
        listed = excluded.listed, updated_at = excluded.updated_at`,
    values: [
      network,
      rows.map(([agent]) => agent),
      profiles.map(({ name }) => name),
      profiles.map(({ description }) => description),
      profiles.map(({ skills }) => JSON.stringify(skills)),
      profiles.map(({ cardUrl }) => cardUrl),
      rows.map(([, { version }]) => version),
      rows.map(([, { listed }]) => listed),
      rows.map(([, { registeredAt }]) => registeredAt),
      rows.map(([, { updatedAt }]) => updatedAt),
    ],
  });
}

async function unlist(client: ClientBase, network: Network, rows: [string, Change][]): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: 'unlist-agents',
    text: `update agents a set listed = false, version = c.version, updated_at = c.updated_at
      from unnest($2::text[], $3::int[], $4::timestamptz[]) as c (agent, version, updated_at)
      where a.network = $1 and a.agent = c.agent`,
    values: [
      network,
      rows.map(([agent]) => agent),
      rows.map(([, { version }]) => version),
      rows.map(([, { updatedAt }]) => updatedAt),
    ],
  });
}
