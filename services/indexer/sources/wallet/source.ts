import type { Source } from '../source.ts';
import { actionsOf, appendActions } from './actions.ts';
import { foldCaps } from './caps.ts';
import { foldDelegates } from './delegates.ts';
import { decodeWalletEvent, type WalletEvent } from './event.ts';
import { foldGrants } from './grants.ts';
import { ownersAtActions } from './owners.ts';
import { foldPolicies } from './policies.ts';
import { foldPolicyRules } from './policy-rules.ts';
import { settleUsage } from './usage.ts';
import { foldWallets } from './wallets.ts';

const folds = [foldWallets, foldGrants, foldDelegates, foldPolicies, foldPolicyRules, foldCaps];

/**
 * Wallets: what they hold out to services, delegates and caps, and what is done through services. The state of
 * wallets is folded batch by batch, each row once; use only grows, and is added up when it is settled.
 */
export const walletSource: Source<WalletEvent> = {
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

  decode: decodeWalletEvent,

  async append(client, network, events) {
    const actions = actionsOf(events);
    // Before the wallets are brought up to date: of each action, the owner at its moment counts.
    const owners = await ownersAtActions(client, network, events, actions);
    await appendActions(client, network, actions, owners);
    for (const fold of folds) await fold(client, network, events);
  },

  settle: settleUsage,
};
