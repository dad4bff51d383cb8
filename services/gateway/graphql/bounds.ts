import type { Network } from '@adaptor-marketplace/adaptor';
import {
  type ExecutionArgs,
  type ExecutionResult,
  type FieldNode,
  GraphQLError,
  getArgumentValues,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { EventSource } from '../../../db/queries/events.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import type { GraphContext } from '../../../graphql/builder.ts';
import type { CoercedVariables } from '../../../graphql/execution/conditions.ts';
import { atLeastCheckpoint } from '../../../graphql/meta.ts';
import { findOperation, type Operation } from '../../../graphql/operations.ts';
import { coerceVariables, costMax, statementsMax, tooLarge } from '../../../graphql/query-limits.ts';
import { schema } from '../../../graphql/schema.ts';
import { ProblemError, problem } from '../../../lib/errors/index.ts';
import type { IdentifyCaller } from '../access/caller.ts';
import type { IndexWatch } from '../live/watch.ts';
import { type ServerContext, wrapError } from './answer.ts';
import type { GraphShare } from './share.ts';

/** Time limit of a query, in milliseconds. It is above the time limit of a single statement. */
const timeoutMs = 15_000;

const timeout = problem('timeout', `The query took longer than ${timeoutMs / 1000} s. Request less.`);

interface BoundsOptions {
  share: GraphShare;
  watch: Pick<IndexWatch, 'waitFor'>;
  identifyCaller: IdentifyCaller;
  createContext(db: Queryable): GraphContext;
}

type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Bounds the cost and time of queries. A query within the cost waits for the checkpoints that it names, then for a slot
 * of `share`.
 */
export function useBounds({ share, watch, identifyCaller, createContext }: BoundsOptions): Plugin {
  const { choose, requireSource } = createContext(share.live);

  async function executeBounded(args: ExecutionArgs, execute: Execute): Promise<ExecutionResult> {
    const operation = findOperation(args.document, args.operationName);
    const variables = coerceVariables(schema, operation.node, args.variableValues ?? {});
    if (variables instanceof GraphQLError) return { errors: [variables] };
    const cost = checkCost(operation, args.variableValues ?? {});
    if (cost instanceof GraphQLError) return { errors: [cost] };
    const { exchange } = args.contextValue as ServerContext;
    const stop = new AbortController();
    const { promise: timedOut, reject } = Promise.withResolvers<never>();
    // The time may be up before the race below listens to it.
    timedOut.catch(() => undefined);
    const timer = setTimeout(() => {
      reject(timeout);
      stop.abort(timeout);
    }, timeoutMs);
    const abort = () => stop.abort();
    exchange.res.once('close', abort);
    try {
      if (operation.mayWait) {
        for (const wait of operation.findWaits(variables)) {
          const error = await waitFor(wait, variables, identifyCaller(exchange), stop.signal);
          if (error) return { errors: [error], extensions: { cost } };
        }
      }
      const run = async (db: Queryable) =>
        await execute({
          ...args,
          contextValue: Object.assign(args.contextValue as object, createContext(db)),
        });
      const result = await Promise.race([share.run(run, stop.signal), timedOut]);
      return { ...result, extensions: { cost } };
    } catch (error) {
      throw wrapError(error);
    } finally {
      clearTimeout(timer);
      exchange.res.off('close', abort);
    }
  }

  /**
   * Waits for the checkpoint that a field `_meta` names. Returns the error of this field if the wait fails.
   * @throws ProblemError `too_many_waiting`, which refuses the request with its status and `retry-after`
   */
  async function waitFor(
    field: FieldNode,
    variables: CoercedVariables,
    caller: string | undefined,
    signal: AbortSignal,
  ): Promise<GraphQLError | undefined> {
    const metaField = schema.getQueryType()!.getFields()._meta!;
    try {
      const args = getArgumentValues(metaField, field, variables);
      const checkpoint = args[atLeastCheckpoint];
      if (typeof checkpoint !== 'number') return undefined;
      const network = choose((args.chain ?? undefined) as Network | undefined);
      const sources = (args.sources ?? undefined) as EventSource[] | undefined;
      for (const source of sources ?? []) requireSource(network, source);
      await watch.waitFor({ network, checkpoint, sources }, caller, signal);
      return undefined;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (error instanceof ProblemError && error.code === 'too_many_waiting') throw error;
      const path = [(field.alias ?? field.name).value];
      return new GraphQLError(error.message, { nodes: field, originalError: error, path });
    }
  }

  return {
    onExecute({ executeFn, setExecuteFn }) {
      setExecuteFn((args: ExecutionArgs) => executeBounded(args, executeFn as Execute));
    },
  };
}

/** Returns the cost of a query with its limits, for the extensions of the response. A query above a limit gets an error. */
function checkCost(
  { estimateCost, statements: { size: reads } }: Operation,
  variables: Readonly<Record<string, unknown>>,
) {
  const fields = estimateCost(variables);
  if (fields instanceof GraphQLError) return fields;
  if (fields > costMax) {
    return tooLarge(
      `The query may ask for ${fields} fields; ${costMax} are allowed. Ask for fewer per page.`,
    );
  }
  if (reads > statementsMax) {
    return tooLarge(`The query causes ${reads} reads; ${statementsMax} are allowed. Send several queries.`);
  }
  return { fields, fieldsMax: costMax, reads, readsMax: statementsMax };
}
