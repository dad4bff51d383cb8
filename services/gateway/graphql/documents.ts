import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  validate,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type CoercedVariables, isIncluded } from '../../../graphql/execution/conditions.ts';
import { type Plan, planQuery } from '../../../graphql/execution/plan.ts';
import { atLeastCheckpoint } from '../../../graphql/meta.ts';
import {
  estimateCost,
  limitCounts,
  limitDepth,
  listStatements,
  queryLimits,
} from '../../../graphql/query-limits.ts';
import { schema } from '../../../graphql/schema.ts';
import { fieldsBelow } from '../../../graphql/selection.ts';
import { FatalError } from '../../../lib/errors/index.ts';

/** One operation of a valid document. */
export interface Operation {
  /** The operation alone, with the fragments of its document. */
  document: DocumentNode;
  node: OperationDefinitionNode;
  /** `true` if a field `_meta` of the operation names a checkpoint to wait for. */
  mayWait: boolean;
  /** Returns the fields `_meta` that name a checkpoint, without those that directives leave out. */
  waits(variables: CoercedVariables): FieldNode[];
  /** The SQL statements that the operation can cause. */
  statements: ReadonlySet<string>;
  /**
   * Returns the most fields that the response can have, or an error if the variable of a required argument is null.
   * @param variables each of its type
   */
  cost(variables: Readonly<Record<string, unknown>>): number | GraphQLError;
  /** Returns the plan that writes the responses. Undefined if graphql-js must write them. */
  plan(): Plan | undefined;
}

/** Errors of a request that has no operation to execute. */
interface Refused {
  errors: readonly GraphQLError[];
  /** Kind of the requested operation, if the document can be parsed. */
  kind: OperationDefinitionNode['operation'] | undefined;
}

/** A document that was parsed and validated. */
interface Prepared {
  document: DocumentNode | undefined;
  errors: readonly GraphQLError[];
  /** Operations by name. The key `null` is for the only operation of a document. */
  operations: Map<string | null, Operation>;
}

/**
 * Most characters of all cached documents. A cached document includes its parsed and validated operations. If its
 * tokens are the smallest, it takes about 250 bytes of memory for each character.
 */
const cachedCharactersMax = 250_000;

const rules = [...specifiedRules, limitDepth(queryLimits.depth), limitCounts(queryLimits)];

/** Part of a request that identifies its operation. */
interface Asked {
  query?: string | null | undefined;
  documentId?: string | null | undefined;
  operationName?: string | null | undefined;
  extensions?: Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * Parses and validates each document once while it is in use.
 * @param trustedFile file of the only documents that may be executed; undefined: any document
 * @throws FatalError `bad_settings` if the file has anything but valid documents by their SHA-256
 */
export function openDocuments(trustedFile: string | undefined) {
  const trusted = trustedFile === undefined ? undefined : readTrusted(trustedFile);
  const cache = new LRUCache<string, Prepared>({
    maxSize: cachedCharactersMax,
    sizeCalculation: (_, text) => text.length + 1,
  });

  function prepare(text: string): Prepared {
    const known = cache.get(text);
    if (known) return known;
    const prepared = prepareNew(text);
    cache.set(text, prepared);
    return prepared;
  }

  function prepareAsked(asked: Asked): Prepared | undefined {
    const { query } = asked;
    if (!trusted) return prepare(query ?? '');
    const found = trusted.get(extractDocumentId(asked) ?? '');
    return query === undefined || query === null || query === found?.text ? found?.prepared : undefined;
  }

  return {
    /** `true` if requests must name a trusted document. */
    areTrusted: trusted !== undefined,
    /** Returns the operation of a request, or the errors if it has none. */
    operation(asked: Asked): Operation | Refused {
      const name = asked.operationName ?? null;
      const prepared = prepareAsked(asked);
      if (!prepared) return { errors: [notTrusted], kind: undefined };
      const { document, errors, operations } = prepared;
      const known = operations.get(name);
      if (known) return known;
      const node = document && getOperationAST(document, name);
      if (errors.length > 0) return { errors, kind: node?.operation };
      if (!document || !node) return { errors: [noOperation], kind: undefined };
      const operation = buildOperation(document, node);
      operations.set(name, operation);
      return operation;
    },
  };
}

function buildOperation(whole: DocumentNode, node: OperationDefinitionNode): Operation {
  const definitions = whole.definitions.filter(
    (definition) => definition === node || definition.kind === 'FragmentDefinition',
  );
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions };
  const isSized = hasSizeByVariable(document);
  let known: number | undefined;
  const operation: Operation = {
    document,
    node,
    mayWait: listWaitFields(document, node).length > 0,
    waits: (variables) => listWaitFields(document, node, variables),
    statements: listStatements(schema, document, node),
    cost(variables) {
      if (known !== undefined) return known;
      try {
        const cost = estimateCost(schema, document, variables);
        if (!isSized) known = cost;
        return cost;
      } catch (error) {
        if (error instanceof GraphQLError) return error;
        throw error;
      }
    },
    plan() {
      const kept = plans.get(operation);
      if (kept) return kept.plan;
      const plan = planQuery(schema, document, node);
      plans.set(operation, { plan });
      return plan;
    },
  };
  return operation;
}

/** Most fields of all cached plans. Each takes about a kilobyte of memory. */
const plannedFieldsMax = 20_000;

const plans = new LRUCache<Operation, { plan: Plan | undefined }>({
  maxSize: plannedFieldsMax,
  sizeCalculation: ({ plan }) => 1 + (plan?.size ?? 0),
});

/**
 * Returns the fields `_meta` that name a checkpoint. Without variables, it includes those that directives leave out.
 */
function listWaitFields(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables?: CoercedVariables,
) {
  const fragments = Object.fromEntries(
    document.definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
    ),
  );
  const fieldNodes = [{ ...noField, selectionSet: operation.selectionSet }];
  return fieldsBelow({ fieldNodes, fragments }, (node) => !variables || isIncluded(node, variables)).filter(
    ({ name, arguments: args }) =>
      name.value === '_meta' && args?.some((one) => one.name.value === atLeastCheckpoint),
  );
}

const noField: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '' } };

/** `true` if the size of a page is a variable. Then the cost depends on the request. */
function hasSizeByVariable(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Argument({ name, value }) {
      if (value.kind === 'Variable' && (name.value === 'first' || name.value === 'last')) found = true;
    },
  });
  return found;
}

const notTrusted = new GraphQLError(
  'This service executes trusted documents only. Name one by its `documentId`, and send no other `query`.',
  { extensions: { code: 'document_not_trusted' } },
);

const persistedQuery = z.object({ persistedQuery: z.object({ sha256Hash: z.string() }) });

/**
 * Returns the SHA-256 that a request names: in `documentId` as in GraphQL over HTTP, or in `extensions` as Apollo's
 * clients do.
 */
function extractDocumentId({ documentId, extensions }: Asked): string | undefined {
  const id = documentId ?? persistedQuery.safeParse(extensions).data?.persistedQuery.sha256Hash;
  return id?.replace(/^sha256:/, '');
}

interface Trusted {
  text: string;
  prepared: Prepared;
}

const trustedFileShape = z.record(z.string(), z.string());

function readTrusted(file: string): ReadonlyMap<string, Trusted> {
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
  const trusted = Object.entries(texts).map(([key, text]) => ({ key, text, prepared: prepareNew(text) }));
  if (trusted.length === 0) throw refuse('has no documents.');
  const faults = trusted.flatMap(({ key, text, prepared: { errors } }) => {
    const id = createHash('sha256').update(text).digest('hex');
    if (key !== id && key !== `sha256:${id}`) return `${key}: is not the SHA-256 of its document`;
    return errors.slice(0, 1).map(({ message }) => `${key}: ${message}`);
  });
  if (faults.length > 0) throw refuse(['wrong documents:', ...faults].join('\n  '));
  return new Map(trusted.map(({ key, ...document }) => [key.replace(/^sha256:/, ''), document]));
}

const noOperation = new GraphQLError(
  'The document has no operation of this name, or has several and the request names none.',
);

function prepareNew(text: string): Prepared {
  try {
    const document = parse(text, { maxTokens: queryLimits.tokens });
    return { document, errors: validate(schema, document, rules), operations: new Map() };
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    return { document: undefined, errors: [error], operations: new Map() };
  }
}
