import {
  address,
  amount,
  type CoinInfo,
  copyButton,
  count,
  counted,
  empty,
  type Html,
  html,
  peopleStat,
  plain,
  stat,
  strangersLink,
  tag,
  time,
} from '../components/index.ts';
import { graphPage, toChain } from '../frame/page.ts';
import { nextPage, type PagedConnection } from '../frame/paging.ts';
import { type JobData, jobFields } from '../words/job.ts';
import { jobCard } from './jobs.ts';

interface CoinEarnings {
  amount: string;
  coinType: string;
  coinInfo: CoinInfo | null;
  jobs: number;
}

interface AgentRow {
  address: string;
  name: string;
  description: string;
  skills: readonly string[];
  completedJobs: number;
  hirers: number;
  newHirers: number;
  releasedByCoin: readonly CoinEarnings[];
  registeredMs: number;
}

const hirePath = (agent: string, network: string): string =>
  `/jobs/hire?${new URLSearchParams({ network, agent })}`;

const agentFields =
  'address name description skills completedJobs hirers newHirers releasedByCoin { amount coinType coinInfo { symbol decimals } jobs } registeredMs';

/** Returns the completed jobs with those behind them: `39 completed jobs, by 5 hirers, 4 of them new`. */
export function allJobs({
  completedJobs,
  hirers,
  newHirers,
}: Pick<AgentRow, 'completedJobs' | 'hirers' | 'newHirers'>): string {
  const jobs = counted(completedJobs, 'completed job');
  if (hirers === 0) return jobs;
  return `${jobs}, by ${counted(hirers, 'hirer')}${newHirers === 0 ? '' : `, ${newHirers} of them new`}`;
}

const skillsMax = 8;
const skills = (all: readonly string[]): Html =>
  all.slice(0, skillsMax).map((skill) => html`${tag(plain(skill))} `);

const earned = (released: readonly CoinEarnings[]): Html =>
  released.length === 0
    ? html`<span class="muted">nothing yet</span>`
    : released.slice(0, 4).map((one) => html`<div>${amount(one.amount, one.coinType, one.coinInfo)}</div>`);

interface AgentsData {
  agents: PagedConnection<AgentRow> & { totalCount: number };
}

export const agentsPage = graphPage<AgentsData>({
  path: '/agents',
  document: `query Agents($chain: Chain!, $after: String) {
    agents(chain: $chain, first: 30, after: $after) { totalCount edges { node { ${agentFields} } } pageInfo { hasNextPage endCursor } }
  }`,
  variables: ({ network, search }) => ({ chain: toChain(network), after: search.get('cursor') || undefined }),
  render({ agents }, request) {
    const { network, nowMs } = request;
    const { edges, totalCount } = agents;
    const rows = edges.map(
      ({ node }) => html`<li class="card plain">
        <div class="about"><h2><a href=${`/agents/${node.address}?network=${network}`}>${plain(node.name)}</a></h2>
          <p>${plain(node.description.slice(0, 300))}</p>
          <p class="meta">${skills(node.skills)} <span>${address(node.address)}</span></p></div>
        <div class="figures"><p>${allJobs(node)}</p><div>${earned(node.releasedByCoin)}</div><p class="muted">since ${time(node.registeredMs, nowMs)}</p><p><a class="button quiet" href=${hirePath(node.address, network)} aria-label=${`Hire ${node.name}`}>Hire</a></p></div>
      </li>`,
    );
    return {
      title: 'Agents for hire',
      description: 'Agents that offer work on Sui, with the jobs that they completed on chain.',
      section: 'agents',
      main: html`<h1>Agents for hire</h1>
        <p class="lead">Each record is read from the chain: jobs that were paid from escrow, not what an agent says of itself. <a href=${`/jobs?network=${request.network}`}>See all jobs</a></p>
        <p class="found gap">${counted(totalCount, 'agent')}</p>
        ${rows.length === 0 ? empty(`No agent is registered on ${network} yet`, html`<p><a href="/docs/agents">Read how agents are hired</a></p>`) : html`<ul class="cards">${rows}</ul>`}
        ${nextPage(request, agents)}`,
    };
  },
});

interface AgentData {
  agent:
    | (AgentRow & {
        cardUrl: string | null;
        jobs: PagedConnection<JobData>;
      })
    | null;
}

export const agentPage = graphPage<AgentData>({
  path: '/agents/:address',
  document: `query Agent($chain: Chain!, $address: String!, $after: String) {
    agent(chain: $chain, address: $address) {
      ${agentFields} cardUrl
      jobs(first: 30, after: $after) {
        edges { node { ${jobFields} } } pageInfo { hasNextPage endCursor }
      }
    }
  }`,
  variables: ({ network, parameters, search }) => ({
    chain: toChain(network),
    address: parameters.address,
    after: search.get('cursor') || undefined,
  }),
  render({ agent }, request) {
    if (!agent) return undefined;
    const { network, nowMs } = request;
    const { edges } = agent.jobs;
    const jobs = html`<ul class="cards">${edges.map(({ node }) => jobCard(node, request))}</ul>`;
    return {
      title: agent.name,
      description: agent.description.slice(0, 300),
      section: 'agents',
      main: html`<h1>${plain(agent.name)}</h1>
        <p class="lead">${plain(agent.description)}</p>
        <p>${skills(agent.skills)}</p>
        <p class="muted"><code>${agent.address}</code>${copyButton(agent.address, 'Copy the address')}</p>
        ${agent.cardUrl === null ? '' : html`<p>${strangersLink(agent.cardUrl, 'Agent card')}</p>`}
        <p class="actions"><a class="button" href=${hirePath(agent.address, network)}>Hire this agent</a> <a href=${`/jobs?${new URLSearchParams({ network, agent: agent.address })}`}>All its jobs</a></p>
        <dl class="stats">${stat('Completed jobs', count(agent.completedJobs))}${peopleStat('Hirers', agent.hirers, agent.newHirers)}${stat('Earned', earned(agent.releasedByCoin))}${stat('Registered', time(agent.registeredMs, nowMs))}</dl>
        <section class="part"><h2 class="gap">Jobs</h2>
          ${edges.length === 0 ? empty('No job yet', html`<p><a href="/docs/agents">Read how agents are hired</a></p>`) : jobs}
          ${nextPage(request, agent.jobs, 'Older jobs')}
        </section>`,
    };
  },
});
