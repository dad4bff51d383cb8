import {
  type DocumentNode,
  defaultFieldResolver,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLID,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLString,
  getArgumentValues,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { type CoercedVariables, isIncluded } from './conditions.ts';

type Resolve = (source: unknown, args: object, context: unknown, info: GraphQLResolveInfo) => unknown;

/** Arguments and `info` of a resolver. They are the same for all objects of a response. */
interface Binding {
  args: Readonly<Record<string, unknown>>;
  info: GraphQLResolveInfo;
}

export interface FieldPlan {
  /** JSON before the value: `{"name":` or `,"name":`. */
  opening: string;
  /** Property that holds the value if the field has no resolver. */
  name: string;
  resolve: Resolve | undefined;
  /** Index of its binding. */
  at: number;
  bind: (variables: CoercedVariables | undefined) => Binding;
  shape: ValueShape;
}

/** The fields of an object, in the order of the answer. */
export interface ObjectPlan {
  fields: readonly FieldPlan[];
  closing: string;
  /** Characters of an object without its values. */
  width: number;
}

export type ValueShape = { nonNull: boolean } & (
  | {
      kind: 'leaf';
      type: GraphQLLeafType;
      /** A string needs no serializer. */
      isText: boolean;
    }
  | { kind: 'list'; item: ValueShape }
  | { kind: 'object'; plan: ObjectPlan }
  | {
      kind: 'abstract';
      plans: ReadonlyMap<string, ObjectPlan>;
      resolveTypeName(value: unknown, context: unknown, info: GraphQLResolveInfo): unknown;
    }
);

export interface Plan {
  root: ObjectPlan;
  size: number;
  /** Cached bindings by the index of the field. Undefined if the operation has variables, which can change them. */
  bindings: (Binding | undefined)[] | undefined;
}

/** Thrown if the plan does not cover something. graphql-js then executes the operation. */
export class OperationUnplannedError extends Error {}

/** Maximum fields of a plan. Fragments can expand a short document to many fields. */
const sizeMax = 1_000;

/**
 * Plans the response of a query once. Without a plan, graphql-js repeats that work for every object of every response.
 * Returns undefined for what a plan does not cover: introspection, conditions with variables, very large documents.
 * @param document validated, with this operation and its fragments only
 */
export function planQuery(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Plan | undefined {
  const type = schema.getQueryType();
  if (operation.operation !== 'query' || !type || isConditionedByVariable(document)) return undefined;
  try {
    const planner = createPlanner(schema, document, operation);
    const root = planner.planObject(type, [operation.selectionSet]);
    const hasVariables = (operation.variableDefinitions ?? []).length > 0;
    return { root, size: planner.size(), bindings: hasVariables ? undefined : [] };
  } catch (error) {
    if (error instanceof OperationUnplannedError) return undefined;
    throw error;
  }
}

function isConditionedByVariable(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    VariableDefinition: () => false,
    Directive(directive) {
      found ||= Boolean(directive.arguments?.some(({ value }) => value.kind === Kind.VARIABLE));
    },
  });
  return found;
}

function createPlanner(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode) {
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments[node.name.value] = node;
  }
  let size = 0;

  function planObject(type: GraphQLObjectType, sets: readonly SelectionSetNode[]): ObjectPlan {
    if (type.isTypeOf) throw new OperationUnplannedError();
    const nodesByKey = new Map<string, FieldNode[]>();
    const spread = new Set<string>();
    for (const { selections } of sets) collect(type, selections, nodesByKey, spread);
    const fields = [...nodesByKey].map(([key, nodes], at) => planField(type, key, nodes, at === 0));
    const closing = fields.length === 0 ? '{}' : '}';
    const width = fields.reduce((sum, { opening }) => sum + opening.length, closing.length);
    return { fields, closing, width };
  }

  function collect(
    type: GraphQLObjectType,
    selections: readonly SelectionNode[],
    nodesByKey: Map<string, FieldNode[]>,
    spread: Set<string>,
  ): void {
    for (const node of selections) {
      if (!isIncluded(node)) continue;
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        const same = nodesByKey.get(key);
        if (same) same.push(node);
        else nodesByKey.set(key, [node]);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        if (isOfType(type, node.typeCondition?.name.value))
          collect(type, node.selectionSet.selections, nodesByKey, spread);
      } else {
        const fragment = fragments[node.name.value];
        if (!fragment || spread.has(node.name.value)) continue;
        if (!isOfType(type, fragment.typeCondition.name.value)) continue;
        spread.add(node.name.value);
        collect(type, fragment.selectionSet.selections, nodesByKey, spread);
      }
    }
  }

  function isOfType(type: GraphQLObjectType, condition: string | undefined): boolean {
    if (condition === undefined || condition === type.name) return true;
    const conditional = schema.getType(condition);
    return isAbstractType(conditional) && schema.isSubType(conditional, type);
  }

  function planField(
    parentType: GraphQLObjectType,
    key: string,
    fieldNodes: readonly FieldNode[],
    isFirst: boolean,
  ): FieldPlan {
    size += 1;
    const [node] = fieldNodes as [FieldNode];
    const definition = schema.getField(parentType, node.name.value);
    const isIntrospection = node.name.value.startsWith('__') && node.name.value !== '__typename';
    if (!definition || isIntrospection || size > sizeMax) throw new OperationUnplannedError();
    const sets = fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const bind = (variables: CoercedVariables | undefined): Binding => ({
      args: Object.freeze(getArgumentValues(definition, node, variables)),
      info: new Info({
        fieldName: definition.name,
        fieldNodes,
        returnType: definition.type,
        parentType,
        schema,
        fragments,
        operation,
        variableValues: variables ?? noVariables,
      }),
    });
    return {
      opening: `${isFirst ? '{' : ','}${JSON.stringify(key)}:`,
      name: definition.name,
      resolve: definition.resolve === defaultFieldResolver ? undefined : (definition.resolve as Resolve),
      at: size - 1,
      bind,
      shape: planShape(definition.type, sets),
    };
  }

  function planShape(type: GraphQLOutputType, sets: readonly SelectionSetNode[]): ValueShape {
    if (isNonNullType(type)) return { ...planShape(type.ofType, sets), nonNull: true };
    const nonNull = false;
    if (isListType(type)) return { kind: 'list', nonNull, item: planShape(type.ofType, sets) };
    if (isObjectType(type)) return { kind: 'object', nonNull, plan: planObject(type, sets) };
    if (isLeafType(type)) {
      return { kind: 'leaf', nonNull, type, isText: type === GraphQLString || type === GraphQLID };
    }
    const { resolveType } = type;
    if (!resolveType) throw new OperationUnplannedError();
    return {
      kind: 'abstract',
      nonNull,
      plans: new Map(
        schema.getPossibleTypes(type).map((possible) => [possible.name, planObject(possible, sets)]),
      ),
      resolveTypeName: (value, context, info) => resolveType(value, context, info, type),
    };
  }

  return { planObject, size: () => size };
}

const noVariables: CoercedVariables = { sources: Object.create(null), coerced: Object.create(null) };

type StaticResolveInfo = Omit<
  GraphQLResolveInfo,
  'path' | 'rootValue' | 'getAbortSignal' | 'getAsyncHelpers'
>;

/** The `info` of resolvers. One that reads a value that differs between objects, such as `path`, is not planned. */
class Info implements GraphQLResolveInfo {
  readonly fieldName;
  readonly fieldNodes;
  readonly returnType;
  readonly parentType;
  readonly schema;
  readonly fragments;
  readonly operation;
  readonly variableValues;
  readonly rootValue = undefined;

  constructor(info: StaticResolveInfo) {
    this.fieldName = info.fieldName;
    this.fieldNodes = info.fieldNodes;
    this.returnType = info.returnType;
    this.parentType = info.parentType;
    this.schema = info.schema;
    this.fragments = info.fragments;
    this.operation = info.operation;
    this.variableValues = info.variableValues;
  }

  get path(): never {
    throw new OperationUnplannedError();
  }

  getAbortSignal(): never {
    throw new OperationUnplannedError();
  }

  getAsyncHelpers(): never {
    throw new OperationUnplannedError();
  }
}
