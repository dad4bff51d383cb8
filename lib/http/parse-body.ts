import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { FieldError } from '../errors/index.ts';
import { invalidBody, readJsonObject } from './json-body.ts';
import { nearestName } from './nearest-name.ts';

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
  const body = await readJsonObject(req, bytesMax);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.flatMap((issue) => rowsOf(issue, schema, body)).slice(0, errorsMax);
  throw invalidBody(errors);
}

const errorsMax = 20;
const nameLengthMax = 40;

function rowsOf(issue: z.core.$ZodIssue, schema: z.ZodType, body: unknown): FieldError[] {
  const at = (path: readonly PropertyKey[]) => ['body', ...path].join('.');
  if (issue.code !== 'unrecognized_keys') {
    const isMissing = issue.path.length > 0 && issue.path.reduce(fieldOf, body) === undefined;
    return [{ path: at(issue.path), message: isMissing ? 'is missing' : issue.message }];
  }
  const known = namesAt(schema, issue.path, body);
  return issue.keys.map((key) => {
    const nearest = nearestName(key, known);
    const message = nearest === undefined ? 'unknown field' : `unknown field; did you mean ${nearest}?`;
    return { path: at([...issue.path, key.slice(0, nameLengthMax)]), message };
  });
}

const fieldOf = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

/** Names that the schema knows at a path of the body. */
function namesAt(schema: z.core.$ZodType, path: readonly PropertyKey[], value: unknown): string[] {
  const [first, ...rest] = path;
  if (first === undefined) return shapesOf(schema, value).flatMap((shape) => Object.keys(shape));
  const inner = fieldOf(value, first);
  const fields =
    typeof first === 'number'
      ? elementOf(schema)
      : shapesOf(schema, value).flatMap((shape) => shape[String(first)] ?? []);
  return fields.flatMap((field) => namesAt(field, rest, inner));
}

function elementOf(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodArray) return [schema.element];
  const unwrapped = unwrap(schema);
  return unwrapped === schema ? [] : elementOf(unwrapped);
}

type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** The shapes that an object may have here; of a discriminated union, those that its discriminator allows. */
function shapesOf(schema: z.core.$ZodType, value: unknown): Shape[] {
  if (schema instanceof z.ZodObject) return [schema.shape];
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const { discriminator } = schema.def;
    const given = fieldOf(value, discriminator);
    return schema.options
      .flatMap((option) => shapesOf(option, value))
      .filter((shape) => {
        const field = shape[discriminator];
        return field !== undefined && z.safeParse(field, given).success;
      });
  }
  const unwrapped = unwrap(schema);
  return unwrapped === schema ? [] : shapesOf(unwrapped, value);
}

/** What an optional, refined or transformed schema is about. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return schema.def.innerType;
  return schema instanceof z.ZodPipe ? schema.def.in : schema;
}
