import type pg from 'pg';
import { parseTextArray } from '../../../db/text-array.ts';

interface ResultColumn {
  name: string;
  /** Name of its type; an array's ends in `[]`. */
  type: string;
}

/** Object ids of PostgreSQL's types. The ids of array types follow no rule. */
const typeNames: Readonly<Record<number, string>> = {
  16: 'bool',
  20: 'int8',
  21: 'int2',
  23: 'int4',
  25: 'text',
  114: 'json',
  700: 'float4',
  701: 'float8',
  1043: 'varchar',
  1082: 'date',
  1114: 'timestamp',
  1184: 'timestamptz',
  1186: 'interval',
  1700: 'numeric',
  3802: 'jsonb',
  199: 'json[]',
  1000: 'bool[]',
  1005: 'int2[]',
  1007: 'int4[]',
  1009: 'text[]',
  1015: 'varchar[]',
  1016: 'int8[]',
  1021: 'float4[]',
  1022: 'float8[]',
  1115: 'timestamp[]',
  1182: 'date[]',
  1185: 'timestamptz[]',
  1187: 'interval[]',
  1231: 'numeric[]',
  3807: 'jsonb[]',
};

export const toColumns = (fields: readonly Pick<pg.FieldDef, 'name' | 'dataTypeID'>[]): ResultColumn[] =>
  fields.map(({ name, dataTypeID }) => ({ name, type: typeNames[dataTypeID] ?? 'other' }));

/** Writes PostgreSQL's text of a value that is not null in another form. */
type Writer = (text: string) => string;

const writeTime: Writer = (text) => text.replace(' ', 'T').replace(/\+00$/, 'Z');

/** JSON of each type whose values are not JSON strings of PostgreSQL's text. */
const jsonWriters: Readonly<Record<string, Writer>> = {
  bool: (text) => (text === 't' ? 'true' : 'false'),
  int2: (text) => text,
  int4: (text) => text,
  // JSON has no NaN and no infinities.
  float4: (text) => (Number.isFinite(Number(text)) ? text : JSON.stringify(text)),
  float8: (text) => (Number.isFinite(Number(text)) ? text : JSON.stringify(text)),
  json: (text) => text,
  jsonb: (text) => text,
  timestamp: (text) => JSON.stringify(writeTime(text)),
  timestamptz: (text) => JSON.stringify(writeTime(text)),
};

type ArrayElement = string | null | ArrayElement[];

function createJsonWriter(type: string): Writer {
  if (!type.endsWith('[]')) return jsonWriters[type] ?? ((text) => JSON.stringify(text));
  const writeElement = createJsonWriter(type.slice(0, -2));
  const write = (element: ArrayElement): string => {
    if (element === null) return 'null';
    return Array.isArray(element) ? `[${element.map(write).join(',')}]` : writeElement(element);
  };
  return (text) => write(parseTextArray(text));
}

/** Quotes a field if RFC 4180 requires it. An empty text is quoted too, to distinguish it from null. */
const quoteField: Writer = (text) =>
  text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

function createCsvWriter(type: string): Writer {
  if (type.endsWith('[]')) {
    const json = createJsonWriter(type);
    return (text) => quoteField(json(text));
  }
  if (type === 'bool') return createJsonWriter(type);
  if (type === 'timestamp' || type === 'timestamptz') return writeTime;
  return quoteField;
}

/** A result in one of the forms in which it is sent. */
export interface ResultFormat {
  contentType: string;
  head(columns: readonly ResultColumn[]): string;
  /** Writes rows: `null`, or PostgreSQL's text of each value. `first` is true for the first row of the result. */
  rows(columns: readonly ResultColumn[]): (row: readonly (string | null)[], first: boolean) => string;
  end(count: number): string;
}

export const json: ResultFormat = {
  contentType: 'application/json; charset=utf-8',
  head: (columns) => `{"columns":${JSON.stringify(columns)},"rows":[`,
  rows(columns) {
    const writers = columns.map(({ type }) => createJsonWriter(type));
    return (row, first) => {
      const values = row.map((text, at) => (text === null ? 'null' : writers[at]!(text)));
      return `${first ? '\n' : ',\n'}[${values.join(',')}]`;
    };
  },
  end: (count) => `\n],"rowCount":${count}}\n`,
};

export const csv: ResultFormat = {
  contentType: 'text/csv; charset=utf-8; header=present',
  head: (columns) => `${columns.map(({ name }) => quoteField(name)).join(',')}\r\n`,
  rows(columns) {
    const writers = columns.map(({ type }) => createCsvWriter(type));
    return (row) => `${row.map((text, at) => (text === null ? '' : writers[at]!(text))).join(',')}\r\n`;
  },
  end: () => '',
};
