import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import { type FieldError, ProblemError } from '../errors/index.ts';
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
  const body = await readJsonObject(req, bytesMax);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.flatMap((issue) => rowsOf(issue, body)).slice(0, errorsMax);
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  throw new ProblemError({ status: 400, code: 'invalid_body', title: 'Invalid body', detail, errors });
}

const errorsMax = 20;
const nameLengthMax = 40;

/** One row per wrong field, the unknown ones included, which are not at the path of their issue. */
function rowsOf(issue: z.core.$ZodIssue, body: unknown): FieldError[] {
  const at = (path: readonly PropertyKey[]) => ['body', ...path].join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const path = at([...issue.path, key.slice(0, nameLengthMax)]);
      return { path, message: 'unknown field' };
    });
  }
  const isMissing = issue.path.length > 0 && valueAt(body, issue.path) === undefined;
  return [{ path: at(issue.path), message: isMissing ? 'is missing' : issue.message }];
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}
