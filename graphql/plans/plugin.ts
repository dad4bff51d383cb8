import { type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import type { GraphContext } from '../builder.ts';
import { executePlan } from '../execution/answer.ts';
import { JsonText } from '../execution/answer-size.ts';
import { type Plan, planQuery } from '../execution/plan.ts';
import { createManifests } from '../manifests.ts';
import { findOperation, type Operation } from '../operations.ts';
import { coerceVariables } from '../query-limits.ts';
import { schema } from '../schema.ts';
import { recordReads } from './reads.ts';

type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Executes queries by plans, which write at most `charactersMax` characters of JSON. If a query has no plan, or its plan cannot
 * write the response, graphql-js executes the query. It reuses the rows that the plan has read.
 */
export function usePlans(charactersMax: number): Plugin {
  return {
    onExecute({ executeFn, setExecuteFn }) {
      setExecuteFn((args: ExecutionArgs) => executePlanned(args, executeFn as Execute, charactersMax));
    },
  };
}

async function executePlanned(args: ExecutionArgs, execute: Execute, charactersMax: number) {
  const operation = findOperation(args.document, args.operationName);
  const plan = findPlan(operation);
  if (!plan) return await execute(args);
  const variables = coerceVariables(args.schema, operation.node, args.variableValues ?? {});
  if (variables instanceof GraphQLError) return await execute(args);
  const context = args.contextValue as GraphContext;
  const reads = recordReads(context.db);
  const json = await executePlan(plan, withDatabase(context, reads.db), variables, charactersMax);
  if (json !== undefined) return { data: new JsonText(json) } as unknown as ExecutionResult;
  return await execute({ ...args, contextValue: withDatabase(context, reads.repeat()) });
}

/** Returns the context with another database, and without the manifests that it has cached. */
const withDatabase = (
  { choose, requireSource, indexed, readFilterValues }: GraphContext,
  db: GraphContext['db'],
): GraphContext => ({
  db,
  manifests: createManifests(db),
  choose,
  requireSource,
  indexed,
  readFilterValues,
});

/** Maximum number of fields of all cached plans. Each takes about a kilobyte of memory. */
const plannedFieldsMax = 20_000;

const plans = new LRUCache<Operation, { plan: Plan | undefined }>({
  maxSize: plannedFieldsMax,
  sizeCalculation: ({ plan }) => 1 + (plan?.size ?? 0),
});

function findPlan(operation: Operation): Plan | undefined {
  const known = plans.get(operation);
  if (known) return known.plan;
  const plan = planQuery(schema, operation.document, operation.node);
  plans.set(operation, { plan });
  return plan;
}
