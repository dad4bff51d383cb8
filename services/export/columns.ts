import type { ParquetWriter } from 'hyparquet-writer';
import pg from 'pg';
import { parseTime } from '../../db/client.ts';
import { numericArray, parseTextArray, textArray } from '../../db/text-array.ts';

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

/** A column of a statement's result: how its values are written to Parquet, and its type in DuckDB. */
export interface Column {
  name: string;
  /** Schema elements of Parquet: one, or three for a list. */
  schema: SchemaElement[];
  duckdbType: string;
  /** Converts PostgreSQL's text of a value. */
  parse(text: string): unknown;
}

type Kind = Omit<Column, 'name' | 'schema'> & { element: Omit<SchemaElement, 'name' | 'repetition_type'> };

const text: Kind = {
  element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  duckdbType: 'varchar',
  parse: (text) => text,
};

const createDecimalKind = (scale: number): Kind => ({
  element: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL', precision: 38, scale },
  duckdbType: `decimal(38, ${scale})`,
  parse: (text) => parseDecimal(text, scale),
});

/** @throws Error for a value that the type cannot hold: it is never rounded */
export function parseDecimal(text: string, scale: number): bigint {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined || /[^0]/.test(fraction.slice(scale)) || whole.length + scale > 38)
    throw new Error(`${text} needs more than 38 digits, or more than ${scale} after the point`);
  const digits = BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0'));
  return sign ? -digits : digits;
}

const dayMs = 86_400_000;

const kinds: Record<number, Kind> = {
  [pg.types.builtins.BOOL]: {
    element: { type: 'BOOLEAN' },
    duckdbType: 'boolean',
    parse: (text) => text === 't',
  },
  [pg.types.builtins.INT2]: { element: { type: 'INT32' }, duckdbType: 'integer', parse: Number },
  [pg.types.builtins.INT4]: { element: { type: 'INT32' }, duckdbType: 'integer', parse: Number },
  [pg.types.builtins.INT8]: { element: { type: 'INT64' }, duckdbType: 'bigint', parse: BigInt },
  [pg.types.builtins.FLOAT8]: { element: { type: 'DOUBLE' }, duckdbType: 'double', parse: Number },
  [pg.types.builtins.DATE]: {
    element: { type: 'INT32', converted_type: 'DATE' },
    duckdbType: 'date',
    parse: (text) => Date.parse(text) / dayMs,
  },
  [pg.types.builtins.TIMESTAMPTZ]: {
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MILLIS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    },
    duckdbType: 'timestamptz',
    parse: parseTime,
  },
  [pg.types.builtins.TEXT]: text,
  [pg.types.builtins.VARCHAR]: text,
  [pg.types.builtins.JSONB]: text,
  [pg.types.builtins.NUMERIC]: createDecimalKind(0),
};

const itemTypes = new Map<number, number>([
  [textArray, pg.types.builtins.TEXT],
  [numericArray, pg.types.builtins.NUMERIC],
]);

/** @throws Error for a type that no view has had */
export function createColumn(name: string, oid: number): Column {
  const item = itemTypes.get(oid);
  const kind = kinds[item ?? oid];
  if (!kind) throw new Error(`column ${name}: nothing writes PostgreSQL's type ${oid} to Parquet`);
  // Only averages have a fraction: two digits.
  const { element, duckdbType, parse } = name.endsWith('average_score') ? createDecimalKind(2) : kind;
  if (item === undefined)
    return { name, schema: [{ name, repetition_type: 'OPTIONAL', ...element }], duckdbType, parse };
  return {
    name,
    schema: [
      { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', repetition_type: 'OPTIONAL', ...element },
    ],
    duckdbType: `${duckdbType}[]`,
    parse: (text) => parseTextArray(text).map((one) => (one === null ? null : parse(one))),
  };
}
