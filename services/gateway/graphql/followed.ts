import { type FieldNode, GraphQLError, getArgumentValues, type SelectionNode, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Operation } from '../../../graphql/operations.ts';
import { coerceVariables, tooLarge } from '../../../graphql/query-limits.ts';
import { schema } from '../../../graphql/schema.ts';
import {
  liveStatements,
  type SourceResolver,
  type SubscriptionSource,
} from '../../../graphql/subscriptions.ts';

type Variables = Record<string, unknown>;

/** Maximum number of fields of one value of a subscription. The value is rendered for each item. */
const liveCostMax = 1_000;

/** Refuses variables of wrong types, a value with too many fields, and a read that subscribers cannot share. */
export function findLiveRefusal(
  { node, estimateCost, statements }: Operation,
  variables: Variables,
): GraphQLError | undefined {
  const coerced = coerceVariables(schema, node, variables);
  if (coerced instanceof GraphQLError) return coerced;
  const fields = estimateCost(variables);
  if (fields instanceof GraphQLError) return fields;
  if (fields > liveCostMax) {
    return tooLarge(`A value may have ${fields} fields; ${liveCostMax} are allowed. Select fewer.`);
  }
  const unshared = [...statements]
    .map((path) => path.split('/').at(-1)!)
    .find((name) => !liveStatements.has(name));
  if (unshared === undefined) return undefined;
  return tooLarge(`A subscription cannot read ${unshared}. Read it by a query, when a value comes.`);
}

/**
 * Returns the source that an operation follows. `Last-Event-ID`, by which browsers resume, overrides `after`.
 * @throws GraphQLError or ProblemError for wrong arguments
 */
export function resolveFollowed(
  { node, document }: Operation,
  variables: Variables,
  resumed: unknown,
  context: Parameters<SourceResolver>[1],
): SubscriptionSource {
  const field = getFollowedField({ node, document });
  const definition = schema.getSubscriptionType()?.getFields()[field.name.value];
  const follow = definition?.extensions.follow as SourceResolver | undefined;
  if (!definition || !follow) throw new GraphQLError('This field cannot be subscribed to.', { nodes: field });
  const coerced = coerceVariables(schema, node, variables);
  if (coerced instanceof GraphQLError) throw coerced;
  const args = getArgumentValues(definition, field, coerced);
  const after = typeof resumed === 'string' && resumed !== '' ? resumed : args.after;
  return follow({ ...args, after }, context);
}

/** Returns the one field of a subscription. It can be in a fragment. */
export const getFollowedField = ({ node, document }: Pick<Operation, 'node' | 'document'>) =>
  findRootField(node.selectionSet.selections, document.definitions);

/** Returns the first field of the selections. Validation ensures that there is one. */
function findRootField(
  selections: readonly SelectionNode[],
  definitions: readonly { kind: string }[],
): FieldNode {
  const [first] = selections;
  if (first?.kind === 'Field') return first;
  if (first?.kind === 'InlineFragment') return findRootField(first.selectionSet.selections, definitions);
  const fragment = definitions.find(
    (
      node,
    ): node is typeof node & { name: { value: string }; selectionSet: { selections: SelectionNode[] } } =>
      node.kind === 'FragmentDefinition' &&
      (node as { name?: { value: string } }).name?.value === first?.name.value,
  );
  return findRootField(fragment?.selectionSet.selections ?? [], definitions);
}

const cursorVariables = new LRUCache<Operation, { name: string | undefined }>({ max: 1_000 });

/** The variable that is the cursor and nothing else. Callers that differ only in it get the same values. */
export function findCursorVariable(operation: Operation): string | undefined {
  const known = cursorVariables.get(operation);
  if (known) return known.name;
  const uses: string[] = [];
  let cursor: string | undefined;
  visit(operation.document, {
    VariableDefinition: () => false,
    Argument({ name, value }) {
      if (name.value === 'after' && value.kind === 'Variable') cursor = value.name.value;
    },
    Variable({ name }) {
      uses.push(name.value);
    },
  });
  const name = uses.filter((use) => use === cursor).length === 1 ? cursor : undefined;
  cursorVariables.set(operation, { name });
  return name;
}
