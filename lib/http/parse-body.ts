import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { ProblemError } from '../errors/index.ts';
import { readJsonObject } from './json-body.ts';

/**
 * Reads a request's JSON body by its schema.
 * @throws ProblemError as `readJsonObject`, and 400 with one row per wrong field
 */
export async function parseBody<Schema extends z.ZodType>(
  { req }: { req: IncomingMessage },
  schema: Schema,
  bytesMax: number,
): Promise<z.infer<Schema>> {
  const parsed = schema.safeParse(await readJsonObject(req, bytesMax));
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.slice(0, errorsMax).map(({ path, message }) => ({
    path: ['body', ...path].join('.'),
    message,
  }));
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  throw new ProblemError({ status: 400, code: 'invalid_body', title: 'Invalid body', detail, errors });
}

const errorsMax = 20;
