import { z } from 'zod';
import { address } from './call-spec.ts';
import { link, manifestName, manifestSummary, witnessType } from './fields.ts';

/** Schema of a policy rule's manifest. It keeps unknown keys, like an adaptor's. */
export const ruleManifestSchema = z
  .looseObject({
    name: manifestName,
    summary: manifestSummary.optional(),
    ruleType: witnessType,
    packageId: address.describe('Deployed package.'),
    kind: z.enum(['auth', 'caveat']).optional().describe('Who may spend, or a condition on what is spent.'),
    docsUrl: link,
    repoUrl: link,
    auditUrl: link,
  })
  .meta({
    title: 'Rule manifest',
    description:
      'What a publisher says about a policy rule; told from an adaptor’s by having no serviceType.',
  });

export type RuleManifest = z.infer<typeof ruleManifestSchema>;

/** JSON Schema (2020-12) for the schema endpoint. */
export const ruleManifestJsonSchema = z.toJSONSchema(ruleManifestSchema, { io: 'input' });

/** Returns `true` if a JSON value must be checked as a rule's manifest: it has a `ruleType` and no `serviceType`. */
export function isRuleManifest(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'ruleType' in value && !('serviceType' in value);
}
