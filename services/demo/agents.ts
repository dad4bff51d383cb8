import { type AgentProfile, register, unlist, update } from '@adaptor-marketplace/adaptor/calls/agents';
import { execute } from '@adaptor-marketplace/localnet/account';
import type { Cast } from './cast.ts';
import type { Core } from './core.ts';

/** Three agents describe themselves: one anew with another skill, one no more. */
export async function registerAgents({ agent, scout, provider }: Cast, { agents }: Core): Promise<void> {
  const treasurer: AgentProfile = {
    name: 'Treasurer',
    description: 'Keeps idle coins at work and pays what is due.',
    skills: ['swap', 'savings'],
    cardUrl: 'https://agents.example/treasurer.json',
  };
  const reviewer: AgentProfile = {
    name: 'Contract reviewer',
    description: 'Reads Move packages and writes down what can go wrong.',
    skills: ['audit', 'move'],
    cardUrl: null,
  };
  const courier: AgentProfile = { name: 'Courier', description: '', skills: [], cardUrl: null };
  await Promise.all([
    execute(agent, (tx) => register(tx, agents, treasurer)),
    execute(scout, (tx) => register(tx, agents, courier)),
    execute(provider, (tx) => register(tx, agents, reviewer)),
    execute(agent, (tx) => update(tx, agents, { ...treasurer, skills: [...treasurer.skills, 'vault'] })),
    execute(scout, (tx) => unlist(tx, agents)),
  ]);
}
