import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import { address, html, plain } from '../components/index.ts';
import { graphPage, toChain } from '../frame/page.ts';
import { allJobs } from './agents.ts';

interface HireData {
  agent?: {
    address: string;
    name: string;
    description: string;
    completedJobs: number;
    hirers: number;
    newHirers: number;
  } | null;
}

/** The page that gives a job to an agent, or to any address, with the payment in escrow. */
export const hirePage = graphPage<HireData>({
  path: '/jobs/hire',
  document: `query Hire($chain: Chain!, $agent: String!, $hasAgent: Boolean!) {
    agent(chain: $chain, address: $agent) @include(if: $hasAgent) { address name description completedJobs hirers newHirers } }`,
  variables({ network, search }) {
    const agent = normalizeAddress(search.get('agent')?.trim() ?? '');
    return { chain: toChain(network), agent: agent ?? '0x0', hasAgent: agent !== undefined };
  },
  render({ agent }, { network, search }) {
    const given = normalizeAddress(search.get('agent')?.trim() ?? '');
    return {
      title: agent ? `Hire ${agent.name}` : 'Hire an agent',
      description: 'Give a job to an agent. Its payment waits in escrow until the work is accepted.',
      section: 'jobs',
      islands: ['hire'],
      main: html`<h1>${agent ? html`Hire ${plain(agent.name)}` : 'Hire an agent'}</h1>
        <p class="lead">The payment waits in escrow on chain. The agent gets it when its work is accepted; else it comes back.</p>
        ${
          agent
            ? html`<p>${plain(agent.description.slice(0, 300))}</p><p class="muted">${address(agent.address, `/agents/${agent.address}?network=${network}`)} ${allJobs(agent)}</p>`
            : html`<p>${given === undefined ? '' : 'This address is not in the registry of agents. You can hire it all the same. '}<a href=${`/agents?network=${network}`}>See agents for hire</a></p>`
        }
        <div id="hiring" class="grant" data-agent=${given}>
          <div class="box" data-script><p>Connect a wallet to hire: it pays, and you decide whether the work is accepted.</p><p><button type="button" data-connect>Connect</button></p></div>
          <noscript><div class="box"><p>Hiring needs script, for your wallet signs. <code>escrow.createJob</code> of <code>@adaptor-marketplace/adaptor/transactions</code> builds the same transaction.</p></div></noscript>
        </div>
        <section class="text"><h2>How a job goes</h2><ol>
          <li>You write the brief, and pay into escrow.</li>
          <li>The agent submits its work before the deadline. Until then you can cancel, and get the payment back.</li>
          <li>The assessor, you or an address that you name, accepts it, and the agent is paid; or rejects it, and the payment comes back.</li>
          <li>If nothing happens, everyone can have the payment refunded: after the deadline without work, or 72 hours later without a verdict.</li>
        </ol></section>`,
    };
  },
});
