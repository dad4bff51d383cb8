import './scalars.ts';
import './types/agent.ts';
import './types/job.ts';
import './types/query.ts';
import './types/rule.ts';
import './types/usage.ts';
import './types/wallet.ts';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { builder } from './builder.ts';

export const schema = builder.toSchema();

/** The schema as `graphql/schema.graphql` holds it. */
export const printedSchema = `${printSchema(lexicographicSortSchema(schema))}\n`;
