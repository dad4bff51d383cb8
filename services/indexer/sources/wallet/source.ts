import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import { settleUsage } from '../../../../db/queries/usage.ts';
import { insertWallets, updateWallets, type WalletChange } from '../../../../db/queries/wallets/wallets.ts';
import { type WalletEvents, walletEvents } from '../../../../lib/chain/events/wallet.ts';
import { type ChainEvent, type DecodedEvent, decodeForStorage, type Source } from '../source.ts';
import { appendActions } from './actions.ts';
import { foldCaps, foldPolicies, foldPolicyRules } from './policies.ts';
import { foldDelegates, foldGrants } from './spending.ts';

const folds = [foldWallets, foldGrants, foldDelegates, foldPolicies, foldPolicyRules, foldCaps];

/**
 * Wallets: what they grant to services, delegates and caps, and what is done through services. The state of wallets is
 * folded batch by batch, each row once; use only grows, and is added up when it is settled.
 */
export const walletSource: Source<DecodedEvent<WalletEvents>> = {
  name: 'wallet',

  packages: ({ walletPackageId: packageId }) =>
    packageId === undefined
      ? []
      : [
          {
            packageId,
            setting: 'WALLET_PACKAGE_ID',
            modules: ['wallet', 'delegate', 'intent', 'policy', 'cap_auth', 'sub_delegate', 'action'],
          },
        ],

  decode: (path, contents) => decodeForStorage(walletEvents, path, contents),

  async append(client, network, events) {
    // Before the wallets are updated: of each action, the owner at its moment counts.
    await appendActions(client, network, events);
    for (const fold of folds) await fold(client, network, events);
  },

  settle: settleUsage,
};

interface Change extends WalletChange {
  created?: ChainEvent<DecodedEvent<WalletEvents>>;
  identity?: string;
}

/** Updates `wallets` with events in chain order. */
async function foldWallets(
  client: ClientBase,
  network: Network,
  events: readonly ChainEvent<DecodedEvent<WalletEvents>>[],
): Promise<void> {
  const changes = new Map<string, Change>();
  const changeOf = (walletId: string) => {
    const change = changes.get(walletId) ?? { walletId };
    changes.set(walletId, change);
    return change;
  };
  for (const event of events) {
    switch (event.data?.name) {
      case 'wallet::WalletCreated': {
        const { walletId, owner, signerAddress } = event.data.fields;
        Object.assign(changeOf(walletId), { created: event, owner, identity: signerAddress });
        break;
      }
      case 'wallet::OwnerChanged':
        changeOf(event.data.fields.walletId).owner = event.data.fields.owner;
        break;
      case 'wallet::WalletPauseChanged':
        changeOf(event.data.fields.walletId).paused = event.data.fields.paused;
        break;
    }
  }
  const all = [...changes.values()];
  await insertWallets(
    client,
    network,
    all.flatMap(({ walletId, created, owner = '', identity = '', paused = false }) =>
      created ? [{ walletId, created, owner, identity, paused }] : [],
    ),
  );
  await updateWallets(
    client,
    network,
    all.filter(({ created }) => !created),
  );
}
