import { index, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** What an executor key is narrowed to. Amounts are decimal digits of base units, by coin type. */
export interface KeyScope {
  services?: string[];
  actions?: string[];
  maxPerRun?: Record<string, string>;
  maxPerDay?: Record<string, string>;
  /** Whether tools for models move funds with it without a person who confirms. */
  unattended?: boolean;
}

/** Executor keys: each has the agent run actions of one wallet. */
export const agentKeys = pgTable(
  'agent_keys',
  {
    /** `exec_...`: names the key and is not a secret. */
    id: text('id').primaryKey(),
    /** sha256 of the key, lower-case hex; the key itself is kept nowhere. */
    digest: text('digest').notNull(),
    network: text('network').notNull(),
    walletId: text('wallet_id').notNull(),
    label: text('label'),
    /** `operator`, or the address of the wallet's owner: an owner's key ends when the wallet has another owner. */
    issuedBy: text('issued_by').notNull().default('operator'),
    /** What it may do; an absent part is not a bound. */
    scope: jsonb('scope').$type<KeyScope>().notNull().default({}),
    createdAt: instant('created_at').notNull(),
    /** Null: it has no end. */
    expiresAt: instant('expires_at'),
    /** Null while the key is good. */
    revokedAt: instant('revoked_at'),
  },
  (table) => [
    uniqueIndex('agent_keys_digest').on(table.digest),
    index('agent_keys_of_wallet').on(table.network, table.walletId),
  ],
);

/** Who signed in with the key of an address. */
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

/** Nonces that somebody signed in with, until they would have expired: each is good for once. */
export const agentUsedNonces = pgTable(
  'agent_used_nonces',
  { nonce: text('nonce').primaryKey(), expiresAt: instant('expires_at').notNull() },
  (table) => [index('agent_used_nonces_expiry').on(table.expiresAt)],
);

/** The plan of each owner that was ever granted one. Only asked for where the host has a paywall. */
export const agentPlans = pgTable('agent_plans', {
  owner: text('owner').primaryKey(),
  plan: text('plan').notNull(),
  grantedAt: instant('granted_at').notNull(),
  /** Null: until it is ended. */
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
  },
  (table) => [primaryKey({ columns: [table.network, table.walletId] })],
);

/**
 * Adaptors that the operator read and confirmed, at exactly this version. Where no lock holds an action to its bounds,
 * or the wallet granted to the managed key itself, only these are called.
 */
export const agentAdaptors = pgTable(
  'agent_adaptors',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    publisher: text('publisher').notNull(),
    packageId: text('package_id').notNull(),
    manifestHash: text('manifest_hash').notNull(),
    confirmedAt: instant('confirmed_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.serviceType] })],
);
