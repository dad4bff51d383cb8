import { parseServiceType } from '@adaptor-marketplace/adaptor';
import { announceManifests, lockManifests, readRuleManifests } from '../../../db/queries/manifests.ts';
import { unlistRules, upsertRules } from '../../../db/queries/rules.ts';
import {
  insertAllowlists,
  insertRecipients,
  type NewAllowlist,
  type RecipientKey,
  removeRecipients,
  retireAllowlists,
} from '../../../db/queries/wallets/allowlists.ts';
import { type RulesEvents, rulesEvents } from '../../../lib/chain/events/rules.ts';
import { judgeManifests } from '../manifests/fit.ts';
import { type Append, type ChainEvent, type DecodedEvent, decodeForStorage, type Source } from './source.ts';

/** An event of the rule registry or of the allowlist. */
type RulesEvent = DecodedEvent<RulesEvents>;
type Event = ChainEvent<RulesEvent>;

/** Policy rules: their registry, and recipient allowlists. */
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
};

/** Changes that a batch makes to a rule. */
interface RuleChange {
  ruleType: string;
  nameError: string | null;
  publisher: string;
  /**
   * Content of the last registration or update, and the first such event; undefined if the batch only unlists the rule.
   */
  described?: { first: Event; content: RulesEvents['registry::Registered'] } | undefined;
  listed: boolean;
  updatedAt: Date;
}

/** Stores rules with content, and the resulting changes of their manifests. */
const storeRules: typeof upsertRules = async (client, network, rules) => {
  if (rules.length === 0) return;
  await lockManifests(client, network);
  const former = await readRuleManifests(client, network, rules);
  await upsertRules(client, network, rules);
  const named = rules.map(({ manifestHash: hash, manifestUri: uri }) => ({ hash, uri }));
  await announceManifests(client, network, named, former);
  const keys = rules.map(({ ruleType: type, publisher }) => ({ type, publisher }));
  await judgeManifests(client, network, 'rules', keys);
};

/** Updates `rules` with events in chain order. A rule type that was only ever unlisted gets no row. */
const foldRules: Append<RulesEvent> = async (client, network, events) => {
  const changes = new Map<string, RuleChange>();
  for (const event of events) {
    switch (event.data?.name) {
      case 'registry::Registered':
      case 'registry::Updated':
      case 'registry::Unlisted': {
        const { ruleType: raw, publisher } = event.data.fields;
        const name = parseServiceType(raw);
        const [ruleType, nameError] = 'error' in name ? [raw, name.error] : [name.canonical, null];
        const key = `${publisher} ${ruleType}`;
        const former = changes.get(key)?.described;
        const listed = event.data.name !== 'registry::Unlisted';
        const described =
          event.data.name === 'registry::Unlisted'
            ? former
            : { first: former?.first ?? event, content: event.data.fields };
        const updatedAt = new Date(event.timestampMs);
        changes.set(key, { ruleType, nameError, publisher, described, listed, updatedAt });
        break;
      }
    }
  }
  const all = [...changes.values()];
  await storeRules(
    client,
    network,
    all.flatMap(({ described, ...change }) => {
      if (!described) return [];
      const { ruleType: rawRuleType, ...content } = described.content;
      return [{ ...content, ...change, rawRuleType, registered: described.first }];
    }),
  );
  await unlistRules(
    client,
    network,
    all.filter(({ described }) => !described),
  );
};

/** Changes that a batch makes to a recipient on a list. */
interface RecipientChange extends RecipientKey {
  /** `true` if it was removed at least once. */
  reset: boolean;
  /** Time since which it is on the list; undefined if it is not. */
  addedAt?: Date;
}

/** Updates `allowlists` and `allowlist_recipients` with events in chain order. */
const foldAllowlists: Append<RulesEvent> = async (client, network, events) => {
  const created: NewAllowlist[] = [];
  const retired = new Map<string, Date>();
  const changes = new Map<string, RecipientChange>();
  for (const event of events) {
    const at = new Date(event.timestampMs);
    switch (event.data?.name) {
      case 'rule::AllowlistCreated': {
        const { allowlistId, walletId } = event.data.fields;
        created.push({ allowlistId, walletId, created: event });
        break;
      }
      case 'rule::AllowlistRetired':
        retired.set(event.data.fields.allowlistId, at);
        break;
      case 'rule::AllowlistChanged': {
        const { allowlistId, recipient, allowed } = event.data.fields;
        const key = `${allowlistId} ${recipient}`;
        const former = changes.get(key);
        const since = allowed ? { addedAt: former?.addedAt ?? at } : {};
        const reset = !allowed || (former?.reset ?? false);
        changes.set(key, { allowlistId, recipient, reset, ...since });
        break;
      }
    }
  }
  const lists = [...retired].map(([allowlistId, retiredAt]) => ({ allowlistId, retiredAt }));
  const recipients = [...changes.values()];
  await insertAllowlists(client, network, created);
  await retireAllowlists(client, network, lists);
  await removeRecipients(
    client,
    network,
    recipients.filter(({ reset }) => reset),
  );
  await insertRecipients(
    client,
    network,
    recipients.flatMap(({ addedAt, ...key }) => (addedAt ? [{ ...key, addedAt }] : [])),
  );
};
