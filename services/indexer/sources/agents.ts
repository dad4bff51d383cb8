import { type AgentProfile, unlistAgents, upsertAgents } from '../../../db/queries/agents.ts';
import { rankAgents } from '../../../db/queries/catalog/ranks.ts';
import { lockCatalog } from '../../../db/queries/catalog/revision.ts';
import { type AgentsEvents, agentsEvents } from '../../../lib/chain/events/agents.ts';
import { type Append, type DecodedEvent, decodeForStorage, type Source } from './source.ts';

type AgentsEvent = DecodedEvent<AgentsEvents>;

/** Agents, as they describe themselves. */
export const agentsSource: Source<AgentsEvent> = {
  name: 'agents',

  packages: ({ agentsPackageId: packageId }) =>
    packageId === undefined
      ? []
      : [{ packageId, setting: 'AGENTS_PACKAGE_ID', modules: agentsEvents.modules }],

  decode: (path, contents) => decodeForStorage(agentsEvents, path, contents),

  append: (client, network, events) => foldAgents(client, network, events),
};

type Unlisting = Pick<AgentProfile, 'agent' | 'version' | 'updatedAt'>;

const foldAgents: Append<AgentsEvent> = async (client, network, events) => {
  const profiles = new Map<string, AgentProfile>();
  /** Unlistings of agents without a profile in this batch. */
  const unlistings = new Map<string, Unlisting>();
  for (const { data, timestampMs } of events) {
    if (!data) continue;
    const { agent, version } = data.fields;
    const updatedAt = new Date(timestampMs);
    const former = profiles.get(agent);
    if (data.name !== 'registry::AgentUnlisted') {
      const { name, description, skills, cardUrl } = data.fields;
      const registeredAt = former?.registeredAt ?? updatedAt;
      const profile = { agent, name, description, skills, cardUrl, version, registeredAt, updatedAt };
      profiles.set(agent, { ...profile, listed: true });
    } else if (former) profiles.set(agent, { ...former, version, listed: false, updatedAt });
    else unlistings.set(agent, { agent, version, updatedAt });
  }
  const catalog = await lockCatalog(client, network);
  // Unlistings come first: an agent that was unlisted and registered again in this batch is listed.
  await unlistAgents(client, network, [...unlistings.values()]);
  await upsertAgents(client, network, [...profiles.values()]);
  await rankAgents(client, catalog, [...profiles.keys()]);
};
