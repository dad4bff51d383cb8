import { type RulesEvents, rulesEvents } from '../../../lib/chain/events/rules.ts';
import { foldAllowlists } from './rules/allowlists.ts';
import { foldRules } from './rules/rules.ts';
import type { Source } from './source.ts';
import { type DecodedEvent, decodeForStorage } from './storable.ts';

/** An event of the rule registry or of the allowlist, told apart by `module::Name`. */
export type RulesEvent = DecodedEvent<RulesEvents>;

/** Policy rules: the registry of them, and recipient allowlists. */
export const rulesSource: Source<RulesEvent> = {
  name: 'rules',

  packages({ rulesPackageId, allowlistPackageId }) {
    const registry = rulesPackageId && {
      packageId: rulesPackageId,
      setting: 'RULES_PACKAGE_ID',
      modules: allowlistPackageId === undefined ? ['registry', 'rule'] : ['registry'],
    };
    const allowlist = allowlistPackageId && {
      packageId: allowlistPackageId,
      setting: 'ALLOWLIST_PACKAGE_ID',
      modules: ['rule'],
    };
    return [registry, allowlist].filter((followed) => typeof followed === 'object');
  },

  decode: (path, contents) => decodeForStorage(rulesEvents, path, contents),

  async append(client, network, events) {
    await foldRules(client, network, events);
    await foldAllowlists(client, network, events);
  },

  async settle() {
    return false;
  },
};
