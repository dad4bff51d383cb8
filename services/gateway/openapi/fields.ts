import type { Field } from '../../../web/pages/reference.ts';
import type { OpenApiDocument } from './components.ts';

/** A JSON Schema of the document, as far as pages show it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
  enum?: unknown[];
  const?: unknown;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  title?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  default?: unknown;
}

/** Levels of fields below an operation. Deeper ones are named by their types. */
const depthMax = 6;

/** Reads the schemas of a document. */
interface SchemaReader {
  /** Follows the references of a value to the component that it stands for. */
  resolve<Value extends object>(value: Value): Exclude<Value, { $ref: string }>;
  /** Names the type in a few words, such as `array of string`. */
  describeType(schema: Schema): string;
  /** Lists the fields of an object, of the items of an array, or of the forms of a union. Each type is expanded once. */
  listFields(schema: Schema): Field[];
}

const readName = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

export function createSchemaReader(document: OpenApiDocument): SchemaReader {
  function resolve<Value extends object>(value: Value): Exclude<Value, { $ref: string }> {
    const reference = Reflect.get(value, '$ref');
    if (typeof reference !== 'string') return value as Exclude<Value, { $ref: string }>;
    const [, , kind, name] = reference.split('/');
    return resolve(Reflect.get(Reflect.get(document.components ?? {}, kind!), name!));
  }

  function describeType(schema: Schema): string {
    const name = schema.$ref && readName(schema.$ref);
    const full = resolve(schema);
    if (name && (full.properties || full.allOf || full.oneOf)) return name;
    const { type, enum: values, const: only, items, anyOf, oneOf, allOf } = full;
    if (only !== undefined) return JSON.stringify(only);
    if (values)
      return values.length > 8 ? 'string' : values.map((value) => JSON.stringify(value)).join(' or ');
    const choices = anyOf ?? oneOf;
    if (choices) return [...new Set(choices.map(describeType))].join(' or ');
    if (allOf) return describeType(allOf[0]!);
    if (type === 'array' && items) return `array of ${describeType(items)}`;
    return [type ?? 'any'].flat().join(' or ');
  }

  /** The schemas without `null` among alternatives, each resolved. */
  function listAlternatives(schema: Schema, seen: Set<string>): Schema[] {
    if (schema.$ref) seen.add(readName(schema.$ref));
    const { anyOf, oneOf, ...own } = resolve(schema);
    const choices = anyOf ?? oneOf;
    if (!choices) return own.type === 'null' ? [] : [own];
    return choices.flatMap((choice) => listAlternatives(choice, seen));
  }

  function listFields(schema: Schema, seen = new Set<string>(), depth = 0): Field[] {
    if (depth >= depthMax) return [];
    if (schema.$ref) seen.add(readName(schema.$ref));
    const { allOf, ...own } = resolve(schema);
    if (allOf) {
      const fields = [...allOf, own].flatMap((part) => listFields(part, seen, depth));
      return [...fields.filter((one) => !one.isVariant), ...fields.filter((one) => one.isVariant)];
    }
    if (own.items) return listFields(own.items, seen, depth);
    const alternatives = listAlternatives(own, seen);
    const withFields = alternatives.filter((one) => one.properties || one.items || one.additionalProperties);
    if (alternatives.length > 1 && withFields.length > 1) return listVariants(withFields, seen, depth);
    const [one] = withFields;
    if (!one) return [];
    if (one !== own && (one.items || one.allOf || alternatives.length > 1))
      return listFields(one, seen, depth);
    const { properties = {}, required = [], additionalProperties } = one;
    const fields = Object.entries(properties).map(([name, property]) =>
      describeField(name, property, required.includes(name), seen, depth),
    );
    if (typeof additionalProperties !== 'object' || Object.keys(additionalProperties).length === 0)
      return fields;
    return [...fields, describeField('<name>', additionalProperties, false, seen, depth)];
  }

  /** Lists the fields that all variants have, then the variants with their own. Those with the same fields are one. */
  function listVariants(variants: readonly Schema[], seen: Set<string>, depth: number): Field[] {
    const all = variants.map((variant) => listFields(variant, seen, depth));
    const identify = ({ name, type }: Field) => `${name}\0${type}`;
    const isShared = (field: Field) =>
      all.every((fields) => fields.some((one) => identify(one) === identify(field)));
    const shared = all[0]!.filter(isShared);
    const own = new Map<string, Field>();
    for (const [at, variant] of variants.entries()) {
      const fields = all[at]!.filter((field) => !isShared(field));
      // Fields with one value say which variant it is. Variants may differ in the last of them alone.
      const marks = fields.filter(({ type }) => /^("[^"]*"|true|false)$/.test(type));
      const mark = marks.at(-1);
      if (fields.length === 0) continue;
      const rest = fields.filter((field) => !marks.includes(field));
      const key = JSON.stringify([marks.slice(0, -1).map(identify), mark?.name, rest, variant.description]);
      const same = own.get(key);
      if (same && mark) {
        own.set(key, { ...same, name: `${same.name} or \`${mark.type}\`` });
        continue;
      }
      // The name of a field that only this variant has. A required one says more.
      const [single] = rest
        .filter(({ name }) =>
          all.every((others, other) => other === at || others.every((one) => one.name !== name)),
        )
        .toSorted((a, b) => Number(b.required) - Number(a.required));
      const marked = marks.map(({ name, type }) => `\`${name}: ${type}\``).join(', ');
      const named = variant.title ?? (single ? `With \`${single.name}\`` : `Form ${at + 1}`);
      own.set(key, {
        name: marked || named,
        type: '',
        required: false,
        description: variant.description ?? '',
        fields: rest,
        isVariant: true,
      });
    }
    return [...shared, ...own.values()];
  }

  function describeField(
    name: string,
    schema: Schema,
    required: boolean,
    seen: Set<string>,
    depth: number,
  ): Field {
    const full = resolve(schema);
    const values = full.enum?.map(String);
    const repeated = findRepeated(schema, seen);
    return {
      name,
      type: describeType(schema),
      required,
      description: schema.description ?? full.description ?? '',
      limits: describeLimits(full),
      ...(values && values.length > 8 && { values }),
      ...(repeated && { sameAs: repeated }),
      fields: repeated ? [] : listFields(schema, seen, depth + 1),
    };
  }

  /** Returns the name of the type of a field, or of its items, if the list has its fields already. */
  function findRepeated({ $ref, items, anyOf }: Schema, seen: Set<string>): string | undefined {
    if ($ref === undefined) {
      const inner = items ?? anyOf?.find((one) => one.$ref);
      return inner && findRepeated(inner, seen);
    }
    const name = readName($ref);
    const full = resolve({ $ref } as Schema);
    if (full.items) return findRepeated(full, seen);
    return seen.has(name) && (full.properties || full.allOf || full.oneOf) ? name : undefined;
  }

  return { resolve, describeType, listFields: (schema) => listFields(schema) };
}

const describeRange = (least: number | undefined, most: number | undefined, unit: string): string[] => {
  // The bounds of safe integers say nothing.
  const low = least === undefined || Math.abs(least) >= Number.MAX_SAFE_INTEGER ? undefined : least;
  const high = most === undefined || most >= Number.MAX_SAFE_INTEGER ? undefined : most;
  if (low === undefined && high === undefined) return [];
  if (high === undefined) return low === 0 && unit === '' ? [] : [`at least ${low}${unit}`];
  return low === undefined ? [`at most ${high}${unit}`] : [`${low} to ${high}${unit}`];
};

/** Says the bounds of a value, such as `1 to 100`. */
export function describeLimits(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, default: standard, format } = schema;
  return [
    ...(format === undefined ? [] : [format]),
    ...describeRange(minimum, maximum, ''),
    ...describeRange(
      minLength === 1 || minLength === maxLength ? undefined : minLength,
      maxLength,
      ' characters',
    ),
    ...describeRange(minItems, maxItems, ' items'),
    ...(standard === undefined ? [] : [`default ${JSON.stringify(standard)}`]),
  ].join(', ');
}
