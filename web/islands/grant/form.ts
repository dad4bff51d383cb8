import { unlimitedAllowance } from '@adaptor-marketplace/adaptor';
import { isAmountTaken } from '@adaptor-marketplace/adaptor/manifest';
import { wallet } from '@adaptor-marketplace/adaptor/transactions';
import { render } from 'preact';
import {
  amountInFull,
  amount as amountOf,
  badge,
  type CoinInfo,
  decimal,
  formatCoinSymbol,
  type Html,
  html,
  notice,
  plain,
  shortened,
  sui,
  wholeId,
  wholeType,
} from '../../components/index.ts';
import { runsPath } from '../../components/links.ts';
import { hasRole } from '../../words/operation.ts';
import { getInputValue, onSubmit } from '../api/form.ts';
import {
  ActionFailedError,
  allowOneAtATime,
  askGraph,
  createSigningAttempts,
  getAccount,
  readChainIds,
  sign,
  siteNetwork,
  waitForConnection,
} from '../signing/index.ts';
import { loadCoinInfos, readCoinTypes } from '../wallet/balances.ts';
import { listAllowances, type PresentGrant, readGrants } from '../wallet/grants.ts';
import {
  type CallableOp,
  canCall,
  type ListedOp,
  listedOpFields,
  listSettledCoins,
  listSupportedCoins,
  parseEnteredValues,
} from './arguments.ts';
import { appendDelegation, describeDelegation, planDelegation } from './delegate-plan.ts';
import {
  delegateFieldId,
  delegationPart,
  noDelegation,
  parseDelegation,
  readDelegate,
  readHostAgent,
} from './delegation.ts';
import { amountField, operationFields, parseAmount, withSettledCoins } from './fields.ts';
import { type BalanceChange, simulateOp } from './trial.ts';

/** The form that simulates an operation, and then grants what it took. */

const container = document.querySelector<HTMLElement>('#granting')!;
const { service = '', publisher = '' } = container.dataset;

interface Adaptor {
  packageId: string;
  publisherVerified: boolean;
  version: number;
  manifest: { name: string; supportedCoins: string[] | null };
  operations: ListedOp[];
}

let adaptor: Adaptor | undefined;
/** Address that the rest was read for. */
let owner: string | undefined;
let wallets: string[] = [];
/** Grants of the chosen wallet to the service. Empty until they are read. */
let granted: readonly PresentGrant[] = [];
let coins: string[] = [];
let infos = new Map<string, CoinInfo | null>();
let chosen = { walletId: '', op: 0, amount: '1', minOut: '', coinIn: '', coinOut: '', grant: '' };
let values: Record<string, string> = {};
let changes: readonly BalanceChange[] | undefined;
/** The grant that was signed last. */
let signed: { walletId: string; isHostAgent: boolean } | undefined;
let delegation = noDelegation;
const attempts = createSigningAttempts(show);
/** Attempts to grant, whose failures stand beside their button. */
const granting = createSigningAttempts(show);

const adaptorQuery = `query ($chain: Chain, $serviceType: String!, $publisher: String, $owner: String!) {
  adaptor(chain: $chain, serviceType: $serviceType, publisher: $publisher) { packageId publisherVerified version manifest { name supportedCoins }
    operations { ${listedOpFields} } }
  wallets(chain: $chain, owner: $owner, first: 20) { edges { node { walletId } } } }`;

async function read(): Promise<void> {
  const reader = getAccount()?.address;
  if (reader !== owner) {
    // Input for the wallets of another address does not carry over.
    [owner, adaptor, wallets, delegation, signed] = [reader, undefined, [], noDelegation, undefined];
    useWallet('');
  }
  if (owner === undefined) return;
  const answer = await askGraph<{
    adaptor: Adaptor | null;
    wallets: { edges: { node: { walletId: string } }[] };
  }>(adaptorQuery, { serviceType: service, publisher, owner });
  if (reader !== owner) return;
  if (!answer.adaptor)
    throw new ActionFailedError(
      'It is no longer in the catalog',
      'It was unlisted, or an operator quarantined it: read its page in the catalog.',
    );
  wallets = answer.wallets.edges.map(({ node }) => node.walletId);
  if (!wallets.includes(chosen.walletId)) useWallet(wallets[0] ?? '');
  await Promise.all([readChainIds(), readGranted()]);
  const held = chosen.walletId === '' ? [] : await readCoinTypes(chosen.walletId);
  const supported = listSupportedCoins(answer.adaptor.manifest.supportedCoins);
  const types = [...new Set([...supported, ...listSettledCoins(answer.adaptor.operations), ...held, sui])];
  const described = await loadCoinInfos(types);
  if (reader !== owner) return;
  // The form is shown from here on, with the decimals of its coins.
  [adaptor, coins, infos] = [answer.adaptor, types, described];
  const [first = sui, second = first] = supported;
  const keepIfListed = (coin: string, otherwise: string) => (coins.includes(coin) ? coin : otherwise);
  // A coin that is still listed stays chosen. The owner reads it again in the signature dialog.
  chosen.coinIn = keepIfListed(chosen.coinIn, first);
  chosen.coinOut = keepIfListed(chosen.coinOut, second);
  settleCoins();
}

const ops = (): CallableOp[] => adaptor?.operations.filter(canCall) ?? [];
const current = (): CallableOp | undefined => ops()[chosen.op];

/** Replaces the coins that the objects of the operation settle. */
function settleCoins(): void {
  chosen = { ...chosen, ...withSettledCoins(chosen, current()) };
}

function choose(changed: Partial<typeof chosen>): void {
  chosen = { ...chosen, ...changed };
  settleCoins();
  changes = undefined;
  show();
}

async function readGranted(): Promise<void> {
  const { walletId } = chosen;
  const grants = walletId === '' ? [] : await readGrants(walletId);
  if (chosen.walletId === walletId) granted = grants.filter(({ serviceType }) => serviceType === service);
}

/** Changes the wallet. The address of the host's agent is another one for each wallet. */
function useWallet(walletId: string): void {
  granted = [];
  granting.failure = '';
  choose({ walletId });
  if (!delegation.isHostAgent) return;
  changeDelegation({ address: '', isHostAgent: false });
  proposeHostAgent();
}

const changeWallet = (walletId: string) =>
  attempts.run('Reading…', () => {
    useWallet(walletId);
    return readGranted();
  });

/** @throws ActionFailedError */
const units = (text: string, coin: string, what: string): bigint =>
  parseAmount(text, infos.get(coin), `${what} is not a number of ${formatCoinSymbol(coin, infos.get(coin))}`);

const simulate = () =>
  attempts.run('Simulating…', async () => {
    const op = current()!;
    const input = [chosen, values];
    const { walletId, coinIn, coinOut, amount, minOut } = chosen;
    changes = undefined;
    const simulated = await simulateOp(
      {
        owner: getAccount()!.address,
        walletId,
        service,
        packageId: adaptor!.packageId,
        op,
        coinIn,
        coinOut,
        amount: hasRole(op, 'amount') ? units(amount, coinIn, 'The amount') : 0n,
        // The wallet contract refuses a minimum of zero.
        minOut: hasRole(op, 'minOut') ? (minOut === '' ? 1n : units(minOut, coinOut, 'The minimum')) : 0n,
        values: parseEnteredValues(op, values),
      },
      await readChainIds(),
    );
    // The result of an input that was changed meanwhile would stand beside another one.
    if (chosen !== input[0] || values !== input[1]) return;
    changes = simulated;
    if (hasRole(op, 'amount')) chosen.grant = amount;
  });

const grant = allowOneAtATime(() =>
  granting.run('', async () => {
    const [before, signer, { walletId }] = [adaptor!.version, owner!, chosen];
    const decimals = infos.get(chosen.coinIn)?.decimals;
    await read();
    if (owner !== signer || chosen.walletId !== walletId)
      throw new ActionFailedError(
        'The wallet is another one now',
        'The connected account does not own the wallet that this form was for. Read the form again.',
      );
    if (adaptor!.version !== before)
      throw new ActionFailedError(
        'The listing changed while you looked at it',
        `It is at version ${adaptor!.version} now. Reload the page, and read what it does.`,
      );
    const { coinIn } = chosen;
    if (infos.get(coinIn)?.decimals !== decimals)
      throw new ActionFailedError(
        'The coin is counted in other units now',
        'Enter the amounts again, in the units that the form shows.',
      );
    const allowance = units(chosen.grant === '' ? chosen.amount : chosen.grant, coinIn, 'The grant');
    if (allowance === 0n) throw new ActionFailedError('A grant of nothing', 'Enter an amount above zero.');
    if (allowance === unlimitedAllowance)
      throw new ActionFailedError(
        'A grant without a limit',
        'The chain does not count down from this number. Enter a smaller amount.',
      );
    const { publisherVerified, manifest } = adaptor!;
    const { name } = manifest;
    const delegated = delegation.wanted
      ? { ...parseDelegation(delegation), service, coinType: coinIn, amount: allowance }
      : undefined;
    const { days, wanted, isHostAgent } = delegation;
    const plan = async () =>
      delegated && planDelegation(await readDelegate(walletId, delegated.address), delegated, Date.now());
    const planned = await plan();
    const shown = amountInFull(String(allowance), coinIn, infos.get(coinIn) ?? null);
    const executed = await sign({
      title: `Grant ${name}`,
      signer,
      consequence: html`<p><strong>${plain(name)} can take up to ${shown} from your wallet, in total, until you revoke it.</strong></p>
        ${publisherVerified ? '' : html`<p><strong>Its publisher is not verified: everyone could have listed it under this name.</strong></p>`}
        <dl class="facts"><dt>Service</dt><dd>${wholeType(service)}</dd><dt>Wallet</dt><dd>${wholeId(walletId)}</dd></dl>
        <p>The grant is the bound, and it holds for everyone who runs its code. Another grant for ${formatCoinSymbol(coinIn, infos.get(coinIn))} that it has is replaced.</p>
        ${delegated && planned ? describeDelegation(planned, { address: delegated.address, days, shown }) : ''}`,
      async append(tx, ids) {
        const target = { packageId: ids.wallet!.packageId, wallet: walletId };
        wallet.grantServiceCoin(tx, target, { service, coinType: coinIn, allowance });
        if (!delegated || !planned) return;
        if (JSON.stringify(await plan()) !== JSON.stringify(planned))
          throw new ActionFailedError(
            'The delegate changed while you looked at it',
            'Its budgets or its expiry are not those that this showed. Nothing was signed. Close this, and grant again.',
          );
        appendDelegation(tx, target, planned, delegated);
      },
      after: html`<p>${plain(name)} can take up to ${shown}. Revoke it on the page of your wallet at any time.</p>`,
    });
    signed = executed && { walletId, isHostAgent: wanted && isHostAgent };
  }),
);

function trialPart(op: CallableOp): Html {
  const walletField =
    wallets.length < 2
      ? ''
      : html`<label for="walletId">Wallet</label><select id="walletId" onChange=${(event: Event) => changeWallet(getInputValue(event))}>${wallets.map((id) => html`<option value=${id} selected=${id === chosen.walletId}>${shortened(id)}</option>`)}</select>`;
  const fields = operationFields(op, {
    ops: ops(),
    coins,
    infos,
    chosen,
    choose,
    values,
    enterValue(name, value) {
      values = { ...values, [name]: value };
      changes = undefined;
    },
    words: {
      coinIn: isAmountTaken(op) ? 'Coin that it takes' : 'Coin of the grant',
      amountHint: 'As the operation gets it.',
      minOutHint: 'The trial fails if it brings less. Empty: one base unit, which is next to nothing.',
    },
    more: walletField,
  });
  return html`<section class="part" aria-labelledby="trial-title"><h2 id="trial-title">1. Try it</h2>
    <p>A simulation on the chain node, with your wallet as it is now. Nothing is signed, and nothing changes.</p>
    <form class="fields" onSubmit=${onSubmit(simulate)}>
      ${fields}
      <p class="actions"><button type="submit" disabled=${attempts.busy !== ''}>Try it</button></p>
    </form>
    ${attempts.status()}${outcome()}</section>`;
}

function outcome(): Html {
  if (!changes) return '';
  const rows = changes.map(({ coinType, info, before, after }) => {
    const change = after - before;
    const text =
      change === 0n
        ? '0'
        : `${change > 0n ? '+' : '−'} ${decimal(String(change < 0n ? -change : change), info?.decimals ?? 0)}`;
    return html`<tr><th scope="row" title=${coinType}>${formatCoinSymbol(coinType, info)}</th><td class="number">${amountOf(String(before), coinType, info)}</td><td class="number">${amountOf(String(after), coinType, info)}</td><td class="number">${text}</td></tr>`;
  });
  return html`<h3>Your wallet, before and after ${badge('neutral', 'Simulated')}</h3>
    <div class="scroll"><table class="trial"><thead><tr><th scope="col">Coin</th><th scope="col" class="number">Before</th><th scope="col" class="number">After</th><th scope="col" class="number">Change</th></tr></thead><tbody>${rows}</tbody></table></div>
    ${notice('caution', 'A simulation promises nothing', html`<p>Prices, the state of the protocol and the code behind a switch can differ when it runs. What holds is the grant that you sign: it can take up to <strong>${grantText()}</strong> from your wallet, in total, whatever this table shows.</p>`)}`;
}

function changeDelegation(changed: Partial<typeof delegation>): void {
  delegation = { ...delegation, ...changed };
  show();
}

/** Opens or closes the delegation. Without an address, it proposes that of the host's agent, if there is one. */
async function wantDelegate(wanted: boolean): Promise<void> {
  changeDelegation({ wanted });
  await proposeHostAgent();
}

async function proposeHostAgent(): Promise<void> {
  const { walletId } = chosen;
  // In a field with focus, the proposal would mix with what its reader types or pastes.
  const isWanted = () =>
    delegation.wanted &&
    delegation.address === '' &&
    chosen.walletId === walletId &&
    document.activeElement?.id !== delegateFieldId;
  if (!isWanted()) return;
  const address = await readHostAgent(walletId);
  if (address !== undefined && isWanted()) changeDelegation({ address, isHostAgent: true });
}

const grantText = () =>
  `${chosen.grant === '' ? chosen.amount : chosen.grant} ${formatCoinSymbol(chosen.coinIn, infos.get(chosen.coinIn))}`;

function grantPart(): Html {
  const coin = formatCoinSymbol(chosen.coinIn, infos.get(chosen.coinIn));
  const total = amountField('grant', `${coin} that it can take, in total`, {
    value: chosen.grant,
    hint: 'Each use takes from it. When it is used up, you grant again.',
    enter(grant) {
      chosen = { ...chosen, grant };
      show();
    },
  });
  const present =
    granted.length === 0
      ? ''
      : html`<div id="granted"><p>It may take from this wallet now:</p>${listAllowances(granted)}${granted.some((one) => one.coin === chosen.coinIn) ? html`<p>A new grant of ${coin} replaces the one that it has.</p>` : ''}</div>`;
  return html`<section class="part" aria-labelledby="grant-title"><h2 id="grant-title">2. Grant the least it needs</h2>
    ${present}
    <form class="fields" onSubmit=${onSubmit(grant)}>
      ${total}
      <p>It can take up to <strong>${grantText()}</strong> from your wallet, in total, until you revoke it. A grant has no end in time; an agent that uses it for you has one.</p>
      ${delegationPart(delegation, { want: wantDelegate, change: changeDelegation })}
      <p class="actions"><button type="submit" disabled=${attempts.busy !== ''}>Grant</button>${changes ? '' : html`<span class="muted">You have not tried it yet.</span>`}</p>
    </form>${granting.status()}</section>`;
}

function content(): Html {
  const who = getAccount();
  const toWallet = (address: string) =>
    `/wallet?${new URLSearchParams({ network: siteNetwork, owner: address })}`;
  if (!who)
    return html`<div class="box"><p>Connect a wallet to try it, and to grant.</p><p><button type="button" data-connect>Connect</button></p></div>`;
  if (!adaptor) return html`${attempts.status()}${granting.failure}`;
  if (wallets.length === 0) {
    return html`<div class="box"><p>Your address has no wallet yet. A grant is made in one: open it, and put in what you want to use.</p><p><a class="button" href=${toWallet(who.address)}>Open a wallet</a></p></div>`;
  }
  if (signed) {
    const { walletId, isHostAgent } = signed;
    return html`${notice('good', 'Granted', html`<p>It is among what you have allowed.</p>`)}
      <p class="actions">${isHostAgent ? html`<a class="button" href=${runsPath(siteNetwork, walletId, service)}>Run it</a>` : ''}<a class=${isHostAgent ? 'button quiet' : 'button'} href=${toWallet(who.address)}>See what you have allowed</a></p>`;
  }
  const op = current();
  const none = html`<div class="box"><p>No operation of its manifest can be called by this site, so nothing can be tried. You can grant to it all the same: its own app uses the grant.</p></div>${attempts.failure}`;
  return html`${op ? trialPart(op) : none}${grantPart()}`;
}

function show(): void {
  render(content() as never, container);
}

document.addEventListener('wallet', () => attempts.run('Reading…', read));
container.replaceChildren();
await waitForConnection();
await attempts.run('Reading…', read);
