import { GraphQLError, parse } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { costMax, costOf } from '../../../graphql/limits/cost.ts';
import { limitCounts, limitDepth, queryLimits } from '../../../graphql/limits/rules.ts';

/** Bounds on a stranger's document: its size before it is read, its shape before it runs, its answer's size. */
export function useLimits(): Plugin {
  const rules = [limitDepth(queryLimits.depth), limitCounts(queryLimits)];
  return {
    onParse({ setParseFn }) {
      setParseFn((source, options) => parse(source, { ...options, maxTokens: queryLimits.tokens }));
    },
    onValidate({ addValidationRule }) {
      for (const rule of rules) addValidationRule(rule);
    },
    onExecute({ args, setResultAndStopExecution }) {
      const cost = costOf(args.schema, args.document, args.operationName, args.variableValues ?? {});
      if (cost <= costMax) return;
      const message = `The query may ask for ${cost} fields; ${costMax} are allowed. Ask for fewer per page.`;
      const extensions = { code: 'query_too_large', http: { status: 400 } };
      setResultAndStopExecution({ errors: [new GraphQLError(message, { extensions })] });
    },
  };
}
