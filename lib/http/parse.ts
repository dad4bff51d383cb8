import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { z } from 'zod';
import { type FieldError, type ProblemError, problem } from '../errors/index.ts';
import { findNearestName } from '../errors/nearest-name.ts';

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

/** Returns a schema of a parameter that counts as absent if it is empty: forms send a field that is left empty. */
export const absentIfEmpty = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema);

/** Describes a parameter that is read from digits as an integer within these bounds. */
export const describeInteger = (bounds: { minimum: number; maximum?: number }) => ({
  override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    delete jsonSchema.pattern;
    Object.assign(jsonSchema, { type: 'integer', ...bounds });
  },
});

/** A schema of an optional parameter that is a whole number from 1 to `max`, which has at most four digits. */
export const wholeNumber = (max: number) => {
  const error = `expected a whole number from 1 to ${max}`;
  return z
    .string()
    .regex(/^[1-9]\d{0,3}$/, error)
    .transform(Number)
    .pipe(z.int().max(max, error))
    .optional()
    .meta(describeInteger({ minimum: 1, maximum: max }));
};

const errorsMax = 20;
const nameLengthMax = 40;

function hint(name: string, known: readonly string[]): string {
  const nearest = findNearestName(name, known);
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

/** The error of a query with wrong parameters. */
export function invalidQuery(errors: FieldError[]): ProblemError {
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return problem('invalid_query', detail, { errors });
}

/** Maximum nesting of arrays and objects, twice what any body needs, and far from a stack overflow. */
export const jsonDepthMax = 64;

const keyLengthMax = 80;
const unstorable = 'holds U+0000 or half of a surrogate pair';

/**
 * Finds what makes a parsed JSON value unusable: nesting that is too deep, or text that PostgreSQL does not store
 * (U+0000, half of a surrogate pair), in keys too. The walk does not recurse, so that depth costs no stack.
 */
export function findFault(value: unknown, path: string): FieldError | undefined {
  const open: { value: unknown; path: string; depth: number }[] = [{ value, path, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: inner, path, depth } = next;
    if (typeof inner === 'string' && !isStorable(inner)) return { path, message: unstorable };
    if (typeof inner !== 'object' || inner === null) continue;
    if (depth >= jsonDepthMax) return { path, message: `is nested deeper than ${jsonDepthMax} levels` };
    for (const [key, child] of Object.entries(inner)) {
      if (!isStorable(key)) return { path, message: unstorable };
      open.push({ value: child, path: `${path}.${key.slice(0, keyLengthMax)}`, depth: depth + 1 });
    }
  }
  return undefined;
}

const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/**
 * Reads a JSON object from a request's body.
 * @throws ProblemError 415 for another type or an encoding, 413 above `bytesMax`, 400 if it is not a JSON object, is
 * nested too deeply, or has text that PostgreSQL does not store
 */
export async function readJsonObject(
  req: IncomingMessage,
  bytesMax: number,
): Promise<Record<string, unknown>> {
  const [type, ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.find((parameter) => parameter.trim().startsWith('charset='));
  if (type?.trim() !== 'application/json' || (charset && !/utf-?8/.test(charset))) {
    throw problem('unsupported_media_type', 'Send the body as application/json in UTF-8.');
  }
  requirePlain(req);
  return parseObject(await readBytes(req, bytesMax));
}

function requirePlain({ headers }: IncomingMessage): void {
  if ((headers['content-encoding'] ?? 'identity') === 'identity') return;
  throw problem('unsupported_media_type', 'Send the body without content-encoding.');
}

/**
 * Reads a file that is a request's body. Undefined if the body has another media type.
 * @throws ProblemError 415 for an encoding, and as `readBytes`
 */
export async function readFile(
  req: IncomingMessage,
  { mediaType, bytesMax }: { mediaType: string; bytesMax: number },
): Promise<Buffer | undefined> {
  const [type] = (req.headers['content-type'] ?? '').toLowerCase().split(';');
  if (type?.trim() !== mediaType) return undefined;
  requirePlain(req);
  return await readBytes(req, bytesMax);
}

/** Reads a request's body. @throws ProblemError 413 above `bytesMax`, 400 if the body is incomplete */
export async function readBytes(req: IncomingMessage, bytesMax: number): Promise<Buffer> {
  try {
    return await getRawBody(req, { length: req.headers['content-length'], limit: bytesMax });
  } catch (error) {
    const type = error instanceof Error && 'type' in error ? error.type : undefined;
    if (type === 'entity.too.large') {
      throw problem('body_too_large', `The body may have ${bytesMax} bytes.`);
    }
    throw problem('bad_body', 'The body ended early or has another length than announced.');
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseObject(bytes: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    throw problem('not_json', 'The body is not JSON.');
  }
  if (!isObject(value)) throw problem('not_an_object', 'The body must be a JSON object.');
  const fault = findFault(value, 'body');
  if (fault) throw invalidBody([fault]);
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function invalidBody(errors: FieldError[]): ProblemError {
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return problem('invalid_body', detail, { errors });
}

/**
 * Reads a request's JSON body by its schema.
 * @throws ProblemError as `readJsonObject`, and 400 with one row per wrong field; a strict schema's unknown keys each
 *   come with the known name that is nearest
 */
export async function parseBody<Schema extends z.ZodType>(
  { req }: { req: IncomingMessage },
  schema: Schema,
  bytesMax: number,
): Promise<z.infer<Schema>> {
  const { value, errors } = checkFields(schema, await readJsonObject(req, bytesMax), 'body.');
  if (errors) throw invalidBody(errors);
  return value;
}

type Checked<T> = { value: T; errors?: undefined } | { value?: undefined; errors: FieldError[] };

/**
 * Checks an object against its schema. Returns its value, or one row per wrong field.
 * @param root begins the path of each row
 */
export function checkFields<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
  root = '',
): Checked<z.infer<Schema>> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return { value: parsed.data };
  const rows = parsed.error.issues.flatMap((issue) => toFieldErrors(issue, schema, given));
  return { errors: rows.slice(0, errorsMax).map(({ path, message }) => ({ path: root + path, message })) };
}

function toFieldErrors(issue: z.core.$ZodIssue, schema: z.ZodType, body: unknown): FieldError[] {
  const at = (path: readonly PropertyKey[]) => path.join('.');
  if (issue.code !== 'unrecognized_keys') {
    const isMissing = issue.path.length > 0 && issue.path.reduce(getField, body) === undefined;
    return [{ path: at(issue.path), message: isMissing ? 'is missing' : issue.message }];
  }
  const known = listNamesAt(schema, issue.path, body);
  return issue.keys.map((key) => {
    const nearest = findNearestName(key, known);
    const message = nearest === undefined ? 'unknown field' : `unknown field; did you mean ${nearest}?`;
    return { path: at([...issue.path, key.slice(0, nameLengthMax)]), message };
  });
}

const getField = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

/** Names that the schema knows at a path of the body. */
function listNamesAt(schema: z.core.$ZodType, path: readonly PropertyKey[], value: unknown): string[] {
  const [first, ...rest] = path;
  if (first === undefined) return listShapes(schema, value).flatMap((shape) => Object.keys(shape));
  const inner = getField(value, first);
  const fields =
    typeof first === 'number'
      ? listElementSchemas(schema)
      : listShapes(schema, value).flatMap((shape) => shape[String(first)] ?? []);
  return fields.flatMap((field) => listNamesAt(field, rest, inner));
}

function listElementSchemas(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodArray) return [schema.element];
  const unwrapped = unwrap(schema);
  return unwrapped === schema ? [] : listElementSchemas(unwrapped);
}

type SchemaShape = Readonly<Record<string, z.core.$ZodType>>;

/** The shapes that an object may have here; of a discriminated union, those that its discriminator allows. */
function listShapes(schema: z.core.$ZodType, value: unknown): SchemaShape[] {
  if (schema instanceof z.ZodObject) return [schema.shape];
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const { discriminator } = schema.def;
    const given = getField(value, discriminator);
    return schema.options
      .flatMap((option) => listShapes(option, value))
      .filter((shape) => {
        const field = shape[discriminator];
        return field !== undefined && z.safeParse(field, given).success;
      });
  }
  const unwrapped = unwrap(schema);
  return unwrapped === schema ? [] : listShapes(unwrapped, value);
}

/** Returns the schema inside an optional, defaulted or transformed schema, and any other schema as it is. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return schema.def.innerType;
  return schema instanceof z.ZodPipe ? schema.def.in : schema;
}

/** Refuses a body where only the query defines the request: the caller may rely on it. @throws ProblemError 400 */
export function requireNoBody({ headers }: IncomingMessage): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  if (coding === undefined && Number(length) === 0) return;
  throw problem('unexpected_body', 'This operation takes no body. Put the values into the query.');
}
