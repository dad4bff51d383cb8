import { z } from 'zod';
import { parseServiceType } from '../chain/names.ts';

/** Fields that adaptors' and rules' manifests share. Bounds are in characters. */
export const manifestName = z.string().min(1).max(128);
export const manifestSummary = z.string().min(1).max(2048);

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
