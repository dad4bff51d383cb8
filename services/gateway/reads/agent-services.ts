import { networks } from '@adaptor-marketplace/adaptor/networks';
import { z } from 'zod';
import { readAgents } from '../../../db/queries/agents.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import { cursorParameter, limitMax, limitParameter, networkParameter } from '../request/parameters.ts';
import { type ReadHost, read } from './read.ts';

export const agentServicesRequest = z.object({
  network: networkParameter,
  limit: limitParameter.meta({ description: `Most agents per page; absent: ${limitMax}.` }),
  cursor: cursorParameter,
});

const agentService = z
  .object({
    address: z.string(),
    name: z.string(),
    description: z.string(),
    skills: z.array(z.string()),
    cardUrl: z.string().optional(),
    completedJobs: z
      .int()
      .min(0)
      .meta({ description: 'Escrow jobs of which it is the provider and whose money was released to it.' }),
    releasedValue: z.string().meta({
      description:
        'Sum over those jobs in base units, whatever their coins; releasedByCoin tells them apart.',
    }),
    releasedByCoin: z
      .array(
        z.object({
          coinType: z.string().nullable().meta({ description: 'Null where the chain was not yet asked.' }),
          amount: z.string(),
          jobs: z.int().min(1),
        }),
      )
      .meta({ description: 'The 20 coins of most jobs.' }),
  })
  .meta({ id: 'AgentService' });

export const agentServicesBody = z
  .object({
    network: z.enum(networks),
    count: z.int().min(0).meta({ description: 'Agents in this answer.' }),
    services: z.array(agentService).meta({
      description: 'Those with the most completed jobs first; equal ones by name, then by address.',
    }),
    nextCursor: z.string().optional().meta({ description: 'Present where there are more.' }),
  })
  .meta({ id: 'AgentServices' });

/** `GET /api/agent-services`: the agents that list themselves. */
export function agentServices(host: ReadHost) {
  return read(host, {
    query: agentServicesRequest,
    needs: ['agentsPackageId', 'escrowPackageId'],
    async answer({ request: { limit = limitMax, cursor }, network }) {
      const page = await readAgents(host.db, { network, limit, cursor });
      const { items, cursors, hasMore } = cutPage(page);
      return {
        network,
        count: items.length,
        services: items.map(({ cardUrl, version: _version, updatedMs: _updatedMs, ...agent }) => ({
          ...agent,
          cardUrl: cardUrl ?? undefined,
        })),
        nextCursor: hasMore ? cursors.at(-1) : undefined,
      } satisfies z.infer<typeof agentServicesBody>;
    },
  });
}
