import type { WalletKey } from '../../db/queries/wallets/wallets.ts';
import { type Policy, type PolicyRule, readPolicies } from '../../db/queries/wallets/policies.ts';
import { builder } from '../builder.ts';
import type { GraphContext } from '../context.ts';

const ruleType = builder.objectRef<PolicyRule>('PolicyRule').implement({
  description: 'A rule that a policy holds.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'auth or caveat.' }),
    rule: t.exposeString('rule', { description: 'Type of its witness.' }),
    forAuth: t.exposeString('forAuth', {
      nullable: true,
      description: 'The auth rule that a caveat goes with; null for a caveat of all of them.',
    }),
  }),
});

interface ShownPolicy extends Policy {
  /** Null where the list was too long for one answer. */
  recipients: string[] | null;
}

export const policyType = builder.objectRef<ShownPolicy>('Policy').implement({
  description: 'What those who spend by a cap are bound to.',
  fields: (t) => ({
    version: t.expose('version', { type: 'Count', description: 'Caps of an earlier one open nothing.' }),
    spendInto: t.exposeBoolean('spendInto', {
      description: 'Whether a spend may hand the coin to the transaction, where no recipient is checked.',
    }),
    rules: t.expose('rules', { type: [ruleType], description: 'Auth rules first; 200 at most.' }),
    allowlistId: t.string({
      nullable: true,
      description: 'The list of recipients in force.',
      resolve: ({ allowlist }) => allowlist?.allowlistId ?? null,
    }),
    recipients: t.exposeStringList('recipients', {
      nullable: true,
      description: 'Who is on that list; null where there is none, or all that were asked for are too long.',
    }),
  }),
});

/** Reads the policies of many wallets in one round trip per network. */
export async function loadPolicies(
  keys: readonly WalletKey[],
  { db }: GraphContext,
): Promise<(ShownPolicy | null)[]> {
  const found = new Map<WalletKey, ShownPolicy>();
  for (const [network, wanted] of Map.groupBy(keys, (key) => key.network)) {
    const walletIds = wanted.map(({ walletId }) => walletId);
    const { policies, tooLong } = await readPolicies(db, { network, walletIds, capIds: [] });
    for (const key of wanted) {
      const policy = policies.get(key.walletId);
      if (!policy) continue;
      const recipients = tooLong.has(key.walletId) ? null : (policy.allowlist?.recipients ?? null);
      found.set(key, { ...policy, recipients });
    }
  }
  return keys.map((key) => found.get(key) ?? null);
}
