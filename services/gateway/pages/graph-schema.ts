import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { schema } from '../../../graphql/schema.ts';
import { html, raw } from '../../../web/components/html.ts';
import { escapeHtml, renderText } from './page.ts';
import { createSiteRoute } from './site.ts';

/** Types of this graph, without the built-in types of GraphQL. */
const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);

/** Sections of the page. Those that a new reader looks for come first. */
const parts: readonly [title: string, is: (type: GraphQLNamedType) => boolean][] = [
  ['Queries', (type) => type === schema.getQueryType()],
  ['Subscriptions', (type) => type === schema.getSubscriptionType()],
  ['Objects', (type) => isObjectType(type) && !isPlumbing(type) && !isRoot(type)],
  ['Interfaces', isInterfaceType],
  ['Inputs', isInputObjectType],
  ['Enums', isEnumType],
  ['Scalars', isScalarType],
  ['Pages of lists', isPlumbing],
];

const isRoot = (type: GraphQLNamedType) =>
  type === schema.getQueryType() || type === schema.getSubscriptionType();

function isPlumbing({ name }: GraphQLNamedType): boolean {
  return /(Connection|Edge)$|^PageInfo$/.test(name);
}

function renderType(type: GraphQLOutputType | GraphQLArgument['type']): string {
  const { name } = getNamedType(type);
  const [before, after] = String(type).split(name) as [string, string];
  const linked = types.some((one) => one.name === name) ? `<a href="#${name}">${name}</a>` : name;
  return `${before}${linked}${after}`;
}

interface DescribedElement {
  description?: string | null | undefined;
  deprecationReason?: string | null | undefined;
}

const renderDescription = ({ description, deprecationReason }: DescribedElement): string =>
  `${renderText(description ?? '')}${deprecationReason ? ` <em>Deprecated: ${renderText(deprecationReason)}</em>` : ''}`;

const row = (term: string, described: DescribedElement) =>
  `<dt>${term}</dt><dd>${renderDescription(described)}</dd>`;
const list = (rows: readonly string[]) => (rows.length === 0 ? '' : `<dl>\n${rows.join('\n')}\n</dl>`);

const valueRow = (value: GraphQLArgument | GraphQLInputField) =>
  row(`<code>${value.name}: ${renderType(value.type)}</code>`, value);

function renderField(field: GraphQLField<unknown, unknown>): string {
  const args = list(field.args.map(valueRow));
  return `<dt><code>${field.name}: ${renderType(field.type)}</code></dt><dd>${renderDescription(field)}${args}</dd>`;
}

function renderMembers(type: GraphQLNamedType): string {
  if (isObjectType(type) || isInterfaceType(type)) {
    const interfaces = type.getInterfaces().map((one) => `<a href="#${one.name}">${one.name}</a>`);
    const also = interfaces.length === 0 ? '' : `<p>Implements ${interfaces.join(', ')}.</p>\n`;
    return also + list(Object.values(type.getFields()).map(renderField));
  }
  if (isInputObjectType(type)) return list(Object.values(type.getFields()).map(valueRow));
  if (isEnumType(type))
    return list(type.getValues().map((value) => row(`<code>${value.name}</code>`, value)));
  const url = isScalarType(type) ? type.specifiedByURL : undefined;
  return url ? `<p>Specified by <a href="${escapeHtml(url)}">${escapeHtml(url)}</a>.</p>` : '';
}

const renderArticle = (type: GraphQLNamedType) => `<article aria-labelledby="${type.name}">
<h3 id="${type.name}">${type.name}</h3>
<p>${renderText(type.description ?? '')}</p>
${renderMembers(type)}
</article>`;

function renderSection([title, is]: (typeof parts)[number]): string {
  const own = types.filter(is);
  if (own.length === 0) return '';
  return `<section aria-label="${title}">\n<h2>${title}</h2>\n${own.map(renderArticle).join('\n')}\n</section>`;
}

export const graphSchemaRoute = createSiteRoute('/graphql/schema', () => ({
  title: 'Schema of the graph',
  section: 'docs',
  main: html`<div class="text reference">${raw(`<h1>The graph</h1>
<p>${renderText(schema.getQueryType()?.description ?? '')}</p>
<p>Every type that <a href="/graphql">/graphql</a> answers with. Lists take <code>first</code> and <code>after</code>, or
<code>last</code> and <code>before</code>.</p>
${parts.map(renderSection).join('\n')}`)}</div>`,
}));
