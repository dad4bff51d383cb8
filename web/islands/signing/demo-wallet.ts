import { Signer } from '@mysten/sui/cryptography';
import { Ed25519PublicKey } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import {
  ReadonlyWalletAccount,
  registerWallet,
  type StandardConnectFeature,
  type StandardEventsFeature,
  SUI_LOCALNET_CHAIN,
  type SuiSignPersonalMessageFeature,
  type SuiSignTransactionFeature,
  type Wallet,
} from '@mysten/wallet-standard';
import { client } from './chain.ts';

export const demoWalletName = 'Demo wallet';

/** A key that the browser cannot export. It signs, but no script can read it, not even this page. */
class BrowserKey extends Signer {
  readonly #key: CryptoKey;
  readonly #publicKey: Ed25519PublicKey;

  constructor(key: CryptoKey, publicKey: Ed25519PublicKey) {
    super();
    this.#key = key;
    this.#publicKey = publicKey;
  }

  async sign(bytes: Uint8Array) {
    return new Uint8Array(await crypto.subtle.sign('Ed25519', this.#key, new Uint8Array(bytes)));
  }

  getKeyScheme() {
    return 'ED25519' as const;
  }

  getPublicKey() {
    return this.#publicKey;
  }
}

/** Runs a request in IndexedDB, which stores the keys as objects that cannot be exported. */
function inStore<Result>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<Result>) {
  return new Promise<Result>((resolve, reject) => {
    const opening = indexedDB.open('demo-wallet', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('keys');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const request = work(opening.result.transaction('keys', mode).objectStore('keys'));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    };
  });
}

async function browserKey(): Promise<BrowserKey> {
  const known = await inStore<CryptoKeyPair | undefined>('readonly', (store) => store.get('key'));
  const pair =
    known ?? ((await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair);
  if (!known) await inStore('readwrite', (store) => store.put(pair, 'key'));
  const raw = await crypto.subtle.exportKey('raw', pair.publicKey);
  return new BrowserKey(pair.privateKey, new Ed25519PublicKey(new Uint8Array(raw)));
}

/** Icon of the wallet in lists: a plug, like the icon of the site. */
const icon =
  'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAzMiAzMiI+PHBhdGggZmlsbD0iIzBhNmE2NiIgZD0iTTMgMTBoMTJ2NGgydi00aDEydjEySDE3di00aC0ydjRIM3oiLz48L3N2Zz4=';

type Features = StandardConnectFeature &
  StandardEventsFeature &
  SuiSignTransactionFeature &
  SuiSignPersonalMessageFeature;

/** Registers a wallet for a local network, whose chain other wallets do not know. */
export async function registerDemoWallet(): Promise<void> {
  const key = await browserKey();
  const account = new ReadonlyWalletAccount({
    address: key.toSuiAddress(),
    publicKey: key.getPublicKey().toSuiBytes(),
    chains: [SUI_LOCALNET_CHAIN],
    features: ['sui:signTransaction', 'sui:signPersonalMessage'],
  });
  const features: Features = {
    'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
    'standard:events': { version: '1.0.0', on: () => () => undefined },
    'sui:signPersonalMessage': {
      version: '1.1.0',
      signPersonalMessage: ({ message }) => key.signPersonalMessage(message),
    },
    'sui:signTransaction': {
      version: '2.0.0',
      async signTransaction({ transaction }) {
        const bytes = await Transaction.from(await transaction.toJSON()).build({ client });
        return await key.signTransaction(bytes);
      },
    },
  };
  const wallet: Wallet = {
    version: '1.0.0',
    name: demoWalletName,
    icon,
    chains: [SUI_LOCALNET_CHAIN],
    accounts: [account],
    features,
  };
  registerWallet(wallet);
}
