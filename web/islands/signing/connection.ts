import { createDAppKit } from '@mysten/dapp-kit-core';
import { getWallets, isWalletWithRequiredFeatureSet } from '@mysten/wallet-standard';
import { ActionFailedError } from '../api/ask.ts';
import { client, faucetUrl, walletNetwork } from './chain.ts';
import { demoWalletName, registerDemoWallet } from './demo-wallet.ts';
import { listenToForgetting, recall, remember } from './remembered.ts';

/** Why the demo wallet failed. It is registered before the kit looks for the wallet of the last visit. */
const demoFailure = faucetUrl === undefined ? undefined : await registerDemoWallet().catch(describeFailure);

function describeFailure(): string {
  return isSecureContext
    ? 'This browser cannot make Ed25519 keys: use a newer one.'
    : 'A browser makes keys only on localhost and over https.';
}

const kit = createDAppKit({
  networks: [walletNetwork],
  createClient: () => client,
  // Slush would load its list of wallets from another origin.
  slushWalletConfig: null,
  autoConnect: recall() !== undefined,
});

// The kit looks for wallets only while its list has a listener.
kit.stores.$wallets.listen(() => undefined);

interface Account {
  address: string;
  wallet: string;
  /** `true` if the wallet is the demo wallet, which this site registers. */
  isDemo: boolean;
}

export function getAccount(): Account | undefined {
  const { wallet, account } = kit.stores.$connection.get();
  if (!wallet || !account) return undefined;
  return { address: account.address, wallet: wallet.name, isDemo: wallet.name === demoWalletName };
}

/** A wallet of this browser. */
export interface WalletChoice {
  name: string;
  icon: string;
  /** Why the wallet cannot be used here; undefined if it can. */
  unfit: string | undefined;
}

/** Returns the wallets of the browser, including those that do not support the network. */
export function listWallets(): WalletChoice[] {
  const fit = kit.stores.$wallets.get();
  const all = getWallets()
    .get()
    .filter((wallet) => isWalletWithRequiredFeatureSet(wallet, ['standard:events']))
    .filter((wallet) => wallet.chains.some((chain) => chain.startsWith('sui:')));
  const wallets = all.map(({ name, icon, chains }) => ({
    name,
    icon,
    unfit: fit.some((wallet) => wallet.name === name)
      ? undefined
      : `It knows ${chains.map((chain) => chain.replace('sui:', '')).join(', ')}, but not ${walletNetwork}.`,
  }));
  if (demoFailure === undefined) return wallets;
  return [...wallets, { name: demoWalletName, icon: '', unfit: demoFailure }];
}

// The header and the island of the page follow the connection with this event.
kit.stores.$connection.listen(({ status }, before) => {
  const now = getAccount();
  if (status === 'connected' && now) remember(now.address);
  // The wallet has withdrawn its access. One that does not connect again at a visit may only be locked.
  if (status === 'disconnected' && before?.status === 'connected') remember(undefined);
  if (status === 'connected' || status === 'disconnected') document.dispatchEvent(new Event('wallet'));
});

/** @throws ActionFailedError */
export async function connect(name: string): Promise<void> {
  const wallet = kit.stores.$wallets.get().find((one) => one.name === name);
  if (!wallet) throw new ActionFailedError(`${name} is no longer there`, 'Reload the page.');
  await kit.connectWallet({ wallet });
  if (getAccount()) return;
  throw new ActionFailedError(
    `${name} has no account for ${walletNetwork}`,
    `Switch it to ${walletNetwork} in the wallet, or choose another one.`,
  );
}

export async function disconnect(): Promise<void> {
  remember(undefined);
  await kit.disconnectWallet();
}

listenToForgetting(() => {
  if (getAccount()) kit.disconnectWallet();
});

/** Asks the wallet to sign a complete transaction. */
export const signTransaction: typeof kit.signTransaction = (request) => kit.signTransaction(request);

/** Asks the wallet to sign a text, which moves no coins. */
export async function signMessage(message: string): Promise<string> {
  const { signature } = await kit.signPersonalMessage({ message: new TextEncoder().encode(message) });
  return signature;
}

/** Waits until the wallet of the last visit is connected or its connection has failed; at most 6 s. */
export async function waitForConnection(): Promise<void> {
  if (recall() === undefined || getAccount()) return;
  await new Promise<void>((resolve) => {
    const stop = kit.stores.$connection.listen(({ status }) => {
      if (status !== 'connected' && status !== 'disconnected') return;
      stop();
      resolve();
    });
    setTimeout(resolve, 6_000);
  });
}
