import { requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import { type Html, html } from '../../components/html.ts';
import { notice } from '../../components/marks.ts';
import { copyButton, decimal } from '../../components/values.ts';
import { ActionFailedError } from '../api/ask.ts';
import { failureNotice } from '../api/attempts.ts';
import { client, faucetUrl, siteNetwork } from './chain.ts';
import { connect, disconnect, getAccount, listWallets, type WalletChoice } from './connection.ts';
import { openDialog } from './dialog.ts';
import { toRefusal } from './failure.ts';

/** Lets the reader choose a wallet, or shows the connected one. Resolves when the dialog is closed. */
export async function showWallets(): Promise<void> {
  const dialog = openDialog();
  let failure: Html = '';

  async function show(): Promise<void> {
    const connected = getAccount();
    if (connected) return await showAccount(connected);
    const all = listWallets();
    const body = html`${failure}
      ${
        all.length === 0
          ? html`<p>This browser has no wallet for Sui. Install one that follows the wallet standard, such as Slush, and reload the page. The <a href="/docs">command line</a> does everything that this site does.</p>`
          : html`<ul class="wallets">${all.map(row)}</ul>`
      }
      <p class="muted">Connecting shows your address to this page. Each transaction asks for a signature of its own.</p>`;
    dialog.show('Connect a wallet', body);
  }

  function row({ name, icon, unfit }: WalletChoice): Html {
    return html`<li>
      <button type="button" class="quiet" disabled=${unfit !== undefined} onClick=${() => choose(name)}>${icon === '' ? '' : html`<img src=${icon} alt="" width="24" height="24" />`}${name}</button>
      ${unfit === undefined ? '' : html`<p class="muted">${unfit}</p>`}
    </li>`;
  }

  async function choose(name: string): Promise<void> {
    dialog.show('Connect a wallet', html`<p>Waiting for ${name}…</p>`);
    try {
      await connect(name);
      if (!getAccount()?.isDemo) return dialog.close();
      failure = '';
    } catch (error) {
      failure = failureNotice(toRefusal(error));
    }
    show();
  }

  async function showAccount({ address, wallet, isDemo }: NonNullable<ReturnType<typeof getAccount>>) {
    const toy = isDemo
      ? notice(
          'caution',
          'A toy for this local network',
          html`<p>Its key was made in this browser and cannot be read or moved. Clearing the data of the site destroys it. Never send real coins to it.</p>`,
        )
      : '';
    const body = (held: Html) => html`${failure}${toy}
      <dl class="facts"><dt>Wallet</dt><dd>${wallet}</dd>
        <dt>Address</dt><dd><code>${address}</code>${copyButton(address, 'Copy the address')}</dd>
        <dt>Balance</dt><dd class="balance">${held}</dd></dl>
      <p><a href=${`/wallet?${new URLSearchParams({ network: siteNetwork, owner: address })}`}>What you have allowed</a></p>`;
    const fund = async () => {
      dialog.show('Your wallet', body('Asking the faucet…'), html``);
      try {
        await requestSuiFromFaucetV2({ host: faucetUrl!, recipient: address });
        failure = '';
      } catch {
        failure = failureNotice(
          new ActionFailedError(
            'The faucet does not answer',
            'Check that the local network runs, and try again.',
          ),
        );
      }
      show();
    };
    const leave = async () => {
      await disconnect();
      dialog.close();
    };
    const buttons = html`${faucetUrl === undefined ? '' : html`<button type="button" onClick=${fund}>Get coins from the faucet</button>`}
      <button type="button" class="quiet" onClick=${leave}>Disconnect</button>
      <button type="button" class="quiet" onClick=${dialog.close}>Close</button>`;
    dialog.show('Your wallet', body('Reading…'), buttons);
    const balance = await client.core.getBalance({ owner: address }).catch(() => undefined);
    const held =
      balance === undefined ? 'The chain node does not answer' : `${decimal(balance.balance.balance, 9)} SUI`;
    if (getAccount()) dialog.show('Your wallet', body(held), buttons);
  }

  show();
  await dialog.closed;
}
