import { index, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** Executor keys: each has the agent run actions of one wallet. */
export const agentKeys = pgTable(
  'agent_keys',
  {
    /** `exec_...`: names the key and is no secret. */
    id: text('id').primaryKey(),
    /** sha256 of the key, lower-case hex; the key itself is kept nowhere. */
    digest: text('digest').notNull(),
    network: text('network').notNull(),
    walletId: text('wallet_id').notNull(),
    label: text('label'),
    createdAt: instant('created_at').notNull(),
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

/** Where nothing is signed at present. */
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
