import { index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from '../orm/drizzle.ts';
import { instant } from './columns.ts';

/** Restrictions of an executor key. Amounts are decimal digits of base units, by coin type. */
export interface KeyScope {
  services?: string[];
  actions?: string[];
  maxPerRun?: Record<string, string>;
  maxPerDay?: Record<string, string>;
  /** `true` if tools for models may move funds with it without a person's confirmation. */
  unattended?: boolean;
}

/** Executor keys: each lets its holder have the agent run actions of one wallet. */
export const agentKeys = pgTable(
  'agent_keys',
  {
    /** `exec_...`: names the key and is not a secret. */
    id: text('id').primaryKey(),
    /** sha256 of the key, lower-case hex. The key itself is not stored. */
    digest: text('digest').notNull(),
    network: text('network').notNull(),
    walletId: text('wallet_id').notNull(),
    label: text('label'),
    /** `operator`, or the address of the wallet's owner: an owner's key ends when the wallet has another owner. */
    issuedBy: text('issued_by').notNull().default('operator'),
    /** Restrictions of the key; an absent part is not a restriction. */
    scope: jsonb('scope').$type<KeyScope>().notNull().default({}),
    createdAt: instant('created_at').notNull(),
    /** Null: it does not expire. */
    expiresAt: instant('expires_at'),
    /** Null while the key is not revoked. */
    revokedAt: instant('revoked_at'),
  },
  (table) => [
    uniqueIndex('agent_keys_digest').on(table.digest),
    index('agent_keys_of_wallet').on(table.network, table.walletId),
  ],
);

/** Sessions of addresses that signed in with their key. */
export const agentSessions = pgTable(
  'agent_sessions',
  {
    /** sha256 of the token, lower-case hex. */
    digest: text('digest').primaryKey(),
    address: text('address').notNull(),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [index('agent_sessions_expiry').on(table.expiresAt)],
);

/** Nonces that were used to sign in, until they would have expired: each can be used once. */
export const agentUsedNonces = pgTable(
  'agent_used_nonces',
  { nonce: text('nonce').primaryKey(), expiresAt: instant('expires_at').notNull() },
  (table) => [index('agent_used_nonces_expiry').on(table.expiresAt)],
);

/** The plan of each owner that was ever granted one. It is only checked if the operator has a paywall. */
export const agentPlans = pgTable('agent_plans', {
  owner: text('owner').primaryKey(),
  plan: text('plan').notNull(),
  grantedAt: instant('granted_at').notNull(),
  /** Null: no end date. */
  endsAt: instant('ends_at'),
});

/** The wallets and networks for which nothing is signed. */
export const agentFreezes = pgTable(
  'agent_freezes',
  {
    /** `*` for all. */
    network: text('network').notNull(),
    /** `*` for all. */
    walletId: text('wallet_id').notNull(),
    reason: text('reason').notNull(),
    frozenAt: instant('frozen_at').notNull(),
    /** A transaction of the managed key for the wallet that no run has; null if that is not the reason. */
    digest: text('digest'),
  },
  (table) => [primaryKey({ columns: [table.network, table.walletId] })],
);

/**
 * Adaptors that the operator read and confirmed, at exactly this version. If no lock holds an action to its bounds, or
 * the wallet granted to the managed key itself, only these are called.
 */
export const agentAdaptors = pgTable(
  'agent_adaptors',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    publisher: text('publisher').notNull(),
    /** Version of the listing. Updates up to it are confirmed too, for all wallets. */
    version: integer('version').notNull(),
    packageId: text('package_id').notNull(),
    manifestHash: text('manifest_hash').notNull(),
    confirmedAt: instant('confirmed_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.serviceType] })],
);

/** Updates of adaptors that owners confirmed for a wallet, as their code may do more than before. */
export const agentUpdates = pgTable(
  'agent_updates',
  {
    network: text('network').notNull(),
    walletId: text('wallet_id').notNull(),
    serviceType: text('service_type').notNull(),
    publisher: text('publisher').notNull(),
    /** Version of the listing up to which its updates are confirmed. */
    version: integer('version').notNull(),
    /** Owner of the wallet who confirmed it. */
    owner: text('owner').notNull(),
    confirmedAt: instant('confirmed_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.walletId, table.serviceType, table.publisher] })],
);
