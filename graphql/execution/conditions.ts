import {
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  type getVariableValues,
  type SelectionNode,
} from 'graphql';

/** The variables of a request by their types. */
export type CoercedVariables = NonNullable<ReturnType<typeof getVariableValues>['variableValues']>;

/** Whether `@skip` and `@include` let a field or fragment be. Without variables: of a document that uses none for them. */
export function isIncluded(node: SelectionNode, variables?: CoercedVariables): boolean {
  if (!node.directives?.length) return true;
  return (
    getDirectiveValues(GraphQLSkipDirective, node, variables)?.if !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false
  );
}
