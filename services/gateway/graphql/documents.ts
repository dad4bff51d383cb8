import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { usePersistedOperations } from '@graphql-yoga/plugin-persisted-operations';
import {
  type DocumentNode,
  execute,
  GraphQLError,
  type ParseOptions,
  parse,
  type Source,
  specifiedRules,
  validate,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { limitCounts, limitDepth, queryLimits } from '../../../graphql/query-limits.ts';
import { schema } from '../../../graphql/schema.ts';
import { FatalError } from '../../../lib/errors/index.ts';

const parseBounded = (source: string | Source, options?: ParseOptions): DocumentNode =>
  parse(source, { ...options, maxTokens: queryLimits.tokens });

const limitRules = [limitDepth(queryLimits.depth), limitCounts(queryLimits)];

/** Parses, validates and executes documents by graphql-js, within the limits of a document. */
export const boundedEngine: Plugin = {
  onParse: ({ setParseFn }) => setParseFn(parseBounded),
  onValidate({ addValidationRule }) {
    for (const rule of limitRules) addValidationRule(rule);
  },
  onExecute: ({ setExecuteFn }) => setExecuteFn(execute),
};

/** Maximum number of characters of all cached documents. With its operations, each takes up to about 250 bytes of memory. */
const cachedCharactersMax = 250_000;

/** Creates the caches of documents and of their syntax errors, bounded by the characters of the documents. */
export const createDocumentCaches = () => ({
  documentCache: createTextCache<DocumentNode>(),
  errorCache: createTextCache<Error>(),
});

const createTextCache = <Value extends object>() =>
  new LRUCache<string, Value>({
    maxSize: cachedCharactersMax,
    sizeCalculation: (_, text) => text.length + 1,
  });

interface Named {
  query?: string | null | undefined;
  documentId?: string | null | undefined;
  extensions?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Executes trusted documents only: texts by their SHA-256. */
export function useTrustedDocuments(documents: ReadonlyMap<string, string>): Plugin[] {
  const leaveOutOwnText: Plugin = {
    onParams({ params, setParams }) {
      const text = documents.get(findId(params) ?? '');
      if (text === undefined || params.query !== text) return;
      const { query: _, ...named } = params;
      setParams(named);
    },
  };
  const persisted = usePersistedOperations({
    extractPersistedOperationId: (params) => findId(params) ?? null,
    getPersistedOperation: (id) => documents.get(id) ?? null,
    customErrors: { notFound: refuse, keyNotFound: refuse, persistedQueryOnly: refuse },
  });
  return [leaveOutOwnText, persisted];
}

const refuse = () =>
  new GraphQLError(
    'This service executes trusted documents only. Name one by its `documentId`, and send no other `query`.',
    { extensions: { code: 'document_not_trusted' } },
  );

const persistedQuery = z.object({ persistedQuery: z.object({ sha256Hash: z.string() }) });

/** The SHA-256 that a request names: in `documentId` as in GraphQL over HTTP, or in `extensions` as Apollo does. */
function findId({ documentId, extensions }: Named): string | undefined {
  const id = documentId ?? persistedQuery.safeParse(extensions).data?.persistedQuery.sha256Hash;
  return id?.replace(/^sha256:/, '');
}

const trustedFileShape = z.record(z.string(), z.string());

/**
 * Reads the file of the only documents that may be executed: texts by their SHA-256.
 * @throws FatalError `bad_settings` if the file has anything but valid documents by their SHA-256
 */
export function readTrustedDocuments(file: string): ReadonlyMap<string, string> {
  const refuse = (reason: string) =>
    new FatalError('bad_settings', `GRAPHQL_TRUSTED_DOCUMENTS: ${file}: ${reason}`);
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw refuse(getErrorMessage(error));
  }
  const texts = trustedFileShape.safeParse(json).data;
  if (!texts) throw refuse('expected a JSON object of documents by their SHA-256.');
  const trusted = Object.entries(texts);
  if (trusted.length === 0) throw refuse('has no documents.');
  const faults = trusted.flatMap(([key, text]) => {
    const id = createHash('sha256').update(text).digest('hex');
    if (key !== id && key !== `sha256:${id}`) return `${key}: is not the SHA-256 of its document`;
    const [fault] = findFaults(text);
    return fault ? `${key}: ${fault.message}` : [];
  });
  if (faults.length > 0) throw refuse(['wrong documents:', ...faults].join('\n  '));
  return new Map(trusted.map(([key, text]) => [key.replace(/^sha256:/, ''), text]));
}

function findFaults(text: string): readonly GraphQLError[] {
  try {
    return validate(schema, parseBounded(text), [...specifiedRules, ...limitRules]);
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}
