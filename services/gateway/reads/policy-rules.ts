import { witnessWarningSchema } from '@adaptor-marketplace/adaptor/draft';
import { z } from 'zod';
import { readPages } from '../../../db/queries/lists.ts';
import { ruleList } from '../../../db/queries/rules.ts';
import { formatTypeLabel } from '../../../lib/chain/labels.ts';
import { answerEntriesMax, cutPage } from '../../../lib/http/bounded-page.ts';
import {
  cursorParameter,
  id,
  limitParameter,
  manifestUri,
  networkName,
  networkParameter,
  pageBound,
  publisher,
} from '../openapi/parts.ts';
import { createReadRoute } from './read.ts';

const marketRule = z
  .object({
    ruleType: z.string().meta({ description: 'Canonical: 0x, 64 hex digits, ::module::Witness.' }),
    kind: z.enum(['auth', 'caveat']).meta({
      description: '`auth`: it decides who may spend. `caveat`: it puts a condition on a spend.',
    }),
    packageId: z.string(),
    manifestUri: z.string(),
    publisher: z.string(),
    version: z.int().min(0),
    label: z.string().meta({
      description:
        'Name in its manifest, if that was fetched, has the registered hash and is about this rule. Otherwise the name ' +
        'of its type in words.',
    }),
    publisherVerified: z
      .boolean()
      .meta({ description: 'The publisher published the package or owns its UpgradeCap.' }),
    warnings: z.array(witnessWarningSchema).meta({
      description: "Flaws of the rule's witness that its bytecode shows; empty where there are none.",
    }),
  })
  .meta({ id: 'MarketRule' });

export const policyRulesBody = z
  .object({
    network: networkName,
    count: z.int().min(0).meta({ description: 'Rules in this response.' }),
    rules: z.array(marketRule).meta({ description: 'By rule type.' }),
    nextCursor: z.string().optional().meta({ description: 'Present where there are more.' }),
  })
  .meta({ id: 'PolicyRules' });

export const listPolicyRules = createReadRoute({
  path: '/api/policy/rules',
  query: z.object({
    network: networkParameter,
    limit: limitParameter.meta({ description: `Most rules per page; default: ${pageBound}.` }),
    cursor: cursorParameter,
  }),
  needs: ['rulesPackageId'],
  body: policyRulesBody,
  operation: {
    operationId: 'listPolicyRules',
    summary: 'List the rules that policies can require',
    example: {
      query: { limit: '1' },
      answer: {
        network: 'testnet',
        count: 1,
        rules: [
          {
            ruleType: `${id('c')}::rule::RecipientAllowlist`,
            kind: 'caveat',
            packageId: id('c'),
            manifestUri,
            publisher,
            version: 1,
            label: 'Recipient allowlist',
            publisherVerified: true,
            warnings: [],
          },
        ],
      },
    },
  },
  async answer({ query: { limit = answerEntriesMax, cursor }, network, db }) {
    const [page] = await readPages(db, ruleList, [{ network, first: limit, after: cursor }]);
    const { items, nextCursor } = cutPage(page!);
    const rules = items.map(({ name, ...rule }) => ({
      ...rule,
      label: name ?? formatTypeLabel(rule.ruleType),
    }));
    return { network, count: rules.length, rules, nextCursor } satisfies z.infer<typeof policyRulesBody>;
  },
});
