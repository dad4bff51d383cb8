import { GraphQLError, parse } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import {
  costMax,
  costOf,
  limitCounts,
  limitDepth,
  queryLimits,
  statementsMax,
  statementsOf,
} from '../../../graphql/query-limits.ts';

/** Bounds on a stranger's document: its size before it is read, its shape before it runs, its reads and its answer's size. */
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
      const { schema, document, operationName, variableValues } = args;
      const refuse = (message: string) => {
        const extensions = { code: 'query_too_large', http: { status: 400 } };
        setResultAndStopExecution({ errors: [new GraphQLError(message, { extensions })] });
      };
      const cost = costOf(schema, document, operationName, variableValues ?? {});
      const statements = statementsOf(schema, document, operationName);
      if (cost > costMax) {
        refuse(`The query may ask for ${cost} fields; ${costMax} are allowed. Ask for fewer per page.`);
      } else if (statements > statementsMax) {
        refuse(`The query causes ${statements} reads; ${statementsMax} are allowed. Send several queries.`);
      }
    },
  };
}
