import { type Html, html } from '../components/html.ts';
import type { Content, PageRequest } from '../frame/page.ts';

/** Renders a page without runs. Runs are private: the owner's browser reads them once the owner has signed in. */
const locked = (
  what: string,
): Html => html`<div class="box" data-script><p>Connect the wallet that owns them, and sign in with it, to ${what}.</p><p><button type="button" data-connect>Connect</button></p></div>
  <noscript><div class="box"><p>Runs are shown to the owner of the wallet alone. Signing in needs script, for your wallet signs. Programs read them with an executor key of the wallet: <a href="/docs/agent-run#reattach-and-retry">how</a>.</p></div></noscript>`;

/** The runs of a wallet, and the form that starts one. */
export const runsPage = ({ search }: PageRequest): Content => ({
  title: 'Runs',
  description: 'What the agent of this host did for your wallet, and what it does now.',
  section: 'wallet',
  islands: ['runs'],
  main: html`<h1>Runs</h1>
    <p class="lead">The agent of this host executes actions for your wallet, within what you allowed on chain. Only you see them.</p>
    <div id="runs" class="grant" data-wallet=${search.get('wallet')} data-service=${search.get('service')}>${locked('see what ran and to run something')}</div>`,
});

export const runPage = ({ parameters }: PageRequest): Content => ({
  title: `Run ${parameters.runId}`,
  description: 'An action of an agent, step by step.',
  section: 'wallet',
  islands: ['runs'],
  main: html`<h1>Run ${parameters.runId}</h1>
    <p class="lead">An action that the agent of this host executes for a wallet, step by step.</p>
    <div id="run" class="grant" data-run=${parameters.runId}>${locked('watch it')}</div>`,
});
