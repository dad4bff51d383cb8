import type { z } from 'zod';
import { Refusal } from '../io.ts';

/**
 * The part of an answer that a command goes by.
 * @throws Refusal where the marketplace answers something else
 */
export function read<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues as [z.core.$ZodIssue];
  throw new Refusal(
    `The marketplace answers what this program does not know: ${path.join('.')}: ${message}. Are they of one version?`,
  );
}
