import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import {
  ReadonlyWalletAccount,
  registerWallet,
  type StandardConnectFeature,
  type StandardEventsFeature,
  type SuiSignPersonalMessageFeature,
  type SuiSignTransactionFeature,
  type Wallet,
} from '@mysten/wallet-standard';

/** Key, name and network of a test wallet. */
export interface WalletOptions {
  secretKey: string;
  name: string;
  /** Name of the network, as wallets use it: `localnet` or `testnet`. */
  network: string;
}

/**
 * Installs a wallet of the wallet standard that signs with one of the demo's keys. It runs in the page before the
 * page's own scripts.
 */
function installWallet({ secretKey, name, network }: WalletOptions): void {
  const chain = `sui:${network}` as const;
  let key: Ed25519Keypair;
  let account: ReadonlyWalletAccount;
  const listeners = new Set<() => void>();
  function useKey(secret: string): void {
    key = Ed25519Keypair.fromSecretKey(secret);
    account = new ReadonlyWalletAccount({
      address: key.toSuiAddress(),
      publicKey: key.getPublicKey().toSuiBytes(),
      chains: [chain],
      features: ['sui:signTransaction', 'sui:signPersonalMessage'],
    });
    for (const listener of listeners) listener();
  }
  useKey(secretKey);
  // A test can switch the wallet to another account, as its owner does in the wallet.
  Reflect.set(globalThis, 'switchAccount', useKey);
  const features: StandardConnectFeature &
    StandardEventsFeature &
    SuiSignTransactionFeature &
    SuiSignPersonalMessageFeature = {
    'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
    'standard:events': {
      version: '1.0.0',
      on(_, listener) {
        const changed = () => listener({ accounts: [account] });
        listeners.add(changed);
        return () => listeners.delete(changed);
      },
    },
    'sui:signPersonalMessage': {
      version: '1.1.0',
      async signPersonalMessage({ message }) {
        const signed = await key.signPersonalMessage(message);
        // A test can replace the next signature.
        const given = Reflect.get(globalThis, 'nextSignature');
        Reflect.deleteProperty(globalThis, 'nextSignature');
        return { ...signed, ...(given !== undefined && { signature: given }) };
      },
    },
    'sui:signTransaction': {
      version: '2.0.0',
      async signTransaction({ transaction }) {
        // A test can make the wallet reject the next request.
        if (Reflect.get(globalThis, 'rejectNext')) {
          Reflect.set(globalThis, 'rejectNext', false);
          throw new Error('User rejected the request');
        }
        return await key.signTransaction(await Transaction.from(await transaction.toJSON()).build());
      },
    },
  };
  const icon = 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=';
  const wallet: Wallet = {
    version: '1.0.0',
    name,
    icon,
    chains: [chain],
    get accounts() {
      return [account];
    },
    features,
  };
  registerWallet(wallet);
}

/** `walletScript` declares this name around the bundle. */
declare const walletOptions: WalletOptions;

installWallet(walletOptions);
