import { z } from 'zod';
import { parseServiceType } from '../chain/names.ts';
import { textBounds } from './text-bounds.ts';

/** Fields that adaptors' and rules' manifests share. */
export const manifestName = z.string().min(1).max(textBounds.name);
export const manifestSummary = z.string().min(1).max(textBounds.summary);

export const witnessType = z
  .string()
  .max(256)
  .superRefine((text, context) => {
    const parsed = parseServiceType(text);
    if ('error' in parsed) context.addIssue({ code: 'custom', message: parsed.error });
  })
  .describe('Witness type, 0x<package>::<module>::<Witness>.');

export const link = z
  .url({ protocol: /^https?$/, error: 'expected an http(s) url' })
  .max(2048)
  .optional();
