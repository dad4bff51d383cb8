/** Rights of cap holders to spend from a wallet: its policy, the policy's rules, and the caps themselves. */
import { type CapChange, insertCaps, type NewCap, updateCaps } from '../../../db/queries/wallets/caps.ts';
import {
  insertPolicies,
  insertPolicyRules,
  type PolicyChange,
  type PolicyRuleKey,
  removePolicyRules,
  updatePolicies,
} from '../../../db/queries/wallets/policies.ts';
import type { WalletEvents } from '../../../lib/chain/events/wallet.ts';
import type { Append, DecodedEvent } from './source.ts';

type WalletEvent = DecodedEvent<WalletEvents>;

/** Updates `policies` with events in chain order. */
export const foldPolicies: Append<WalletEvent> = async (client, network, events) => {
  const changes = new Map<string, PolicyChange & { initializedAt?: Date }>();
  const change = (part: PolicyChange) => {
    changes.set(part.walletId, { ...changes.get(part.walletId), ...part });
  };
  for (const { data, timestampMs } of events) {
    switch (data?.name) {
      case 'policy::PolicyInitialized': {
        const { walletId, version } = data.fields;
        changes.set(walletId, { walletId, initializedAt: new Date(timestampMs), version });
        break;
      }
      case 'policy::PolicyRevoked':
        change({ walletId: data.fields.walletId, version: data.fields.newVersion });
        break;
      case 'policy::SpendIntoChanged':
        change({ walletId: data.fields.walletId, spendInto: data.fields.allowed });
        break;
    }
  }
  const all = [...changes.values()];
  await insertPolicies(
    client,
    network,
    all.flatMap(({ walletId, version = 0, spendInto = false, initializedAt }) =>
      initializedAt ? [{ walletId, version, spendInto, initializedAt }] : [],
    ),
  );
  await updatePolicies(
    client,
    network,
    all.filter(({ initializedAt }) => !initializedAt),
  );
};

interface RuleChange extends PolicyRuleKey {
  /** `true` if the former rule is removed. */
  reset: boolean;
  /** Time since which the rule exists; undefined if it is removed. */
  addedAt?: Date;
}

/**
 * Updates `policy_rules` with events in chain order. Adding a present rule, or removing an absent one, changes nothing.
 */
export const foldPolicyRules: Append<WalletEvent> = async (client, network, events) => {
  const changes = new Map<string, RuleChange>();
  for (const { data, timestampMs } of events) {
    if (data?.name !== 'policy::AuthRuleChanged' && data?.name !== 'policy::CaveatRuleChanged') continue;
    const { walletId, rule, added } = data.fields;
    const kind = data.name === 'policy::AuthRuleChanged' ? 'auth' : 'caveat';
    const forAuth = data.name === 'policy::AuthRuleChanged' ? '' : (data.fields.auth ?? '');
    const key = [walletId, kind, rule, forAuth].join(' ');
    const former = changes.get(key);
    const since = added ? { addedAt: former?.addedAt ?? new Date(timestampMs) } : {};
    const reset = !added || (former?.reset ?? false);
    changes.set(key, { walletId, kind, rule, forAuth, reset, ...since });
  }
  const all = [...changes.values()];
  await removePolicyRules(
    client,
    network,
    all.filter(({ reset }) => reset),
  );
  await insertPolicyRules(
    client,
    network,
    all.flatMap(({ addedAt, ...key }) => (addedAt ? [{ ...key, addedAt }] : [])),
  );
};

/** Changes that a batch makes to a cap. */
interface CapFold extends CapChange {
  /** Data of its minting, if the batch has it. */
  created?: Omit<NewCap, 'remaining' | 'revokedAt' | 'burnedAt'>;
}

/** Updates `caps` with events in chain order. */
export const foldCaps: Append<WalletEvent> = async (client, network, events) => {
  const changes = new Map<string, CapFold>();
  const getChange = (capId: string) => {
    const change = changes.get(capId) ?? { capId, debited: 0n };
    changes.set(capId, change);
    return change;
  };
  for (const event of events) {
    const { data } = event;
    const at = new Date(event.timestampMs);
    switch (data?.name) {
      case 'cap_auth::DelegateCapMinted':
        getChange(data.fields.capId).created = { ...data.fields, kind: 'bearer', minted: event };
        break;
      case 'sub_delegate::ScopedCapMinted': {
        const { capId, budget, parent } = data.fields;
        const created = { ...data.fields, kind: 'scoped', minted: event };
        Object.assign(getChange(capId), { created, remaining: BigInt(budget) });
        // A sub-delegation takes its budget from the parent cap, without an event for that.
        if (parent !== null) debit(getChange(parent), BigInt(budget));
        break;
      }
      case 'sub_delegate::ScopedSpent':
      case 'sub_delegate::ScopedRefunded':
        Object.assign(getChange(data.fields.capId), {
          remaining: BigInt(data.fields.remaining),
          debited: 0n,
        });
        break;
      case 'cap_auth::DelegateCapRevoked':
      case 'sub_delegate::ScopedCapRevoked':
        getChange(data.fields.capId).revokedAt ??= at;
        break;
      case 'cap_auth::DelegateCapBurned':
        getChange(data.fields.capId).burnedAt = at;
        break;
      case 'sub_delegate::ScopedCapBurned':
        Object.assign(getChange(data.fields.capId), { burnedAt: at, remaining: 0n, debited: 0n });
        break;
    }
  }
  const all = [...changes.values()];
  await insertCaps(
    client,
    network,
    all.flatMap(({ created, ...change }) => (created ? [{ ...created, ...change }] : [])),
  );
  await updateCaps(
    client,
    network,
    all.filter(({ created }) => !created),
  );
};

function debit(change: CapChange, amount: bigint): void {
  if (change.remaining === undefined) change.debited += amount;
  // The value never goes below zero: an event that did not decode may have raised it before.
  else change.remaining = amount < change.remaining ? change.remaining - amount : 0n;
}
