import './adaptor.ts';
import './agents.ts';
import './canaries.ts';
import './catalog-filters.ts';
import './certificate.ts';
import './certificate-diff.ts';
import './events.ts';
import './meta.ts';
import './package-source.ts';
import './policy.ts';
import './publisher.ts';
import './ratings.ts';
import './statements.ts';
import './subscriptions.ts';
import './usage.ts';
import './wallet.ts';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { builder } from './builder.ts';

export const schema = builder.toSchema();

/** The schema as `graphql/schema.graphql` holds it. */
export const printedSchema = `${printSchema(lexicographicSortSchema(schema))}\n`;
