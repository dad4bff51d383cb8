import type { AgentRun, AgentRuns, HeldUpdate } from '@adaptor-marketplace/sdk';
import { render } from 'preact';
import { empty, type Html, html, shortened, time } from '../../components/index.ts';
import {
  askApi,
  createSigningAttempts,
  getAccount,
  siteNetwork,
  waitForConnection,
} from '../signing/index.ts';
import { readWallets } from '../wallet/owned.ts';
import { heldUpdatesPart, readHeldUpdates } from './held-updates.ts';
import { runBadge } from './run-words.ts';
import { askAgent, isSignedIn, signInBox, signOut } from './session.ts';
import { startForm } from './start-form.ts';

/** The runs of a wallet of the connected address, and the form that starts one. */

const container = document.querySelector<HTMLElement>('#runs')!;
const given = container.dataset;
const attempts = createSigningAttempts(show);

let wallets: string[] = [];
let walletId = given.wallet ?? '';
/** Address of the agent for the wallet; undefined until the host returns it. */
let agent: string | undefined;
let runs: AgentRun[] = [];
let nextCursor: string | undefined;
let held: HeldUpdate[] = [];
/** Address whose wallets were read; undefined before. */
let owner: string | undefined;

/** Reads the wallets of the connected address and the agent's address, both public. Once signed in, also the runs. */
async function readOwn(): Promise<void> {
  const reader = getAccount()?.address;
  [owner, runs, nextCursor, held] = [undefined, [], undefined, []];
  if (reader === undefined) return;
  const owned = await readWallets(reader);
  // Another account was connected meanwhile, and is read by itself.
  if (getAccount()?.address !== reader) return;
  [owner, wallets] = [reader, owned];
  if (!wallets.includes(walletId)) walletId = wallets[0] ?? '';
  if (walletId === '') return;
  const query = new URLSearchParams({ walletId, network: siteNetwork });
  ({ address: agent } = await askApi<{ address: string }>(`/api/agent/address?${query}`));
  if (isSignedIn()) await readPrivate();
}

/** Reads all that only the signed-in owner sees. */
async function readPrivate(): Promise<void> {
  await Promise.all([readRuns(), readHeld()]);
}

async function readHeld(): Promise<void> {
  const requestedId = walletId;
  const updates = await readHeldUpdates(requestedId);
  if (requestedId === walletId) held = updates;
}

async function readRuns(cursor?: string): Promise<void> {
  const query = new URLSearchParams({ walletId, network: siteNetwork, ...(cursor && { cursor }) });
  const requestedId = walletId;
  const page = await askAgent<AgentRuns>(`runs?${query}`);
  if (requestedId !== walletId) return;
  runs = cursor === undefined ? page.runs : [...runs, ...page.runs];
  nextCursor = page.nextCursor;
}

function list(): Html {
  const now = Date.now();
  if (runs.length === 0)
    return empty('No run yet', html`<p>What the agent of this host does for this wallet is listed here.</p>`);
  const rows = runs.map(
    (run) =>
      html`<tr><td><a href=${`/runs/${run.id}?network=${run.network}`}>${run.action}</a></td><td>${runBadge(run)}</td><td class="number">${time(run.startedMs, now)}</td></tr>`,
  );
  return html`<table><thead><tr><th scope="col">Action</th><th scope="col">State</th><th scope="col" class="number">Started</th></tr></thead><tbody>${rows}</tbody></table>
    ${nextCursor === undefined ? '' : html`<p class="more"><button type="button" class="quiet" onClick=${() => attempts.run('Reading…', () => readRuns(nextCursor))}>Older runs</button></p>`}`;
}

function choose(event: Event): void {
  walletId = (event.currentTarget as HTMLSelectElement).value;
  attempts.run('Reading…', readOwn);
}

function content(): Html {
  const who = getAccount();
  const status = attempts.status();
  if (!who) return html`<div class="box"><p>Connect the wallet whose runs you want to see.</p></div>`;
  if (owner !== who.address) return status;
  if (walletId === '')
    return html`<div class="box"><p>Your address has no wallet, so nothing ran for it.</p><p><a class="button" href=${`/wallet?${new URLSearchParams({ network: siteNetwork, owner: who.address })}`}>Open a wallet</a></p></div>`;
  // The host has no agent; the status shows its error.
  if (agent === undefined) return status;
  if (!isSignedIn()) return signInBox(attempts, readPrivate);
  const choice =
    wallets.length < 2
      ? ''
      : html`<p><label for="walletId">Wallet</label> <select id="walletId" onChange=${choose}>${wallets.map((id) => html`<option value=${id} selected=${id === walletId}>${shortened(id)}</option>`)}</select></p>`;
  const out = () =>
    attempts.run('Signing out…', async () => {
      await signOut();
      [runs, held] = [[], []];
    });
  return html`${choice}
    ${heldUpdatesPart(held, { walletId, attempts, onConfirmed: readHeld })}
    ${given.service ? html`<div id="starting" key=${`${owner} ${walletId}`}></div>` : ''}
    <section class="part"><h2>History</h2>${list()}</section>
    ${status}
    <p class="actions"><button type="button" class="quiet" onClick=${out}>Sign out</button></p>`;
}

function show(): void {
  render(content() as never, container);
  // A form is for one wallet of one owner: its key makes another element for another wallet.
  const starting = document.querySelector<HTMLElement>('#starting');
  if (starting && !starting.hasChildNodes() && owner !== undefined)
    startForm(starting, { owner, walletId, service: given.service! });
}

document.addEventListener('wallet', () => attempts.run('Reading…', readOwn));
container.replaceChildren();
await waitForConnection();
await attempts.run('Reading…', readOwn);
