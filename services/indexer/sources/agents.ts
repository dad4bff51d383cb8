import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import { type AgentProfile, unlistAgents, upsertAgents } from '../../../db/queries/agents.ts';
import { type AgentsEvents, agentsEvents } from '../../../lib/chain/events/agents.ts';
import { type ChainEvent, type DecodedEvent, decodeForStorage, type Source } from './source.ts';

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

type Unlisting = Pick<AgentProfile, 'agent' | 'version' | 'updatedAt'>;

async function foldAgents(client: ClientBase, network: Network, events: ChainEvent<AgentsEvent>[]) {
  const profiles = new Map<string, AgentProfile>();
  /** Of agents without a profile in this batch. */
  const unlistings = new Map<string, Unlisting>();
  for (const { data, timestampMs } of events) {
    if (!data) continue;
    const { agent, version } = data.fields;
    const updatedAt = new Date(timestampMs);
    const former = profiles.get(agent);
    if (data.name !== 'registry::AgentUnlisted') {
      const { name, description, skills, cardUrl } = data.fields as Profile;
      const registeredAt = former?.registeredAt ?? updatedAt;
      const profile = { agent, name, description, skills, cardUrl, version, registeredAt, updatedAt };
      profiles.set(agent, { ...profile, listed: true });
    } else if (former) profiles.set(agent, { ...former, version, listed: false, updatedAt });
    else unlistings.set(agent, { agent, version, updatedAt });
  }
  // First: an agent that was unlisted and registered again in this batch is listed.
  await unlistAgents(client, network, [...unlistings.values()]);
  await upsertAgents(client, network, [...profiles.values()]);
}
