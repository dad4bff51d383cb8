import { z } from 'zod';
import { type FieldError, type ProblemError, problem } from '../errors/index.ts';
import { nearestName } from '../errors/nearest-name.ts';

/**
 * Reads a query string. A known parameter that is repeated or badly encoded is refused. One that the schema does not
 * know is ignored, because clients and proxies add their own (`?_=1`), unless the schema is strict.
 * @throws ProblemError 400 with one row per wrong parameter; a strict schema's unknown ones each come with the known
 *   name that is nearest
 */
export function parseQuery<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  search: string,
): z.infer<z.ZodObject<Shape>> {
  const given: Record<string, string> = Object.create(null);
  const errors: FieldError[] = [];
  const refuse = (name: string, message: string) => errors.push({ path: `query.${name}`, message });
  const known = Object.keys(schema.shape);
  const strict = schema.def.catchall instanceof z.ZodNever;
  for (const part of search.split('&')) {
    if (part === '') continue;
    const [name, value] = decodePair(part);
    const isKnown = name !== undefined && Object.hasOwn(schema.shape, name);
    if (!isKnown && !strict) continue;
    if (name === undefined || value === undefined) {
      refuse(name ?? part.slice(0, nameLengthMax), 'is not percent-encoded UTF-8, or holds U+0000');
    } else if (!isKnown) {
      refuse(name.slice(0, nameLengthMax), `unknown parameter; ${hint(name, known)}`);
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
const nameLengthMax = 40;

function hint(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `did you mean ${nearest}?`;
  return known.length > 0 ? `known are ${known.join(', ')}` : 'this path takes none';
}

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
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return problem('invalid_query', detail, { errors });
}
