import { witnessWarningSchema } from '@adaptor-marketplace/adaptor/draft/warning';
import { networks } from '@adaptor-marketplace/adaptor/networks';
import { z } from 'zod';
import { readRules } from '../../../db/queries/rules.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import { cursorParameter, limitMax, limitParameter, networkParameter } from '../request/parameters.ts';
import { labelOfType } from './label.ts';
import { type ReadHost, read } from './read.ts';

export const policyRulesRequest = z.object({
  network: networkParameter,
  limit: limitParameter.meta({ description: `Most rules per page; absent: ${limitMax}.` }),
  cursor: cursorParameter,
});

const marketRule = z
  .object({
    ruleType: z.string().meta({ description: 'Canonical: 0x, 64 hex digits, ::module::Witness.' }),
    kind: z.enum(['auth', 'caveat']).meta({
      description: 'Whether it says who may spend, or puts a condition on what is spent.',
    }),
    packageId: z.string(),
    manifestUri: z.string(),
    publisher: z.string(),
    version: z.int().min(0),
    label: z.string().meta({
      description:
        "Its manifest's name, where that was fetched, has the registered hash and is about this rule; else its type's in words.",
    }),
    publisherVerified: z
      .boolean()
      .meta({ description: 'The publisher published the package or owns its UpgradeCap.' }),
    warnings: z.array(witnessWarningSchema).meta({
      description: "What the bytecode says against the rule's witness; empty where nothing does.",
    }),
  })
  .meta({ id: 'MarketRule' });

export const policyRulesBody = z
  .object({
    network: z.enum(networks),
    count: z.int().min(0).meta({ description: 'Rules in this answer.' }),
    rules: z.array(marketRule).meta({ description: 'By rule type.' }),
    nextCursor: z.string().optional().meta({ description: 'Present where there are more.' }),
  })
  .meta({ id: 'PolicyRules' });

/** `GET /api/policy/rules`. */
export function policyRules(host: ReadHost) {
  return read(host, {
    query: policyRulesRequest,
    needs: ['rulesPackageId'],
    async answer({ request: { limit = limitMax, cursor }, network }) {
      const page = await readRules(host.db, { network, limit, cursor });
      const { items, cursors, hasMore } = cutPage(page);
      const rules = items.map(({ name, ...rule }) => ({
        ...rule,
        label: name ?? labelOfType(rule.ruleType),
      }));
      return {
        network,
        count: rules.length,
        rules,
        nextCursor: hasMore ? cursors.at(-1) : undefined,
      } satisfies z.infer<typeof policyRulesBody>;
    },
  });
}
