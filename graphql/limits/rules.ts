import {
  type ASTNode,
  type ASTVisitor,
  type FragmentDefinitionNode,
  GraphQLError,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';

/** A sound query of this graph has depth 7 and few aliases; GraphiQL's introspection is measured elsewhere. */
export const queryLimits = { tokens: 1_000, depth: 10, aliases: 30, directives: 20 };

/** Refuses documents that nest deeper than the graph needs, through fragments too. */
export function limitDepth(max: number): ValidationRule {
  return function LimitDepth(context: ValidationContext): ASTVisitor {
    const ofFragment = new Map<string, number>();
    return {
      OperationDefinition(operation) {
        const depth = depthOf(operation.selectionSet);
        if (depth > max) {
          context.reportError(tooMuch(`The query is ${depth} levels deep; ${max} are allowed.`, operation));
        }
      },
    };

    function depthOf({ selections }: SelectionSetNode): number {
      let deepest = 0;
      for (const selection of selections) {
        if (selection.kind === 'FragmentSpread') {
          deepest = Math.max(deepest, depthOfFragment(context.getFragment(selection.name.value)));
        } else if (selection.kind === 'InlineFragment') {
          deepest = Math.max(deepest, depthOf(selection.selectionSet));
        } else if (!selection.name.value.startsWith('__')) {
          deepest = Math.max(deepest, 1 + (selection.selectionSet ? depthOf(selection.selectionSet) : 0));
        }
      }
      return deepest;
    }

    /** Each fragment is measured once, however often it is spread; a cycle is another rule's business. */
    function depthOfFragment(fragment: FragmentDefinitionNode | null | undefined): number {
      if (!fragment) return 0;
      const name = fragment.name.value;
      const known = ofFragment.get(name);
      if (known !== undefined) return known;
      ofFragment.set(name, 0);
      const depth = depthOf(fragment.selectionSet);
      ofFragment.set(name, depth);
      return depth;
    }
  };
}

/** Refuses documents whose aliases or directives multiply work that no data asks for. */
export function limitCounts(max: { aliases: number; directives: number }): ValidationRule {
  return function LimitCounts(context: ValidationContext): ASTVisitor {
    let aliases = 0;
    let directives = 0;
    return {
      Field(field) {
        if (field.alias && ++aliases === max.aliases + 1) {
          context.reportError(tooMuch(`The document has more than ${max.aliases} aliases.`, field));
        }
      },
      Directive(directive) {
        if (++directives === max.directives + 1) {
          context.reportError(tooMuch(`The document has more than ${max.directives} directives.`, directive));
        }
      },
    };
  };
}

function tooMuch(message: string, node: ASTNode): GraphQLError {
  return new GraphQLError(message, { nodes: node, extensions: { code: 'query_too_large' } });
}
