import { walletEvents } from '../../../lib/chain/events/wallet.ts';
import { type Rows, writeRow } from './rows.ts';

/** State of all wallets. */
interface Wallets {
  owners: Map<string, string>;
  paused: Map<string, boolean>;
  delegates: Rows;
  /** Allowances by wallet, service and coin. */
  grants: Map<string, bigint>;
  /** Digests of the transactions in which a service was used, by service and wallet. */
  uses: Map<string, Set<string>>;
  /** Number of payments out of wallets under a cap, by recipient. */
  payments: Map<string, number>;
}

export const createWallets = (): Wallets => ({
  owners: new Map(),
  paused: new Map(),
  delegates: new Set(),
  grants: new Map(),
  uses: new Map(),
  payments: new Map(),
});

export function foldWalletEvent(name: string, bcs: Uint8Array, digest: string, wallets: Wallets): void {
  const { owners, paused, delegates, grants, uses, payments } = wallets;
  if (!walletEvents.isName(name)) return;
  // biome-ignore lint/suspicious/noExplicitAny: the fields of all events are read alike
  const fields = walletEvents.decode(name, bcs) as any;
  if (name === 'wallet::WalletCreated' || name === 'wallet::OwnerChanged')
    owners.set(fields.walletId, fields.owner);
  if (name === 'wallet::WalletPauseChanged') paused.set(fields.walletId, fields.paused);
  if (name === 'delegate::Added') delegates.add(writeRow([fields.walletId, fields.delegate]));
  if (name === 'delegate::Removed') delegates.delete(writeRow([fields.walletId, fields.delegate]));
  if (name === 'policy::SpendConfirmed')
    payments.set(fields.recipient, (payments.get(fields.recipient) ?? 0) + 1);
  const isUse = ['wallet::CoinWithdrawn', 'wallet::CoinDeposited', 'intent::PaymentValidated'].includes(name);
  if (
    isUse &&
    fields.service !== null &&
    fields.amount !== '0' &&
    !fields.service.endsWith('::PolicySpend')
  ) {
    const used = `${fields.service} ${fields.walletId}`;
    uses.set(used, (uses.get(used) ?? new Set()).add(digest));
  }
  const key = `${fields.walletId} ${fields.service} ${fields.coin}`;
  if (name === 'wallet::ServiceGranted') grants.set(key, BigInt(fields.allowance));
  if (name === 'wallet::ServiceCoinRevoked') grants.delete(key);
  if (name === 'wallet::CoinWithdrawn' && grants.has(key) && fields.allowanceLeft !== null)
    grants.set(key, BigInt(fields.allowanceLeft));
  if (name !== 'wallet::ServiceRevoked') return;
  for (const other of grants.keys())
    if (other.startsWith(`${fields.walletId} ${fields.service} `)) grants.delete(other);
}

/** Rows of the tables about wallets. */
export function listWallets({ owners, paused, delegates, grants, uses }: Wallets) {
  return {
    wallets: new Set([...owners].map(([id, owner]) => writeRow([id, owner, paused.get(id) ?? false]))),
    delegates,
    grants: new Set([...grants].map(([key, allowance]) => writeRow([...key.split(' '), String(allowance)]))),
    uses: new Set([...uses].map(([key, digests]) => writeRow([...key.split(' '), digests.size]))),
  };
}
