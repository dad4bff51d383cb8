import { bearerCap, delegate, scopedCap, wallet } from '@adaptor-marketplace/adaptor/transactions';
import { coinWithBalance } from '@mysten/sui/transactions';
import { amount, amountInFull, formatCoinSymbol, html, sui, wholeId } from '../../components/index.ts';
import {
  ActionFailedError,
  allowOneAtATime,
  client,
  getAccount,
  type Request,
  readChainIds,
  showRefusal,
  sign,
} from '../signing/index.ts';
import { askAmount } from './ask-amount.ts';
import { sortKnownFirst } from './coin-list.ts';
import { revokeAll } from './revoke-all.ts';
import { buildRevokeRequest } from './revoke-services.ts';

type Data = DOMStringMap;

interface WalletState {
  walletId: string;
  paused: boolean;
}

function readShown({ wallet: walletId = '', paused }: Data): WalletState {
  return { walletId, paused: paused === 'true' };
}

/**
 * Runs the action of a button on the page.
 * @returns `true` if the wallet may have changed; undefined if another action is underway, and this one did not run
 */
export const actOn = allowOneAtATime(async (element: HTMLElement, page: Data): Promise<boolean> => {
  const button = element.dataset;
  const shown = readShown(page);
  const signer = getAccount()?.address;
  try {
    const target = await readTarget(shown);
    if (button.act === 'revoke-all') return await revokeAll(target, signer);
    const request = await buildRequest(element, shown, target);
    return request !== undefined && (await sign({ ...request, signer })) !== undefined;
  } catch (error) {
    await showRefusal(error);
    return false;
  }
});

/** Lists the services whose boxes are checked. */
const listSelected = () =>
  [...document.querySelectorAll<HTMLInputElement>('#grants [data-select]:checked')].map(readService);

/** Reads the service of the row that an element stands in. */
export const readService = (element: Element): string =>
  element.closest<HTMLElement>('[data-service]')?.dataset.service ?? '';

/** A request of the account that was connected when the reader clicked. */
type OwnRequest = Omit<Request, 'signer'>;
type Target = { packageId: string; wallet: string };

/** Reads the package to call. A failure is read again at the next click. @throws ActionFailedError */
async function readTarget({ walletId }: WalletState): Promise<Target> {
  const ids = await readChainIds();
  if (!ids.wallet)
    throw new ActionFailedError('This network has no wallets', 'The host follows no wallet package here.');
  return { packageId: ids.wallet.packageId, wallet: walletId };
}

async function buildRequest(
  element: HTMLElement,
  shown: WalletState,
  target: Target,
): Promise<OwnRequest | undefined> {
  const button = element.dataset;
  switch (button.act) {
    case 'revoke':
      return await buildRevokeRequest(
        button.services?.split(' ') ?? [readService(element)],
        target,
        button.name,
      );
    case 'revoke-selected':
      return await buildRevokeRequest(listSelected(), target);
    case 'remove-delegate':
      return {
        title: 'Remove the delegate',
        consequence: html`<p>${wholeId(button.address!)}</p><p>It can no longer do anything for you, with any service or coin.</p>`,
        append: (tx) => delegate.remove(tx, target, button.address!),
        after: html`<p>The delegate is gone, with all its budgets.</p>`,
      };
    case 'revoke-cap':
      return {
        title: 'Revoke the cap',
        consequence: html`<p>${wholeId(button.cap!)}</p><p>Its holder can no longer spend with it${button.kind === 'SCOPED' ? ', nor can those who got a part of it' : ''}.</p>`,
        append: (tx) => (button.kind === 'SCOPED' ? scopedCap : bearerCap).revoke(tx, target, button.cap!),
        after: html`<p>The cap no longer opens anything. Its object stays with its holder, who alone can destroy it.</p>`,
      };
    case 'burn-cap':
      return {
        title: 'Destroy the cap',
        consequence: html`<p>${wholeId(button.cap!)}</p><p>You hold this cap. Destroying it cannot be undone.</p>`,
        append: (tx) => {
          if (button.kind === 'SCOPED') scopedCap.burn(tx, target, button.cap!);
          else bearerCap.burn(tx, target.packageId, button.cap!);
        },
        after: html`<p>The cap is gone.</p>`,
      };
    case 'pause':
      return {
        title: shown.paused ? 'Resume the wallet' : 'Pause the wallet',
        consequence: shown.paused
          ? html`<p>Services, delegates and caps can spend again, as far as you allowed.</p>`
          : html`<p>Nothing leaves it but to you. What you have allowed stays, and counts again when you resume.</p>`,
        append: (tx) => wallet.setPaused(tx, target, !shown.paused),
        after: html`<p>${shown.paused ? 'The wallet pays again.' : 'The wallet is paused.'}</p>`,
      };
    case 'open-wallet':
      return await openWallet(target);
    case 'deposit':
      return await deposit(target);
    case 'take':
      return await take(target);
    default:
      return undefined;
  }
}

async function openWallet({ packageId }: Target): Promise<OwnRequest | undefined> {
  const words = html`<p>You can put coins in at once, and take them out at any time.</p>`;
  const asked = await askAmount('Open a wallet', words, [sui]);
  if (!asked) return undefined;
  return {
    title: 'Open a wallet',
    consequence: html`<p>A wallet of yours is made, and ${amount(String(asked.units), sui, asked.info)} go into it. No service can take anything from it yet.</p>`,
    append: (tx) => {
      const opened = wallet.create(tx, packageId);
      const coin = tx.add(coinWithBalance({ type: sui, balance: asked.units }));
      if (asked.units > 0n) wallet.deposit(tx, opened, { coinType: sui, coin });
      wallet.share(tx, opened);
    },
    after: html`<p>Your wallet is open. Find an adaptor in the catalog, and grant it the least it needs.</p>`,
  };
}

async function deposit(target: Target): Promise<OwnRequest | undefined> {
  const words = html`<p>From your address into this wallet.</p>`;
  const asked = await askAmount('Put coins in', words, await listOwnCoins());
  if (!asked || asked.units === 0n) return undefined;
  const { coinType, units, info } = asked;
  return {
    title: `Put ${formatCoinSymbol(coinType, info)} in`,
    consequence: html`<p>${amountInFull(String(units), coinType, info)} go from your address into the wallet. You can take them out at any time.</p>`,
    append: (tx) =>
      wallet.deposit(tx, target, {
        coinType,
        coin: tx.add(coinWithBalance({ type: coinType, balance: units })),
      }),
    after: html`<p>The coins are in the wallet.</p>`,
  };
}

async function take(target: Target): Promise<OwnRequest | undefined> {
  const words = html`<p>From this wallet to your address.</p>`;
  const asked = await askAmount('Take coins out', words, orSui(listShownCoins('[data-empty=false]')));
  if (!asked || asked.units === 0n) return undefined;
  const { coinType, units, info } = asked;
  return {
    title: `Take ${formatCoinSymbol(coinType, info)} out`,
    consequence: html`<p>${amountInFull(String(units), coinType, info)} go from the wallet to your address.</p>`,
    append: (tx) => wallet.takeCoin(tx, target, { coinType, amount: units }),
    after: html`<p>The coins are at your address.</p>`,
  };
}

const listShownCoins = (rows: string): string[] =>
  [...document.querySelectorAll<HTMLElement>(`#balances tr${rows} th[title]`)].map(({ title }) => title);

/** Maximum number of coins of an address that are listed: anyone can send it any number of kinds. */
const ownCoinsMax = 50;

/** Lists the coins that the connected address holds: SUI and those of the wallet first. */
async function listOwnCoins(): Promise<readonly string[]> {
  const owner = getAccount()?.address;
  if (owner === undefined) return [sui];
  const { balances } = await client.core.listBalances({ owner, limit: ownCoinsMax });
  const held = balances.flatMap(({ coinType, balance }) => (balance === '0' ? [] : [coinType]));
  return orSui(sortKnownFirst(held, [sui, ...listShownCoins('')]));
}

const orSui = (coins: readonly string[]): readonly string[] => (coins.length === 0 ? [sui] : coins);
