import './scalars.ts';
import './types/query.ts';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { builder } from './builder.ts';

export const schema = builder.toSchema();

/** The schema as `graphql/schema.graphql` holds it. */
export const printedSchema = `${printSchema(lexicographicSortSchema(schema))}\n`;
