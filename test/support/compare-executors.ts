import { deepStrictEqual } from 'node:assert/strict';
import { type ExecutionArgs, type ExecutionResult, execute } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { GraphContext } from '../../graphql/builder.ts';
import { createManifests } from '../../graphql/manifests.ts';
import { usePlans } from '../../graphql/plans/plugin.ts';
import { recordReads } from '../../graphql/plans/reads.ts';
import { answerBytesMax } from '../../lib/http/bounded-page.ts';

type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>;

/**
 * Executes each query by its plan and by graphql-js, and fails it if the results differ. graphql-js gets the results of
 * the statements that the plan has run, and may run no others.
 */
export function compareExecutors(): Plugin[] {
  return [
    usePlans(answerBytesMax),
    {
      onExecute({ executeFn, setExecuteFn }) {
        setExecuteFn((args: ExecutionArgs) => executeBoth(args, executeFn as Execute));
      },
    },
  ];
}

async function executeBoth(args: ExecutionArgs, executePlanned: Execute): Promise<ExecutionResult> {
  const context = args.contextValue as GraphContext;
  const { choose, requireSource, readFilterValues } = context;
  const known = new Map<Parameters<GraphContext['indexed']>[0], ReturnType<GraphContext['indexed']>>();
  const indexed: GraphContext['indexed'] = (network) => {
    const state = known.get(network) ?? context.indexed(network);
    known.set(network, state);
    return state;
  };
  const run = (execute: Execute, db: GraphContext['db']) =>
    execute({
      ...args,
      contextValue: { db, manifests: createManifests(db), choose, requireSource, indexed, readFilterValues },
    });
  const reads = recordReads(context.db);
  const planned = await run(executePlanned, reads.db);
  const plain = await run(execute, reads.repeat());
  deepStrictEqual(JSON.parse(JSON.stringify(planned)), JSON.parse(JSON.stringify(plain)));
  return planned;
}
