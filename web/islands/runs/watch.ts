import type { AgentRun } from '@adaptor-marketplace/sdk';
import { render } from 'preact';
import {
  address,
  amount,
  type CoinInfo,
  decimal,
  type Html,
  html,
  notice,
  time,
} from '../../components/index.ts';
import { runsPath } from '../../components/links.ts';
import { ActionFailedError, createSigningAttempts, getAccount, waitForConnection } from '../signing/index.ts';
import { loadCoinInfos } from '../wallet/balances.ts';
import { followRun, type StreamedRun } from './follow-run.ts';
import { runBadge, stepList } from './run-words.ts';
import { askAgent, isSignedIn, signInBox, streamAgent } from './session.ts';

/** Shows a run step by step while it runs. */

const container = document.querySelector<HTMLElement>('#run')!;
const { run: runId = '' } = container.dataset;
const attempts = createSigningAttempts(show);

let run: StreamedRun | undefined;
let infos = new Map<string, CoinInfo | null>();
/** Ends what follows the run for an earlier account. */
let following = new AbortController();

async function watch(): Promise<void> {
  following.abort();
  following = new AbortController();
  await followRun(
    {
      async read() {
        const next = await askAgent<AgentRun>(`runs/${runId}`);
        infos = await loadCoinInfos(next.reserved.map(({ coinType }) => coinType));
        return next;
      },
      async stream(from, signal) {
        const answer = await streamAgent(`runs/${runId}/stream?from=${from}`, { signal });
        if (answer.ok && answer.body) return answer.body;
        throw new ActionFailedError('The run cannot be followed', 'Reload the page.');
      },
      show(next) {
        run = next;
        show();
      },
    },
    following.signal,
  );
}

const endings: Partial<Record<AgentRun['state'], (run: StreamedRun) => Html>> = {
  done: () => notice('good', 'Done', html`<p>The chain executed it, within what you allowed.</p>`),
  failed: ({ steps, code: reason }) =>
    notice(
      'danger',
      'It failed',
      html`<p>${steps.findLast(({ status }) => status === 'error')?.detail ?? 'Nothing left the wallet.'}</p>
        ${reason === null ? '' : html`<p><a href=${`/docs/agent-run#from-request-to-receipt`}>What <code>${reason}</code> means, and what to do</a></p>`}`,
    ),
  unknown: () =>
    notice(
      'caution',
      'It may have executed',
      html`<p>It was signed and sent, and no node can say whether it executed. The wallet stays locked until the operator settles the run. Do not start it again.</p>`,
    ),
};

function shownRun(one: StreamedRun): Html {
  const { id, action, walletId, digest, gasCharged, startedMs, endedMs, reserved, network } = one;
  const now = Date.now();
  const fact = (name: string, value: Html) => html`<dt>${name}</dt><dd>${value}</dd>`;
  return html`${endings[one.state]?.(one) ?? ''}
    <section class="part"><h2>Steps ${runBadge(one)}</h2><div aria-live="polite">${stepList(one.steps)}</div></section>
    <section class="part"><h2>Facts</h2><dl class="facts">
      ${fact('Action', html`<code>${action}</code>`)}
      ${fact('Wallet', address(walletId, `/wallet?${new URLSearchParams({ network, wallet: walletId })}`))}
      ${fact('Set aside', reserved.length === 0 ? 'nothing' : reserved.map(({ coinType, amount: units }) => html`<p>${amount(units, coinType, infos.get(coinType) ?? null)}</p>`))}
      ${digest === null ? '' : fact('Transaction', address(digest))}
      ${fact('Started', time(startedMs, now))}
      ${endedMs === null ? '' : fact('Ended', html`${time(endedMs, now)}, after ${((endedMs - startedMs) / 1_000).toFixed(1)} s`)}
      ${gasCharged === null ? '' : fact('Gas, paid by the host', `${decimal(gasCharged, 9)} SUI`)}
    </dl></section>
    <p><a href=${runsPath(network, walletId)}>All runs of this wallet</a> <span class="muted">Run ${id}</span></p>`;
}

function content(): Html {
  if (!getAccount()) return html`<div class="box"><p>Connect the wallet that owns the run.</p></div>`;
  if (!isSignedIn()) return signInBox(attempts, watch);
  if (run) return html`${shownRun(run)}${attempts.failure}`;
  return attempts.status();
}

function show(): void {
  render(content() as never, container);
}

async function start(): Promise<void> {
  following.abort();
  run = undefined;
  if (getAccount() && isSignedIn()) await attempts.run('Reading the run…', watch);
  else show();
}

document.addEventListener('wallet', start);
container.replaceChildren();
await waitForConnection();
await start();
