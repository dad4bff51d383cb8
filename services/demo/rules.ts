import { allowlistRule } from '@adaptor-marketplace/adaptor/calls/allowlist';
import { walletRules } from '@adaptor-marketplace/adaptor/calls/policy';
import { register, type ruleKinds } from '@adaptor-marketplace/adaptor/calls/rules';
import { execute } from '@adaptor-marketplace/localnet/account';
import type { Cast } from './cast.ts';
import type { Core } from './core.ts';
import type { Store } from './store-manifest.ts';

/** Lists the rules that the wallet and the rules package bring. */
export async function listRules({ operator }: Cast, core: Core, store: Store): Promise<void> {
  const { capAuth, scopedAuth, scopedBudget } = walletRules(core.wallet);
  const rule = (kind: keyof typeof ruleKinds, ruleType: string, name: string, summary: string) => ({
    ...{ kind, ruleType, name, summary },
    packageId: ruleType.slice(0, ruleType.indexOf('::')),
  });
  const rules = [
    rule('auth', capAuth, 'Bearer cap', 'Whoever holds the cap may ask for a spend.'),
    rule('auth', scopedAuth, 'Scoped cap', 'Whoever holds the cap may spend its budget of one coin.'),
    rule('caveat', scopedBudget, 'Scoped budget', 'The spend was taken off the budget of a scoped cap.'),
    rule(
      'caveat',
      allowlistRule(core.rules.packageId),
      'Recipient allowlist',
      'Only listed recipients are paid.',
    ),
  ];
  const stored = await Promise.all(rules.map((manifest) => store(manifest)));
  await execute(operator, (tx) => {
    rules.forEach(({ kind, ruleType, packageId }, index) => {
      register(tx, core.rules, { kind, ruleType, packageId, ...stored[index]! });
    });
  });
}
