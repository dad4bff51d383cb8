import {
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  type getVariableValues,
  type SelectionNode,
} from 'graphql';

/** Variables of a request, coerced to their types. */
export type CoercedVariables = NonNullable<ReturnType<typeof getVariableValues>['variableValues']>;

/** `true` if `@skip` and `@include` leave a node in the response. Without variables, they must use none. */
export function isIncluded(node: SelectionNode, variables?: CoercedVariables): boolean {
  if (!node.directives?.length) return true;
  return (
    getDirectiveValues(GraphQLSkipDirective, node, variables)?.if !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false
  );
}
