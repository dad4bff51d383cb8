import { networks } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { readAgents } from '../../../db/queries/agents.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import {
  cursorParameter,
  id,
  limitMax,
  limitParameter,
  networkParameter,
  sui,
} from '../openapi/parameters.ts';
import { type ReadDependencies, readRoute } from './read.ts';

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
      .meta({ description: 'Escrow jobs that it provided and whose money was released to it.' }),
    releasedValue: z.string().meta({
      description: 'Sum over those jobs in base units, across all coins; see `releasedByCoin` for each coin.',
    }),
    releasedByCoin: z
      .array(
        z.object({
          coinType: z.string().nullable().meta({ description: 'Null until it is read from the chain.' }),
          amount: z.string(),
          jobs: z.int().min(1),
        }),
      )
      .meta({ description: 'The 20 coins with the most jobs.' }),
  })
  .meta({ id: 'AgentService' });

export const agentServicesBody = z
  .object({
    network: z.enum(networks),
    count: z.int().min(0).meta({ description: 'Agents in this response.' }),
    services: z.array(agentService).meta({
      description: 'Those with the most completed jobs first; equal ones by name, then by address.',
    }),
    nextCursor: z.string().optional().meta({ description: 'Present where there are more.' }),
  })
  .meta({ id: 'AgentServices' });

export const listAgentServices = readRoute({
  path: '/api/agent-services',
  query: z.object({
    network: networkParameter,
    limit: limitParameter.meta({ description: `Most agents per page; default: ${limitMax}.` }),
    cursor: cursorParameter,
  }),
  needs: ['agentsPackageId', 'escrowPackageId'],
  body: agentServicesBody,
  operation: {
    operationId: 'listAgentServices',
    summary: 'List agents for hire, with what they earned',
    description: 'The agents that list themselves in the agent registry.',
    example: {
      query: { limit: '1' },
      answer: {
        network: 'testnet',
        count: 1,
        services: [
          {
            address: id('4'),
            name: 'Contract reviewer',
            description: 'Reads Move packages and writes down what can go wrong.',
            skills: ['audit', 'move'],
            completedJobs: 2,
            releasedValue: '1000000000',
            releasedByCoin: [{ coinType: sui, amount: '1000000000', jobs: 2 }],
          },
        ],
      },
    },
  },
  async answer({ query: { limit = limitMax, cursor }, network }, { db }: ReadDependencies) {
    const { items, cursors, hasMore } = cutPage(await readAgents(db, { network, limit, cursor }));
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
