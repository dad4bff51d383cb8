import type { z } from 'zod';
import { type FieldError, ProblemError } from '../errors/index.ts';

/**
 * Reads a query string strictly: a parameter that is unknown, repeated or badly encoded is refused, since one
 * that is ignored gives an answer to another question than was asked.
 * @throws ProblemError 400 with one row per wrong parameter
 */
export function parseQuery<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  search: string,
): z.infer<z.ZodObject<Shape>> {
  const given: Record<string, string> = Object.create(null);
  const errors: FieldError[] = [];
  const refuse = (name: string, message: string) => errors.push({ path: `query.${name}`, message });
  const known = Object.keys(schema.shape);
  for (const part of search.split('&')) {
    if (part === '') continue;
    const [name, value] = decodePair(part);
    if (name === undefined || value === undefined) {
      refuse(part.slice(0, 40), 'is not percent-encoded UTF-8, or holds U+0000');
    } else if (!Object.hasOwn(schema.shape, name)) {
      const list = known.length > 0 ? `known are ${known.join(', ')}` : 'this path takes none';
      refuse(name.slice(0, 40), `unknown parameter; ${list}`);
    } else if (name in given) {
      refuse(name, 'is given more than once');
    } else {
      given[name] = value;
    }
    if (errors.length >= errorsMax) throw invalidQuery(errors);
  }
  const parsed = schema.safeParse({ ...given });
  for (const issue of parsed.error?.issues ?? []) {
    const name = issue.path.join('.');
    const missing = issue.code === 'invalid_type' && !(name in given);
    refuse(name, missing ? 'is missing' : issue.message);
  }
  if (!parsed.success || errors.length > 0) throw invalidQuery(errors);
  return parsed.data;
}

const errorsMax = 20;

function decodePair(part: string): [string?, string?] {
  const at = part.indexOf('=');
  const name = at < 0 ? part : part.slice(0, at);
  return [decode(name), decode(at < 0 ? '' : part.slice(at + 1))];
}

function decode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
}

function invalidQuery(errors: FieldError[]): ProblemError {
  return new ProblemError({
    status: 400,
    code: 'invalid_query',
    title: 'Invalid query',
    detail: errors.map(({ path, message }) => `${path}: ${message}`).join('; '),
    errors,
  });
}
