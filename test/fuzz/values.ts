import fc from 'fast-check';

/** Part of JSON Schema that the descriptions of the service use. */
export interface JsonSchema {
  $ref?: string;
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  additionalProperties?: JsonSchema | boolean;
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
}

/** Markup that a page must never contain as it is. */
export const markup = '"><img src=x onerror=fuzz(1)>';

/** Values of the host under test by the names of their fields, such as `serviceType`. */
export type Words = ReadonlyMap<string, readonly string[]>;

const urls = [
  'https://localhost/',
  'http://[::1]/',
  'https://127.1/',
  'https://0x7f000001/',
  'https://2130706433/',
  'https://[::ffff:127.0.0.1]/',
  'https://169.254.169.254/latest/meta-data/',
  'https://user:pass@example.com/',
  'file:///etc/passwd',
  'javascript:fuzz(1)',
  'data:text/html,x',
  'https://example.com:0/',
  'https://example.com:99999/',
  'https://exa\tmple.com/',
  'https://xn--/',
  '//example.com',
];

/** Texts that have broken services. None has a lone surrogate, which a url cannot carry. */
const notorious = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\r\nx-injected: 1',
  '../../etc/passwd',
  '..%2f..%2f',
  '%00',
  '%',
  '%ZZ',
  '%25',
  '%E0%A4%A',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  'true',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '-0',
  '0',
  '-1',
  '1e400',
  '1e-7',
  '0x',
  '0x0',
  '0X1',
  `0x${'f'.repeat(64)}`,
  `0x${'f'.repeat(65)}`,
  `0x${'0'.repeat(63)}2::sui::SUI`,
  '0x2::sui::SUI',
  `0x2::a::A<${'0x2::a::A<'.repeat(40)}u8${'>'.repeat(41)}`,
  'vector<u8>',
  '0x2::coin::Coin<0x2::sui::SUI>',
  '2147483648',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  `1${'0'.repeat(400)}`,
  '99999999999999.0.0',
  '0.0.0',
  '1.2.3.4',
  "' or 1=1 --",
  '$1',
  '%_\\',
  '*:* & | ! <->',
  '("',
  '\\',
  '\u202egnp.exe',
  '\ufeff',
  '\u2028',
  'e\u0301'.repeat(40),
  '👩‍👩‍👧‍👦',
  'ß'.repeat(70),
  'ﷺ'.repeat(50),
  'İ',
  '１２',
  markup,
  '{{7*7}}',
  '#{7*7}',
  'x'.repeat(129),
  'x'.repeat(2_049),
  'x'.repeat(9_000),
  '[]',
  '{}',
  '""',
  'testnet',
  'mainnet',
  'devnet',
  ...urls,
];

/** Texts of strangers: those that are known to break things, and random ones. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...notorious) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
);

const hostileNumbers = [0, -0, -1, 1.5, 1e21, 1e300, 2 ** 31, 2 ** 53, -(2 ** 63), Number.MAX_VALUE, 5e-324];

/** JSON values of a wrong type, size or nesting. */
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(...hostileNumbers),
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { '': '' }, '\ud800'),
  fc.jsonValue({ maxDepth: 3 }),
  fc.nat(90).map((depth) => nest(depth)),
  fc.integer({ min: 1, max: 600 }).map((length) => Array.from({ length }, (_, n) => n)),
);

function nest(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 ? [value] : { a: value };
  return value;
}

/** Makes values that a schema accepts, with those of the host where the name of a field has some. */
export class SchemaValues {
  readonly #resolve: (ref: string) => JsonSchema;
  readonly #words: Words;

  constructor(resolve: (ref: string) => JsonSchema, words: Words) {
    this.#resolve = resolve;
    this.#words = words;
  }

  /** Values of a field. Beyond the sixth level, what is not required is left out. */
  accepted(schema: JsonSchema, name = '', depth = 0): fc.Arbitrary<unknown> {
    const described = this.#describe(schema, name, depth);
    const known = this.findWords(name);
    if (known.length === 0 || !isTextual(this.#follow(schema))) return described;
    return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: described });
  }

  /** Values of the host for a field: those of its name; for an address of any role, all addresses. */
  findWords(name: string): readonly string[] {
    const own = this.#words.get(name);
    if (own) return own;
    return /address|owner|publisher|provider|recipient|delegate|payer|holder/i.test(name)
      ? (this.#words.get('address') ?? [])
      : [];
  }

  #follow(schema: JsonSchema): JsonSchema {
    let current = schema;
    while (current.$ref !== undefined) current = this.#resolve(current.$ref);
    return current;
  }

  #describe(given: JsonSchema, name: string, depth: number): fc.Arbitrary<unknown> {
    const schema = this.#follow(given);
    if ('const' in schema) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const options = schema.anyOf ?? schema.oneOf;
    if (options) return fc.oneof(...options.map((option) => this.accepted(option, name, depth + 1)));
    if (Array.isArray(schema.type)) {
      return fc.oneof(...schema.type.map((type: string) => this.#describe({ ...schema, type }, name, depth)));
    }
    switch (schema.type) {
      case 'string':
        return makeText(schema);
      case 'integer':
      case 'number':
        return makeNumber(schema);
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        return this.#makeArray(schema, name, depth);
      case 'object':
        return this.#makeObject(schema, depth);
      default:
        return fc.jsonValue({ maxDepth: 2 });
    }
  }

  #makeArray({ items = {}, minItems = 0, maxItems = 4 }: JsonSchema, name: string, depth: number) {
    const maxLength = depth > 6 ? minItems : Math.max(minItems, Math.min(maxItems, 4));
    return fc.array(this.accepted(items, name.replace(/s$/, ''), depth + 1), {
      minLength: minItems,
      maxLength,
    });
  }

  #makeObject(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
    const required = schema.required ?? [];
    const fields = Object.entries(schema.properties ?? {}).filter(
      ([name]) => depth <= 6 || required.includes(name),
    );
    const known = fc.record(
      Object.fromEntries(fields.map(([name, field]) => [name, this.accepted(field, name, depth + 1)])),
      { requiredKeys: required.filter((name) => fields.some(([field]) => field === name)) },
    );
    const others = schema.additionalProperties;
    if (typeof others !== 'object' || depth > 6) return known;
    const more = fc.dictionary(fc.string({ maxLength: 12 }), this.accepted(others, '', depth + 1), {
      maxKeys: 3,
    });
    return fc.tuple(known, more).map(([own, added]) => Object.assign({}, added, own));
  }
}

const isTextual = (schema: JsonSchema): boolean =>
  schema.type === 'string' && schema.enum === undefined && !('const' in schema);

function makeText({ pattern, minLength = 0, maxLength }: JsonSchema): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  const most = Math.max(minLength, Math.min(maxLength ?? 40, 3_000));
  return fc.oneof(
    fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(most, 30)) }),
    fc.constant('x'.repeat(most)),
    fc.constant('x'.repeat(minLength)),
  );
}

function makeNumber({
  type,
  minimum,
  exclusiveMinimum,
  maximum = 2 ** 31,
}: JsonSchema): fc.Arbitrary<number> {
  const least = minimum ?? (exclusiveMinimum === undefined ? -maximum : exclusiveMinimum + 1);
  const [min, max] = [Math.ceil(Math.max(least, -(2 ** 52))), Math.floor(Math.min(maximum, 2 ** 52))];
  const whole = fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max }));
  return type === 'integer' ? whole : fc.oneof(whole, fc.double({ min, max, noNaN: true }));
}

/** A change of a JSON value at one of its nodes. */
interface Change {
  /** Chooses the node, modulo their number. */
  at: number;
  kind: 'replace' | 'remove' | 'add' | 'repeat' | 'bend';
  /** Chooses the character of a text that is bent. */
  place: number;
  name: string;
  value: unknown;
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(200),
  kind: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add', 'repeat', 'bend', 'bend'),
  place: fc.nat(5_000),
  name: fc.oneof(fc.constantFrom('unknown', '__proto__', 'constructor', '', 'x'.repeat(200)), hostileText),
  value: hostileValue,
});

/** Values that are a few changes away from those of the arbitrary; some have none. */
export const nearly = (accepted: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(accepted, fc.array(change, { maxLength: 2 }))
    .map(([value, changes]) => changes.reduce(applyChange, value));

function applyChange(value: unknown, { at, kind, place, name, value: hostile }: Change): unknown {
  const holder = { '': structuredClone(value) };
  const places: [Record<string, unknown>, string][] = [];
  const visit = (parent: Record<string, unknown>, key: string) => {
    places.push([parent, key]);
    const child = parent[key];
    if (typeof child !== 'object' || child === null) return;
    for (const inner of Object.keys(child)) visit(child as Record<string, unknown>, inner);
  };
  visit(holder, '');
  const [parent, key] = places[at % places.length]!;
  const chosen = parent[key];
  if (kind === 'remove' && parent !== holder) delete parent[key];
  // A name that is a large number would be an index of an array, whose text is too long for any string.
  else if (kind === 'add' && Array.isArray(chosen)) chosen.push(hostile);
  else if (kind === 'add' && typeof chosen === 'object' && chosen !== null)
    Object.defineProperty(chosen, name, { value: hostile, enumerable: true, configurable: true });
  else if (kind === 'bend' && typeof chosen === 'string') parent[key] = bend(chosen, place);
  else if (kind === 'repeat') parent[key] = Array.from({ length: 3 + (at % 120) }, () => chosen);
  else parent[key] = hostile;
  return holder[''];
}

/** Changes one character of a text. */
function bend(text: string, place: number): string {
  const at = place % (text.length + 1);
  return text.slice(0, at) + 'A0.:-/'.charAt(place % 6) + text.slice(at + 1);
}

/** Maximum number of characters of a body. The service closes the connection for a much larger one, and may lose its answer. */
const bodyLengthMax = 200_000;

/** Texts of bodies around a value: JSON, and what is nearly JSON. */
export const nearlyJson = (value: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc.tuple(value, fc.nat(60)).map(([made, how]) => {
    const text = (JSON.stringify(made) ?? 'null').slice(0, bodyLengthMax);
    if (how === 0) return text.slice(0, -1);
    if (how === 1) return `\ufeff${text}`;
    if (how === 2) return `${text}${text}`;
    if (how === 3) return text.replace('{', '{"__proto__":{"admin":true},');
    if (how === 4) return text.replace(/"([^"]*)":/, '"$1":1,"$1":');
    if (how === 5) return text.replace(/\d+/, '1e999');
    if (how === 6) return '['.repeat(5_000);
    if (how === 7) return ' '.repeat(20_000) + text;
    if (how === 8) return '';
    return text;
  });
