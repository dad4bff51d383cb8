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

/** What a test wallet is made of. */
export interface WalletOptions {
  secretKey: string;
  name: string;
  /** As wallets name it: `localnet`, `testnet`. */
  network: string;
}

/** A wallet of the wallet standard that signs with a key of the demo: run in the page before its own scripts. */
function installWallet({ secretKey, name, network }: WalletOptions): void {
  const key = Ed25519Keypair.fromSecretKey(secretKey);
  const chain = `sui:${network}` as const;
  const account = new ReadonlyWalletAccount({
    address: key.toSuiAddress(),
    publicKey: key.getPublicKey().toSuiBytes(),
    chains: [chain],
    features: ['sui:signTransaction', 'sui:signPersonalMessage'],
  });
  const features: StandardConnectFeature &
    StandardEventsFeature &
    SuiSignTransactionFeature &
    SuiSignPersonalMessageFeature = {
    'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
    'standard:events': { version: '1.0.0', on: () => () => undefined },
    'sui:signPersonalMessage': {
      version: '1.1.0',
      async signPersonalMessage({ message }) {
        const signed = await key.signPersonalMessage(message);
        // A test has it answer with another signature once.
        const given = Reflect.get(globalThis, 'nextSignature');
        Reflect.deleteProperty(globalThis, 'nextSignature');
        return { ...signed, ...(given !== undefined && { signature: given }) };
      },
    },
    'sui:signTransaction': {
      version: '2.0.0',
      async signTransaction({ transaction }) {
        // A test has it refuse once.
        if (Reflect.get(globalThis, 'rejectNext')) {
          Reflect.set(globalThis, 'rejectNext', false);
          throw new Error('User rejected the request');
        }
        return await key.signTransaction(await Transaction.from(await transaction.toJSON()).build());
      },
    },
  };
  const icon = 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=';
  const wallet: Wallet = { version: '1.0.0', name, icon, chains: [chain], accounts: [account], features };
  registerWallet(wallet);
}

/** What the bundler puts in its place. */
declare const walletOptions: WalletOptions;

installWallet(walletOptions);
