import { ruleList } from '../db/queries/rules.ts';
import { recipientList } from '../db/queries/wallets/allowlists.ts';
import { childCapList, mintedCapList } from '../db/queries/wallets/caps.ts';
import { type PolicyRule, rulePolicyList } from '../db/queries/wallets/policies.ts';
import { formatTypeLabel } from '../lib/chain/labels.ts';
import {
  buildListOptions,
  chainArgs,
  chooseNetwork,
  pagingArgs,
  parseAddress,
  parseIdentity,
  readPaging,
} from './arguments.ts';
import { builder, chainEnum, nullable, nullableTime } from './builder.ts';
import { coinInfo } from './coins.ts';
import { createConnectionLoader } from './connections.ts';
import { witnessWarningType } from './manifest.ts';
import {
  allowlistNode,
  capNode,
  nodeId,
  type OnNetwork,
  policyNode,
  publisherNode,
  reference,
  ruleConnection,
  ruleNode,
  walletField,
  withNetwork,
} from './nodes.ts';
import { buildEventsField } from './object-events.ts';

const kindEnum = builder.enumType('RuleKind', {
  description: 'Kinds of policy rules.',
  values: {
    AUTH: { value: 'auth', description: 'It decides who may spend.' },
    CAVEAT: { value: 'caveat', description: 'It puts a condition on a spend.' },
  } as const,
});

const kindDeprecation = 'Use `ruleKind`, whose values are in capitals.';

const policyRuleType = builder.objectRef<OnNetwork<PolicyRule>>('PolicyRule').implement({
  description: 'A rule of a policy.',
  fields: (t) => ({
    kind: t.exposeString('kind', { description: '`auth` or `caveat`.', deprecationReason: kindDeprecation }),
    ruleKind: t.expose('kind', { type: kindEnum, description: 'What kind of rule it is.' }),
    rule: t.exposeString('rule', { description: 'Type of the witness of the rule.' }),
    forAuth: t.exposeString('forAuth', {
      nullable: true,
      description: 'Auth rule that a caveat applies to. Null if it applies to all.',
    }),
    registeredRule: t.field(
      reference(ruleNode, 'rule', 'The rule in the rule registry. Null if it is not there.'),
    ),
  }),
});

policyNode.implement({
  description: 'The conditions for spending with a cap.',
  fields: (t) => ({
    chain: t.expose('network', { type: chainEnum, description: 'Network of the wallet.' }),
    walletId: t.exposeString('walletId', { description: 'The wallet.' }),
    version: t.expose('version', { type: 'Count', description: 'Caps of earlier versions are void.' }),
    spendInto: t.exposeBoolean('spendInto', {
      description: 'True if a spend may hand the coin to the transaction, where no recipient is checked.',
    }),
    rules: t.field({
      type: [policyRuleType],
      description: 'Auth rules first. At most 200.',
      resolve: ({ rules, network }) => rules.map((rule) => ({ ...rule, network })),
    }),
    allowlistId: t.string({
      nullable: true,
      description: 'The allowlist of recipients that applies.',
      resolve: ({ allowlist }) => allowlist?.allowlistId ?? null,
    }),
    recipients: t.exposeStringList('recipients', {
      nullable: true,
      description:
        'Recipients on the allowlist. Null if there is none, or if the requested lists are too long together. Then use ' +
        '`allowlist`.',
    }),
    allowlist: t.field({
      type: allowlistNode,
      nullable: true,
      description: 'The allowlist of recipients that applies. Null if there is none.',
      extensions: { statement: 'allowlist' },
      resolve: ({ network, allowlist }) => (allowlist ? nodeId(network, allowlist.allowlistId) : null),
    }),
    wallet: t.field(walletField),
  }),
});

const recipientType = builder
  .objectRef<{ address: string; addedMs: number }>('AllowlistRecipient')
  .implement({
    description: 'An address that an allowlist allows.',
    fields: (t) => ({
      address: t.exposeString('address', { description: 'The address.' }),
      addedMs: t.expose('addedMs', { type: 'Milliseconds', description: 'Time when it was added.' }),
    }),
  });

const recipientConnection = builder.connectionObject({
  type: recipientType,
  name: 'AllowlistRecipientConnection',
});
const loadRecipients = createConnectionLoader(recipientList, (recipient) => recipient);

allowlistNode.implement({
  description: 'A list of recipients. Only the latest of a wallet that is not retired applies.',
  fields: (t) => ({
    chain: t.expose('network', { type: chainEnum, description: 'Network of the wallet.' }),
    allowlistId: t.exposeString('allowlistId', { description: 'Id of the object.' }),
    walletId: t.exposeString('walletId', { description: 'The wallet.' }),
    createdMs: t.expose('createdMs', { type: 'Milliseconds', description: 'Time of its creation.' }),
    retiredMs: t.expose(
      'retiredMs',
      nullableTime('Time when the owner retired it. Null while it may apply.'),
    ),
    recipients: t.field({
      ...buildListOptions('recipients', recipientConnection, 'The addresses that it allows now, sorted.'),
      resolve: ({ network, allowlistId }, args, context) =>
        loadRecipients(context, { network, allowlistId, ...readPaging(args) }),
    }),
    policy: t.field(
      reference(
        policyNode,
        'walletId',
        'The policy of its wallet, whose `allowlist` is the one that applies. Null if the wallet has none.',
      ),
    ),
    events: t.field(
      buildEventsField('allowlist', 'Its events', ({ allowlistId }: { allowlistId: string }) => allowlistId),
    ),
    wallet: t.field(walletField),
  }),
});

const policyConnection = builder.connectionObject({ type: policyNode, name: 'PolicyConnection' });
// The page has keys only. One more statement reads the requested fields of the policies.
const loadPolicies = createConnectionLoader(rulePolicyList, (walletId, { network }) =>
  nodeId(network, walletId),
);

ruleNode.implement({
  description: 'A rule in the rule registry, which policies can require.',
  fields: (t) => ({
    chain: t.expose('network', { type: chainEnum, description: 'Network of the registry.' }),
    ruleType: t.exposeString('ruleType', { description: 'Type of the witness of the rule.' }),
    kind: t.exposeString('kind', { description: '`auth` or `caveat`.', deprecationReason: kindDeprecation }),
    ruleKind: t.expose('kind', { type: kindEnum, description: 'What kind of rule it is.' }),
    packageId: t.exposeString('packageId', { description: 'Package of the rule.' }),
    manifestUri: t.exposeString('manifestUri', { description: 'Where its manifest is.' }),
    publisher: t.exposeString('publisher', { description: 'Address that registered it.' }),
    publisherVerified: t.exposeBoolean('publisherVerified', {
      description: 'The publisher published the package or owns its UpgradeCap.',
    }),
    version: t.exposeInt('version', { description: 'Counted by the registry.' }),
    name: t.exposeString('name', {
      nullable: true,
      description:
        'Name in the manifest. Null unless the manifest was fetched, has the registered hash and describes this rule.',
    }),
    label: t.string({
      description: 'Name in the manifest, otherwise the name of its type in words.',
      resolve: ({ name, ruleType }) => name ?? formatTypeLabel(ruleType),
    }),
    warnings: t.expose('warnings', {
      type: [witnessWarningType],
      description: 'Reasons in the bytecode not to require the rule. Empty if there are none.',
    }),
    publishedBy: t.field(
      reference(publisherNode, 'publisher', 'The publisher. Null unless it registered adaptors too.'),
    ),
    policies: t.field({
      ...buildListOptions('policies', policyConnection, 'Policies that hold it now, sorted by wallet.'),
      resolve({ network, ruleType }, args, context) {
        context.requireSource(network, 'wallet');
        return loadPolicies(context, { network, ruleType, ...readPaging(args) });
      },
    }),
    events: t.field(
      buildEventsField(
        'rule',
        'Registrations of its type by any publisher, and attestations of it',
        ({ ruleType }: { ruleType: string }) => ruleType,
      ),
    ),
  }),
});

export const capConnection = builder.connectionObject({ type: capNode, name: 'CapConnection' });
const loadMintedCaps = createConnectionLoader(mintedCapList, withNetwork);
const loadChildCaps = createConnectionLoader(childCapList, withNetwork);

const capKindEnum = builder.enumType('CapKind', {
  description: 'Kinds of caps.',
  values: {
    BEARER: { value: 'bearer', description: 'It opens what the policy allows, without a budget.' },
    SCOPED: { value: 'scoped', description: 'It has a budget in one coin, and can be split.' },
  } as const,
});

capNode.implement({
  description: 'A cap, from the events of its wallet. They do not show its current holder.',
  fields: (t) => ({
    chain: t.expose('network', { type: chainEnum, description: 'Network of the wallet.' }),
    capId: t.exposeString('capId', { description: 'Id of the object.' }),
    kind: t.exposeString('kind', {
      description: '`bearer` or `scoped`.',
      deprecationReason: 'Use `capKind`, whose values are in capitals.',
    }),
    capKind: t.expose('kind', { type: capKindEnum, description: 'What kind of cap it is.' }),
    walletId: t.exposeString('walletId', { description: 'The wallet that it spends from.' }),
    recipient: t.exposeString('recipient', nullable('Address that it was minted for, if known.')),
    policyVersion: t.expose('policyVersion', {
      type: 'Count',
      nullable: true,
      description: 'Version of the policy that it was minted under. Null if the package does not say.',
    }),
    coin: t.exposeString('coin', {
      nullable: true,
      description: 'Coin type. This field and those up to `parent` are null for bearer caps.',
    }),
    budget: t.exposeString('budget', nullable('Budget at minting, in base units.')),
    remaining: t.exposeString('remaining', nullable('Remaining budget, in base units.')),
    coinInfo: t.field(coinInfo(({ network, coin: coinType }) => ({ network, coinType }))),
    depth: t.exposeInt('depth', nullable('0 if the owner minted it.')),
    maxDepth: t.exposeInt('maxDepth', nullable('How deep it can be split.')),
    parent: t.exposeString('parent', nullable('Cap that it was split from.')),
    mintedMs: t.expose('mintedMs', { type: 'Milliseconds', description: 'Time when it was minted.' }),
    revokedMs: t.expose('revokedMs', {
      type: 'Milliseconds',
      nullable: true,
      description:
        'Time when this cap was revoked. Revoking an ancestor, or a newer policy version, also makes it void.',
    }),
    burnedMs: t.expose('burnedMs', nullableTime('Time when its holder destroyed it. Null while it exists.')),
    wallet: t.field(walletField),
    parentCap: t.field(
      reference(capNode, 'parent', 'Cap that it was split from. Null for one that the owner minted.'),
    ),
    childCaps: t.field({
      ...buildListOptions('child caps', capConnection, 'Caps that were split from it, newest first.'),
      resolve: ({ network, capId: parent }, args, context) =>
        loadChildCaps(context, { network, parent, ...readPaging(args) }),
    }),
    events: t.field(
      buildEventsField('cap', 'Events that name the cap', ({ capId }: { capId: string }) => capId),
    ),
  }),
});

const loadRules = createConnectionLoader(ruleList, withNetwork);

builder.queryFields((t) => ({
  rules: t.field({
    type: ruleConnection,
    extensions: { statement: 'each' },
    description: 'The rules in the rule registry, sorted by type.',
    args: { ...chainArgs, ...pagingArgs },
    resolve(_, args, context) {
      const network = chooseNetwork(args, context, 'rules');
      return loadRules(context, { network, ...readPaging(args) });
    },
  }),
  rule: t.field({
    type: ruleNode,
    nullable: true,
    extensions: { statement: 'rule' },
    description: 'One rule in the rule registry. Null if it is not there.',
    args: {
      ...chainArgs,
      ruleType: t.arg.string({ required: true, description: 'Type of the witness, in any spelling.' }),
    },
    resolve: (_, args, context) =>
      nodeId(
        chooseNetwork(args, context, 'rules'),
        parseIdentity({ serviceType: args.ruleType }, 'ruleType').serviceType,
      ),
  }),
  allowlist: t.field({
    type: allowlistNode,
    nullable: true,
    extensions: { statement: 'allowlist' },
    description: 'One allowlist. Null if the index does not know it.',
    args: {
      ...chainArgs,
      allowlistId: t.arg.string({ required: true, description: 'Id of the allowlist.' }),
    },
    resolve: (_, args, context) =>
      nodeId(chooseNetwork(args, context, 'wallet'), parseAddress(args.allowlistId, 'allowlistId')),
  }),
  caps: t.field({
    type: capConnection,
    extensions: { statement: 'each' },
    description: 'The caps that were minted for an address, newest first. They may have other holders now.',
    args: {
      ...chainArgs,
      recipient: t.arg.string({ required: true, description: 'Address that they were minted for.' }),
      ...pagingArgs,
    },
    resolve(_, args, context) {
      const network = chooseNetwork(args, context, 'wallet');
      const recipient = parseAddress(args.recipient, 'recipient');
      return loadMintedCaps(context, { network, recipient, ...readPaging(args) });
    },
  }),
}));
