import type { Database } from '../../db/client.ts';
import { eq, sql } from '../../db/orm/drizzle.ts';
import { refreshRanks } from '../../db/queries/catalog/ranks.ts';
import { lockCatalog } from '../../db/queries/catalog/revision.ts';
import * as tables from '../../db/schema/index.ts';
import { inTransaction } from '../../db/transaction.ts';
import { address, checkedRegistration, computeCheckpointTime } from './read-model.ts';

type Row<T extends { $inferInsert: unknown }> = Partial<T['$inferInsert']>;

const network = 'testnet';

/**
 * Fills the tables of wallets, rules, agents and jobs as the indexer would, for testnet. Each row that has a position
 * on the chain takes the next checkpoint, so that later calls come later on the chain.
 */
export function walletRows({ orm, pool }: Pick<Database, 'orm' | 'pool'>) {
  let checkpoint = 0;

  /** First ids of each kind, which show the kind of an object. */
  const ids = { wallet: 0x10_0000, cap: 0x20_0000, list: 0x30_0000, job: 0x40_0000, agent: 0x50_0000 };
  const next = (kind: keyof typeof ids) => address(++ids[kind]);
  const created = () => {
    const at = ++checkpoint;
    return {
      createdAt: computeCheckpointTime(at),
      createdCheckpoint: at,
      createdTxIndex: 0,
      createdEventIndex: 0,
    };
  };

  /** Adds up the released jobs of a provider. */
  async function countCompleted(provider: string): Promise<void> {
    await orm.delete(tables.providerEarnings).where(eq(tables.providerEarnings.provider, provider));
    await orm.execute(sql`insert into provider_earnings (network, provider, coin, jobs, amount)
      select network, provider, coin, count(*), coalesce(sum(amount), 0) from jobs where provider = ${provider} and state = 3
      group by network, provider, coin`);
    await orm.execute(sql`update agents a set completed_jobs = e.jobs, earned = e.amount
      from (select coalesce(sum(jobs), 0) as jobs, coalesce(sum(amount), 0) as amount from provider_earnings
        where provider = ${provider}) e
      where a.agent = ${provider}`);
  }

  return {
    /** Adds jobs by which as many owners hire an agent, once each. */
    async hirers(agent: string, count: number): Promise<void> {
      await orm.execute(sql`insert into rank_credits (network, subject, is_agent, owner, uses, first_use_at, last_use_at)
        select ${network}, ${agent}, true, 'hirer' || n, 1, now(), now() from generate_series(1, ${count}::int) n`);
      await inTransaction(pool, async (client) => refreshRanks(client, await lockCatalog(client, network)));
    },

    async wallet(owner: string, row: Row<typeof tables.wallets> = {}): Promise<string> {
      const walletId = next('wallet');
      await orm
        .insert(tables.wallets)
        .values({ network, walletId, owner, identity: walletId, ...created(), ...row });
      return walletId;
    },

    async delegate(walletId: string, delegate: string, row: Row<typeof tables.delegates> = {}) {
      const addedAt = computeCheckpointTime(++checkpoint);
      await orm.insert(tables.delegates).values({ network, walletId, delegate, addedAt, ...row });
    },

    async allowance(
      walletId: string,
      delegate: string,
      kind: 'service' | 'coin',
      key: string,
      amount: string,
    ) {
      await orm.insert(tables.delegateAllowances).values({ network, walletId, delegate, kind, key, amount });
    },

    async grant(walletId: string, serviceType: string, coin: string, allowance: string) {
      const grantedAt = computeCheckpointTime(++checkpoint);
      await orm
        .insert(tables.serviceGrants)
        .values({ network, walletId, serviceType, coin, allowance, grantedAt, firstGrantedAt: grantedAt });
    },

    async policy(walletId: string, row: Row<typeof tables.policies> = {}) {
      const values = {
        network,
        walletId,
        version: 1,
        initializedAt: computeCheckpointTime(++checkpoint),
        ...row,
      };
      const target = [tables.policies.network, tables.policies.walletId];
      await orm.insert(tables.policies).values(values).onConflictDoUpdate({ target, set: values });
    },

    async policyRule(walletId: string, kind: 'auth' | 'caveat', rule: string, forAuth = '') {
      const addedAt = computeCheckpointTime(++checkpoint);
      await orm.insert(tables.policyRules).values({ network, walletId, kind, rule, forAuth, addedAt });
    },

    async allowlist(walletId: string, recipients: string[], row: Row<typeof tables.allowlists> = {}) {
      const allowlistId = next('list');
      await orm.insert(tables.allowlists).values({ network, allowlistId, walletId, ...created(), ...row });
      for (const recipient of recipients) {
        const addedAt = computeCheckpointTime(checkpoint);
        await orm.insert(tables.allowlistRecipients).values({ network, allowlistId, recipient, addedAt });
      }
      return allowlistId;
    },

    async cap(walletId: string, row: Row<typeof tables.caps> = {}): Promise<string> {
      const capId = next('cap');
      const at = ++checkpoint;
      await orm.insert(tables.caps).values({
        network,
        capId,
        kind: 'bearer',
        walletId,
        policyVersion: 1,
        mintedAt: computeCheckpointTime(at),
        mintedCheckpoint: at,
        mintedTxIndex: 0,
        mintedEventIndex: 0,
        ...row,
      });
      if (row.recipient) {
        await orm
          .insert(tables.capWallets)
          .values({
            network,
            recipient: row.recipient,
            walletId,
            mintedAt: computeCheckpointTime(at),
            mintedCheckpoint: at,
            mintedTxIndex: 0,
            mintedEventIndex: 0,
          })
          .onConflictDoNothing();
      }
      return capId;
    },

    async rule(ruleType: string, row: Row<typeof tables.rules> = {}) {
      const at = ++checkpoint;
      await orm.insert(tables.rules).values({
        network,
        ruleType,
        rawRuleType: ruleType,
        publisher: address(0xa0),
        kind: 'caveat',
        packageId: ruleType.split('::')[0]!,
        manifestUri: `walrus://rule${at}`,
        manifestHash: `${at}`.padStart(64, '0'),
        ...checkedRegistration(at),
        ...row,
      });
    },

    async agent(name: string, row: Row<typeof tables.agents> = {}): Promise<string> {
      const agent = next('agent');
      const at = computeCheckpointTime(++checkpoint);
      await orm.insert(tables.agents).values({
        network,
        agent,
        name,
        description: `${name} works.`,
        skills: ['work'],
        version: 1,
        listed: true,
        registeredAt: at,
        updatedAt: at,
        ...row,
      });
      await countCompleted(row.agent ?? agent);
      return agent;
    },

    async job(provider: string, row: Row<typeof tables.jobs> = {}): Promise<string> {
      const jobId = next('job');
      await orm.insert(tables.jobs).values({
        network,
        jobId,
        walletId: address(0xbeef),
        provider,
        payer: address(0xfeed),
        coin: `${address(2)}::sui::SUI`,
        amount: '100',
        state: 0,
        brief: 'Do it.',
        assessorType: `${address(9)}::cap_assessor::CapAssessor`,
        ...created(),
        ...row,
      });
      if (row.state === 3) await countCompleted(provider);
      return jobId;
    },
  };
}
