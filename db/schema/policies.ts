import { bigint, boolean, index, integer, pgTable, primaryKey, smallint, sql, text } from '../orm/drizzle.ts';
import { amount, checkpointNumber, creation, inOrderBy, instant } from './columns.ts';

/** The delegation policy of each wallet that has one. */
export const policies = pgTable(
  'policies',
  {
    network: text('network').notNull(),
    walletId: text('wallet_id').notNull(),
    /** Increases when the owner revokes all caps; caps of an earlier version are not valid. */
    version: bigint('version', { mode: 'number' }).notNull(),
    /** `true` if a spend may hand the coin to the transaction instead of sending it to the recipient. */
    spendInto: boolean('spend_into').notNull().default(false),
    initializedAt: instant('initialized_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.walletId] })],
);

/** The rules that a policy holds now: one of its auth rules, and every caveat that goes with it, must agree. */
export const policyRules = pgTable(
  'policy_rules',
  {
    network: text('network').notNull(),
    walletId: text('wallet_id').notNull(),
    kind: text('kind').$type<'auth' | 'caveat'>().notNull(),
    /** Type of the rule's witness. */
    rule: text('rule').notNull(),
    /** Auth rule that a caveat applies to; empty for a caveat of all of them, and for auth rules. */
    forAuth: text('for_auth').notNull().default(''),
    addedAt: instant('added_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.walletId, table.kind, table.rule, table.forAuth] }),
    index('policy_rules_of_rule').on(table.network, table.rule, table.walletId),
  ],
);

/**
 * Every cap that was minted. The current holder is not stored: caps change hands without an event. A scoped cap is also
 * worthless if one of its ancestors was revoked, and any cap if the policy's version has increased.
 */
export const caps = pgTable(
  'caps',
  {
    network: text('network').notNull(),
    capId: text('cap_id').notNull(),
    kind: text('kind').$type<'bearer' | 'scoped'>().notNull(),
    walletId: text('wallet_id').notNull(),
    /** Address that it was minted for. Null if it was handed to the transaction, or the package does not report it. */
    recipient: text('recipient'),
    /** Null if the package does not report it. */
    policyVersion: bigint('policy_version', { mode: 'number' }),
    /** Coin type. The columns from here to `parent` are set for scoped caps only. */
    coin: text('coin'),
    /** Budget at minting, in base units. */
    budget: amount('budget'),
    /** Remaining budget after spends, sub-delegations and refunds. */
    remaining: amount('remaining'),
    /** 0 for a cap that the owner minted. */
    depth: smallint('depth'),
    maxDepth: smallint('max_depth'),
    /** The cap that it was split from. */
    parent: text('parent'),
    mintedAt: instant('minted_at').notNull(),
    mintedCheckpoint: checkpointNumber('minted_checkpoint').notNull(),
    mintedTxIndex: integer('minted_tx_index').notNull(),
    mintedEventIndex: integer('minted_event_index').notNull(),
    /** Time at which this cap itself was revoked. Null if it was not. */
    revokedAt: instant('revoked_at'),
    burnedAt: instant('burned_at'),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.capId] }),
    index('caps_of_wallet').on(table.network, table.walletId, ...inOrderBy('minted', table)),
    // A holder can split off any number of caps.
    index('caps_of_owner')
      .on(table.network, table.walletId, ...inOrderBy('minted', table))
      .where(sql`parent is null`),
    // A stranger can mint any number for an address.
    index('caps_by_recipient').on(table.network, table.recipient, ...inOrderBy('minted', table)),
    index('caps_of_parent')
      .on(table.network, table.parent, ...inOrderBy('minted', table))
      .where(sql`parent is not null`),
    // The caps of a wallet for an address: those that its owner minted, then those of the newest policy.
    index('caps_active_for')
      .on(
        table.network,
        table.recipient,
        table.walletId,
        sql`((parent is not null)::int)`,
        sql`coalesce(policy_version, 9223372036854775807) desc`,
        sql`minted_checkpoint desc`,
        sql`minted_tx_index desc`,
        sql`minted_event_index desc`,
      )
      .where(sql`revoked_at is null and burned_at is null`),
  ],
);

/** Wallets with caps that were minted for an address, with the first of these caps. */
export const capWallets = pgTable(
  'cap_wallets',
  {
    network: text('network').notNull(),
    recipient: text('recipient').notNull(),
    walletId: text('wallet_id').notNull(),
    mintedAt: instant('minted_at').notNull(),
    mintedCheckpoint: checkpointNumber('minted_checkpoint').notNull(),
    mintedTxIndex: integer('minted_tx_index').notNull(),
    mintedEventIndex: integer('minted_event_index').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.recipient, table.walletId] }),
    index('cap_wallets_in_order').on(table.network, table.recipient, ...inOrderBy('minted', table)),
  ],
);

/** Recipient allowlists. Only the latest of a wallet that is not retired is in force. */
export const allowlists = pgTable(
  'allowlists',
  {
    network: text('network').notNull(),
    allowlistId: text('allowlist_id').notNull(),
    walletId: text('wallet_id').notNull(),
    ...creation(),
    /** Null while it may be in force. */
    retiredAt: instant('retired_at'),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.allowlistId] }),
    index('allowlists_of_wallet').on(table.network, table.walletId),
  ],
);

/** Recipients that an allowlist allows now. */
export const allowlistRecipients = pgTable(
  'allowlist_recipients',
  {
    network: text('network').notNull(),
    allowlistId: text('allowlist_id').notNull(),
    recipient: text('recipient').notNull(),
    addedAt: instant('added_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.allowlistId, table.recipient] })],
);
