import { parseServiceType } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { jsonSetting } from '../json-setting.ts';
import { objectId } from './fields.ts';

/** Texts of a statement that are shown beside its attester. */
export const statementFields = [
  'summary',
  'repository',
  'commit',
  'path',
  'sourceHash',
  'report',
  'issuer',
] as const;
export type StatementField = (typeof statementFields)[number];

/** Maximum number of attesters of a network. */
const attestersMax = 32;

const attestedType = z.string().transform((text, context) => {
  const parsed = parseServiceType(text);
  if ('canonical' in parsed) return parsed.canonical;
  context.addIssue('expected a type such as 0x<package>::<module>::<Type>, without type parameters');
  return z.NEVER;
});

const attester = z.strictObject({
  name: z.string().trim().min(1).max(64),
  /** Type of the data of its statements, with its defining id. */
  type: attestedType,
  says: z.string().trim().min(1).max(300),
  /** Names of the data's fields in Move, by what is shown of them. */
  fields: z.partialRecord(
    z.enum(statementFields),
    z.string().regex(/^[a-zA-Z]\w{0,127}$/, 'expected a field'),
  ),
});

const shape = z
  .strictObject({
    packageId: objectId,
    registryId: objectId,
    list: z.array(attester).min(1).max(attestersMax),
  })
  .refine(({ list }) => new Set(list.map(({ type }) => type)).size === list.length, {
    path: ['list'],
    error: 'two attesters have the same type',
  });

/** An attester whose statements are shown. Anyone else can make statements, of other types. */
export type Attester = z.infer<typeof attester>;

/** The package whose events announce statements, its shared `Registry`, and the attesters that the operator chose. */
export type AttesterSettings = z.infer<typeof shape>;

/** The setting: a JSON object, as docs/source-verification.md describes it. */
export const attestersSetting = jsonSetting(shape);

/** Parses a setting that `attestersSetting` accepts. */
export const readAttesters = (text: string): AttesterSettings => shape.parse(JSON.parse(text));
