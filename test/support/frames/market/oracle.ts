import type { GeneratedChain } from '../chain.ts';
import { type DecodedEvent, decodedEvents } from '../packages.ts';
import { type MarketTables, sortedMarket } from './tables.ts';
import { expectedUsage } from './usage-oracle.ts';

type Row = Record<string, unknown>;
type Table = Map<string, Row>;

/**
 * The expected tables after the chain, computed from one event at a time in plain code. The computation shares no
 * batches, no SQL and no method with the indexer.
 */
export function expectedMarket(chain: GeneratedChain): MarketTables {
  const made: Record<string, Table> = {};
  const table = (name: string) => (made[name] ??= new Map());
  const walletEvents = [...decodedEvents(chain, 'wallet')];
  for (const event of walletEvents) {
    wallet(event, table);
    caps(event, table('caps'));
  }
  for (const event of decodedEvents(chain, 'rules')) rules(event, table);
  for (const event of decodedEvents(chain, 'agents')) agents(event, table('agents'));
  for (const event of decodedEvents(chain, 'escrow')) jobs(event, table('jobs'));
  for (const { provider, state, coin, amount } of table('jobs').values()) {
    if (state !== 3) continue;
    const agent = table('agents').get(provider as string);
    if (agent) {
      agent.completed_jobs = (agent.completed_jobs as number) + 1;
      agent.earned = addAmounts(agent.earned, amount);
    }
    const key = `${provider} ${coin}`;
    const former = table('earnings').get(key) ?? { provider, coin, jobs: 0, amount: '0' };
    const jobs = (former.jobs as number) + 1;
    table('earnings').set(key, { ...former, jobs, amount: addAmounts(former.amount, amount) });
  }
  for (const { recipient, wallet_id, ...minted } of table('caps').values()) {
    const key = `${recipient} ${wallet_id}`;
    if (recipient === null || table('capWallets').has(key)) continue;
    const { minted_at, minted_checkpoint, minted_tx_index, minted_event_index } = minted;
    table('capWallets').set(key, {
      recipient,
      wallet_id,
      minted_at,
      minted_checkpoint,
      minted_tx_index,
      minted_event_index,
    });
  }
  const rows = (name: string) => [...table(name).values()];
  return sortedMarket({
    wallets: rows('wallets'),
    service_grants: rows('grants'),
    delegates: rows('delegates'),
    delegate_allowances: rows('allowances'),
    policies: rows('policies'),
    policy_rules: rows('policyRules'),
    caps: rows('caps'),
    cap_wallets: rows('capWallets'),
    allowlists: rows('allowlists'),
    allowlist_recipients: rows('recipients'),
    rules: rows('rules'),
    agents: rows('agents'),
    jobs: rows('jobs'),
    provider_earnings: rows('earnings'),
    ...expectedUsage(walletEvents),
  });
}

const addAmounts = (a: unknown, b: unknown): string =>
  String(BigInt(a as string) + BigInt((b ?? '0') as string));

const created = ({ at, checkpoint, txIndex, eventIndex }: DecodedEvent) => ({
  created_at: at,
  created_checkpoint: checkpoint,
  created_tx_index: txIndex,
  created_event_index: eventIndex,
});
/** Subtracts, with a minimum of zero. */
const lessDown = (left: unknown, amount: string) =>
  BigInt(left as string) > BigInt(amount) ? String(BigInt(left as string) - BigInt(amount)) : '0';
const removeWhere = (table: Table, matches: (row: Row) => boolean) => {
  for (const [key, row] of table) if (matches(row)) table.delete(key);
};

function wallet(event: DecodedEvent, table: (name: string) => Table): void {
  const { name, fields: f, at } = event;
  const grant = () => {
    const key = `${f.walletId} ${f.service} ${f.coin}`;
    const { walletId: wallet_id, service: service_type, coin } = f;
    const none = {
      wallet_id,
      service_type,
      coin,
      allowance: null,
      pull_cap: null,
      granted_at: at,
      first_granted_at: at,
    };
    if (!table('grants').has(key)) table('grants').set(key, none);
    return table('grants').get(key)!;
  };
  const delegateRow = () => table('delegates').get(`${f.walletId} ${f.delegate}`);
  const budget = (kind: string, delegate: string, key: string) => {
    const row = { wallet_id: f.walletId, delegate, kind, key };
    return [Object.values(row).join(' '), row] as const;
  };
  const ofDelegate = (row: Row) => row.wallet_id === f.walletId && row.delegate === f.delegate;
  switch (name) {
    case 'wallet::WalletCreated': {
      const row = { wallet_id: f.walletId, owner: f.owner, identity: f.signerAddress, paused: false };
      table('wallets').set(f.walletId, { ...row, ...created(event) });
      break;
    }
    case 'wallet::OwnerChanged': {
      const row = table('wallets').get(f.walletId);
      if (row) row.owner = f.owner;
      break;
    }
    case 'wallet::WalletPauseChanged': {
      const row = table('wallets').get(f.walletId);
      if (row) row.paused = f.paused;
      break;
    }
    case 'wallet::ServiceGranted':
      Object.assign(grant(), { allowance: f.allowance ?? null, granted_at: at });
      break;
    case 'wallet::ServicePullGranted':
      grant().pull_cap = f.cap === '0' ? null : f.cap;
      break;
    case 'wallet::CoinWithdrawn':
      if (f.service !== null && f.allowanceLeft) grant().allowance = f.allowanceLeft;
      break;
    case 'intent::PaymentValidated': {
      const row = table('grants').get(`${f.walletId} ${f.service} ${f.coin}`);
      if (!row || row.pull_cap === null || row.pull_cap === '18446744073709551615' || f.mode === 0) break;
      row.pull_cap = lessDown(row.pull_cap, f.amount);
      break;
    }
    case 'wallet::ServiceCoinRevoked':
      table('grants').delete(`${f.walletId} ${f.service} ${f.coin}`);
      break;
    case 'wallet::ServiceRevoked':
      removeWhere(table('grants'), (row) => row.wallet_id === f.walletId && row.service_type === f.service);
      break;
    case 'delegate::Added':
    case 'delegate::Removed':
      table('delegates').delete(`${f.walletId} ${f.delegate}`);
      removeWhere(table('allowances'), ofDelegate);
      if (name === 'delegate::Removed') break;
      table('delegates').set(`${f.walletId} ${f.delegate}`, {
        wallet_id: f.walletId,
        delegate: f.delegate,
        added_at: at,
        expires_at: null,
      });
      break;
    case 'delegate::ExpiryChanged': {
      const row = delegateRow();
      if (row) row.expires_at = f.expiresAtMs;
      break;
    }
    case 'delegate::ServiceAllowanceChanged':
    case 'delegate::CoinAllowanceChanged': {
      const [key, row] = f.service
        ? budget('service', f.delegate, f.service)
        : budget('coin', f.delegate, f.coin);
      table('allowances').set(key, { ...row, amount: f.newAmount });
      break;
    }
    case 'delegate::ServiceAllowanceDebited':
    case 'delegate::CoinAllowanceDebited': {
      const [key] = f.service ? budget('service', f.spender, f.service) : budget('coin', f.spender, f.coin);
      const row = table('allowances').get(key);
      if (row) row.amount = f.remaining;
      break;
    }
    case 'policy::PolicyInitialized':
      table('policies').set(f.walletId, {
        wallet_id: f.walletId,
        version: f.version,
        spend_into: false,
        initialized_at: at,
      });
      break;
    case 'policy::PolicyRevoked': {
      const row = table('policies').get(f.walletId);
      if (row) row.version = f.newVersion;
      break;
    }
    case 'policy::SpendIntoChanged': {
      const row = table('policies').get(f.walletId);
      if (row) row.spend_into = f.allowed;
      break;
    }
    case 'policy::AuthRuleChanged':
    case 'policy::CaveatRuleChanged': {
      const kind = name === 'policy::AuthRuleChanged' ? 'auth' : 'caveat';
      const row = { wallet_id: f.walletId, kind, rule: f.rule, for_auth: f.auth ?? '' };
      const key = Object.values(row).join(' ');
      if (!f.added) table('policyRules').delete(key);
      else if (!table('policyRules').has(key)) table('policyRules').set(key, { ...row, added_at: at });
      break;
    }
  }
}

function caps({ name, fields: f, at, ...position }: DecodedEvent, table: Table): void {
  const minted = {
    minted_at: at,
    minted_checkpoint: position.checkpoint,
    minted_tx_index: position.txIndex,
    minted_event_index: position.eventIndex,
    revoked_at: null,
    burned_at: null,
    cap_id: f.capId,
    wallet_id: f.walletId,
    recipient: f.recipient ?? null,
    policy_version: f.policyVersion ?? null,
    coin: f.coin ?? null,
    budget: f.budget ?? null,
    remaining: f.budget ?? null,
    depth: f.depth ?? null,
    max_depth: f.maxDepth ?? null,
    parent: f.parent ?? null,
  };
  const row = table.get(f.capId);
  switch (name) {
    case 'cap_auth::DelegateCapMinted':
      table.set(f.capId, { kind: 'bearer', ...minted });
      break;
    case 'sub_delegate::ScopedCapMinted': {
      table.set(f.capId, { kind: 'scoped', ...minted });
      const parent = table.get(f.parent);
      if (parent && parent.remaining !== null) {
        parent.remaining = lessDown(parent.remaining, f.budget);
      }
      break;
    }
    case 'sub_delegate::ScopedSpent':
    case 'sub_delegate::ScopedRefunded':
      if (row) row.remaining = f.remaining;
      break;
    case 'sub_delegate::ScopedCapBurned':
      if (row) Object.assign(row, { remaining: '0', burned_at: at });
      break;
    case 'cap_auth::DelegateCapBurned':
      if (row) row.burned_at = at;
      break;
    case 'cap_auth::DelegateCapRevoked':
    case 'sub_delegate::ScopedCapRevoked':
      if (row) row.revoked_at ??= at;
      break;
  }
}

function rules(event: DecodedEvent, table: (name: string) => Table): void {
  const { name, fields: f, at } = event;
  switch (name) {
    case 'rule::AllowlistCreated': {
      const row = { allowlist_id: f.allowlistId, wallet_id: f.walletId, retired_at: null };
      table('allowlists').set(f.allowlistId, { ...row, ...created(event) });
      break;
    }
    case 'rule::AllowlistRetired': {
      const row = table('allowlists').get(f.allowlistId);
      if (row) row.retired_at = at;
      break;
    }
    case 'rule::AllowlistChanged': {
      const key = `${f.allowlistId} ${f.recipient}`;
      const row = { allowlist_id: f.allowlistId, recipient: f.recipient, added_at: at };
      if (!f.allowed) table('recipients').delete(key);
      else if (!table('recipients').has(key)) table('recipients').set(key, row);
      break;
    }
    case 'registry::Registered':
    case 'registry::Updated':
    case 'registry::Unlisted': {
      const [, digits, path] = /^(?:0x)?([0-9a-f]{64})(::\w+::\w+)$/i.exec(f.ruleType) ?? [];
      const rule_type = digits ? `0x${digits.toLowerCase()}${path}` : f.ruleType;
      const key = `${rule_type} ${f.publisher}`;
      const row = table('rules').get(key);
      if (name === 'registry::Unlisted') {
        if (row) Object.assign(row, { listed: false, updated_at: at });
        break;
      }
      table('rules').set(key, {
        registered_at: at,
        registered_checkpoint: event.checkpoint,
        registered_tx_index: event.txIndex,
        registered_event_index: event.eventIndex,
        ...row,
        rule_type,
        publisher: f.publisher,
        raw_rule_type: f.ruleType,
        name_error: digits ? null : 'expected the form 0x<package>::<module>::<Witness>',
        kind: f.kind,
        package_id: f.packageId,
        manifest_uri: f.manifestUri,
        manifest_hash: f.manifestHash,
        version: f.version,
        listed: true,
        updated_at: at,
      });
      break;
    }
  }
}

function agents({ name, fields: f, at }: DecodedEvent, table: Table): void {
  const row = table.get(f.agent);
  if (name === 'registry::AgentUnlisted') {
    if (row) Object.assign(row, { listed: false, version: f.version, updated_at: at });
    return;
  }
  table.set(f.agent, {
    registered_at: row?.registered_at ?? at,
    agent: f.agent,
    name: f.name,
    description: f.description,
    skills: f.skills,
    card_url: f.cardUrl,
    version: f.version,
    listed: true,
    updated_at: at,
    completed_jobs: 0,
    earned: '0',
  });
}

function jobs(event: DecodedEvent, table: Table): void {
  const { name, fields: f, at } = event;
  const row = table.get(f.jobId);
  const fill = (values: Row) => {
    for (const [column, value] of Object.entries(values)) if (row && value !== undefined) row[column] = value;
  };
  switch (name) {
    case 'job::JobCreated':
      table.set(f.jobId, {
        job_id: f.jobId,
        wallet_id: f.walletId,
        provider: f.provider,
        payer: f.payer ?? null,
        coin: f.coin ?? null,
        amount: f.amount ?? null,
        state: 0,
        brief: f.brief ?? null,
        note: null,
        deadline_at: f.deadlineMs ?? null,
        review_ms: f.reviewMs ?? null,
        assessor_type: f.assessorType,
        assessor: null,
        assessor_cap_id: null,
        funder: null,
        from_wallet: null,
        refunded_to: null,
        refund_reason: null,
        ...created(event),
        funded_at: null,
        submitted_at: null,
        released_at: null,
        refunded_at: null,
      });
      break;
    case 'job::JobFunded':
      fill({ state: 1, amount: f.amount, funder: f.funder, from_wallet: f.fromWallet, funded_at: at });
      break;
    case 'job::JobSubmitted':
      fill({ state: 2, note: f.note, submitted_at: at });
      break;
    case 'job::JobReleased':
      fill({ state: 3, coin: f.coin, released_at: at });
      break;
    case 'job::JobRefunded':
      fill({ state: 4, payer: f.payer, coin: f.coin, refunded_at: at });
      fill({ refunded_to: f.refundedTo, refund_reason: f.reason });
      break;
    case 'cap_assessor::AssessorCapMinted':
      fill({ assessor_cap_id: f.capId, assessor: f.assessor });
      break;
  }
}
