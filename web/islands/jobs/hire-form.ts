import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import { escrow } from '@adaptor-marketplace/adaptor/transactions';
import { coinWithBalance } from '@mysten/sui/transactions';
import { render } from 'preact';
import {
  amountInFull,
  type CoinInfo,
  decimal,
  formatCoinSymbol,
  type Html,
  html,
  shortened,
  sui,
  wholeId,
} from '../../components/index.ts';
import { getInputValue, onSubmit } from '../api/form.ts';
import { parseAmount } from '../grant/fields.ts';
import {
  ActionFailedError,
  allowOneAtATime,
  client,
  createSigningAttempts,
  getAccount,
  sign,
  siteNetwork,
  waitForConnection,
} from '../signing/index.ts';
import { loadCoinInfo } from '../wallet/balances.ts';
import { readWallets } from '../wallet/owned.ts';
import { requireEscrow } from './actions.ts';
import { findTextFault, textBytesMax } from './ask-text.ts';

/** The form that hires: brief, payment, deadline, and who judges. */

const container = document.querySelector<HTMLElement>('#hiring')!;
const unitsMs = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };
const durationMsMax = 366 * unitsMs.days;
const coinsMax = 50;

let wallets: string[] = [];
let coins: { coinType: string; held: string; info: CoinInfo | null | undefined }[] = [];
const entered = {
  agent: container.dataset.agent ?? '',
  brief: '',
  amount: '1',
  coin: sui,
  assessor: '',
  walletId: '',
  term: '7',
  unit: 'days',
};
const attempts = createSigningAttempts(show);

async function read(): Promise<void> {
  const owner = getAccount()?.address;
  [wallets, coins] = [[], []];
  if (owner === undefined) return;
  const [owned, { balances }] = await Promise.all([
    readWallets(owner),
    client.core.listBalances({ owner, limit: coinsMax }),
  ]);
  const held = balances.filter(({ balance }) => balance !== '0');
  const known = await Promise.all(
    held.map(async ({ coinType, balance }) => ({
      coinType,
      held: balance,
      info: await loadCoinInfo(coinType),
    })),
  );
  // Another account was connected meanwhile, and is read by itself.
  if (getAccount()?.address !== owner) return;
  [wallets, coins] = [owned, known];
  if (!wallets.includes(entered.walletId)) entered.walletId = wallets[0] ?? '';
  if (!coins.some(({ coinType }) => coinType === entered.coin)) entered.coin = coins[0]?.coinType ?? sui;
}

/** @throws ActionFailedError for input that the contract refuses */
function readTerms() {
  const agent = normalizeAddress(entered.agent.trim());
  const assessor =
    entered.assessor.trim() === '' ? getAccount()!.address : normalizeAddress(entered.assessor.trim());
  if (agent === undefined)
    throw new ActionFailedError('The agent is not an address', 'Enter 0x and up to 64 hex digits.');
  if (assessor === undefined)
    throw new ActionFailedError(
      'The assessor is not an address',
      'Enter 0x and up to 64 hex digits, or leave it empty.',
    );
  const fault = findTextFault(entered.brief);
  if (fault !== undefined) throw new ActionFailedError('The brief cannot go on chain', fault);
  const info = coins.find(({ coinType }) => coinType === entered.coin)?.info;
  const units = parseAmount(entered.amount, info, 'The payment is not an amount');
  if (units === 0n) throw new ActionFailedError('The payment is not an amount', 'It must be above zero.');
  const termMs = Number(entered.term) * unitsMs[entered.unit as keyof typeof unitsMs];
  if (!/^\d{1,4}$/.test(entered.term) || termMs === 0 || termMs > durationMsMax)
    throw new ActionFailedError(
      'The time for the work is not valid',
      'Enter a whole number above zero; at most 366 days.',
    );
  const { coin, walletId, term, unit } = entered;
  return { agent, assessor, units, info, termMs, brief: entered.brief.trim(), coin, walletId, term, unit };
}

const hire = allowOneAtATime(() =>
  attempts.run('', async () => {
    const signer = getAccount()!.address;
    const { agent, assessor, units, info, termMs, brief, coin, walletId, term, unit } = readTerms();
    const paid = amountInFull(String(units), coin, info ?? null);
    const isOwn = assessor === signer;
    const executed = await sign({
      title: 'Hire and pay into escrow',
      signer,
      consequence: html`<p><strong>${paid} leave your address, and wait in escrow.</strong> The agent gets them when ${isOwn ? 'you accept' : 'the assessor accepts'} the work.</p>
        <dl class="facts"><dt>Agent</dt><dd>${wholeId(agent)}</dd><dt>Assessor</dt><dd>${isOwn ? 'you, ' : ''}${wholeId(assessor)}</dd><dt>Wallet that hires</dt><dd>${wholeId(walletId)}</dd></dl>
        <p>The agent has ${term} ${unit}. You can cancel until it submits work, and get the payment back.</p>`,
      append: (tx, ids) => {
        const { packageId, originalId } = requireEscrow(ids);
        escrow.createJob(tx, packageId, {
          walletId,
          provider: agent,
          assessor,
          coinType: coin,
          amount: units,
          brief,
          deadlineMs: BigInt(Date.now() + termMs),
          originalId,
          funding: tx.add(coinWithBalance({ type: coin, balance: units })),
        });
      },
      after: html`<p>The payment is in escrow. Close this to see the job.</p>`,
    });
    const job = executed?.created.find(({ type }) => type.includes('::job::Job<'));
    if (job) location.assign(`/jobs/${job.id}?network=${siteNetwork}`);
  }),
);

type FieldName = keyof typeof entered;
const enter = (name: FieldName) => (event: Event) => {
  entered[name] = getInputValue(event);
};
const field = (name: FieldName, label: string, hint = '', mode = 'text'): Html =>
  html`<label for=${name}>${label}</label><input type="text" id=${name} inputmode=${mode} autocomplete="off" spellcheck="false" value=${entered[name]} onInput=${enter(name)} />${hint === '' ? '' : html`<p class="hint">${hint}</p>`}`;

function form(): Html {
  const walletChoice =
    wallets.length < 2
      ? ''
      : html`<label for="walletId">Your wallet that hires</label><select id="walletId" onChange=${enter('walletId')}>${wallets.map((id) => html`<option value=${id} selected=${id === entered.walletId}>${shortened(id)}</option>`)}</select>`;
  return html`<form class="fields" onSubmit=${onSubmit(hire)}>
    ${field('agent', 'Agent', 'The address that works, and gets the payment.')}
    <label for="brief">Brief</label><textarea id="brief" rows="5" value=${entered.brief} onInput=${enter('brief')}></textarea>
    <p class="hint">The task, and how you will judge the work. At most ${textBytesMax} bytes, on chain for everyone to read.</p>
    ${field('amount', 'Payment', '', 'decimal')}
    <label for="coin">Coin</label><select id="coin" onChange=${enter('coin')}>${coins.map(({ coinType, held, info }) => html`<option value=${coinType} selected=${coinType === entered.coin}>${formatCoinSymbol(coinType, info)} (you have ${decimal(held, info?.decimals ?? 0)})</option>`)}</select>
    <label for="term">Time for the work</label>
    <div class="pair"><input type="text" id="term" inputmode="numeric" autocomplete="off" value=${entered.term} onInput=${enter('term')} />
      <select id="unit" aria-label="Unit of the time" onChange=${enter('unit')}>${Object.keys(unitsMs).map((unit) => html`<option value=${unit} selected=${unit === entered.unit}>${unit}</option>`)}</select></div>
    ${field('assessor', 'Who judges the work', 'An address. Empty: you.')}
    ${walletChoice}
    <p class="actions"><button type="submit" disabled=${attempts.busy !== ''}>Hire</button></p>
    ${attempts.status()}
  </form>`;
}

function content(): Html {
  const who = getAccount();
  if (!who)
    return html`<div class="box"><p>Connect a wallet to hire.</p><p><button type="button" data-connect>Connect</button></p></div>`;
  if (attempts.busy !== '' && coins.length === 0) return attempts.status();
  if (wallets.length === 0 && attempts.failure === '')
    return html`<div class="box"><p>Your address has no wallet yet. A job is made for one: open it first.</p><p><a class="button" href=${`/wallet?${new URLSearchParams({ network: siteNetwork, owner: who.address })}`}>Open a wallet</a></p></div>`;
  return form();
}

function show(): void {
  render(content() as never, container);
}

document.addEventListener('wallet', () => attempts.run('Reading…', read));
container.replaceChildren();
await waitForConnection();
await attempts.run('Reading…', read);
