import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { type CoercedVariables, isIncluded } from './execution/conditions.ts';
import { atLeastCheckpoint } from './meta.ts';
import { estimateCost, listStatements } from './query-limits.ts';
import { schema } from './schema.ts';
import { listFieldsBelow } from './selection.ts';

export interface Operation {
  /** The operation alone, with the fragments of its document. */
  document: DocumentNode;
  node: OperationDefinitionNode;
  /** `true` if a field `_meta` of the operation names a checkpoint to wait for. */
  mayWait: boolean;
  /** Returns the fields `_meta` that name a checkpoint, without those that directives leave out. */
  findWaits(variables: CoercedVariables): FieldNode[];
  statements: ReadonlySet<string>;
  /** The most fields that the response can have, or an error if the variable of a required argument is null. */
  estimateCost(variables: Readonly<Record<string, unknown>>): number | GraphQLError;
}

/** Operations by their document and name, which is `null` for the only operation of a document. */
const operations = new WeakMap<DocumentNode, Map<string | null, Operation>>();

/** Returns an operation of a valid document, cached with it. @throws Error if there is none of this name */
export function findOperation(document: DocumentNode, operationName: string | null = null): Operation {
  const known = operations.get(document)?.get(operationName);
  if (known) return known;
  const node = getOperationAST(document, operationName);
  if (!node) throw new Error('the document has no such operation');
  const operation = createOperation(document, node);
  const byName = operations.get(document) ?? new Map<string | null, Operation>();
  operations.set(document, byName.set(operationName, operation));
  return operation;
}

function createOperation(whole: DocumentNode, node: OperationDefinitionNode): Operation {
  const definitions = whole.definitions.filter(
    (definition) => definition === node || definition.kind === 'FragmentDefinition',
  );
  const document: DocumentNode = { kind: Kind.DOCUMENT, definitions };
  const isSized = hasSizeByVariable(document);
  let known: number | undefined;
  return {
    document,
    node,
    mayWait: findWaits(document, node).length > 0,
    findWaits: (variables) => findWaits(document, node, variables),
    statements: listStatements(schema, document, node),
    estimateCost(variables) {
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
  };
}

/** The fields `_meta` that name a checkpoint. Without variables, with those that directives leave out. */
function findWaits(document: DocumentNode, operation: OperationDefinitionNode, variables?: CoercedVariables) {
  const fragments = Object.fromEntries(
    document.definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
    ),
  );
  const fieldNodes = [{ ...noField, selectionSet: operation.selectionSet }];
  return listFieldsBelow(
    { fieldNodes, fragments },
    (node) => !variables || isIncluded(node, variables),
  ).filter(
    ({ name, arguments: args }) =>
      name.value === '_meta' && args?.some((one) => one.name.value === atLeastCheckpoint),
  );
}

const noField: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '' } };

/** Arguments that choose the size of a list. */
const sizes = new Set(['first', 'last', 'days']);

/** `true` if the size of a list is a variable. Then the cost depends on the request. */
function hasSizeByVariable(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Argument({ name, value }) {
      if (value.kind === 'Variable' && sizes.has(name.value)) found = true;
    },
  });
  return found;
}
