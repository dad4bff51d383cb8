import type { Exchange } from '../../../lib/http/exchange.ts';
import { html } from '../../../web/components/html.ts';
import type { Content } from '../../../web/frame/page.ts';
import { iconLink, inlineHash, type Page, page } from '../pages/page.ts';
import { type ExampleObjects, exampleObjects, exampleQueries, exampleVariables } from './examples.ts';
import type { openPageData } from './page-data.ts';

const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">';

/** On a phone its parts stand below each other, and the page scrolls. The editor sets the sizes that this overrides. */
const narrow = `
@media (max-width: 760px) {
  .graphiql-container { flex-direction: column; height: auto; min-height: 100vh; overflow-y: auto; }
  .graphiql-container .graphiql-sidebar { flex-direction: row; width: auto; }
  .graphiql-container .graphiql-main,
  .graphiql-container #graphiql-session { flex-direction: column; }
  .graphiql-container .graphiql-main > *,
  .graphiql-container #graphiql-session > * { flex: none !important; width: auto !important; min-width: 0; }
  .graphiql-container .graphiql-sessions { margin: 8px; }
  .graphiql-container .graphiql-editors,
  .graphiql-container .graphiql-response { height: 55vh; }
  .graphiql-container .graphiql-plugin { max-height: 60vh; }
  .graphiql-container .graphiql-horizontal-drag-bar,
  .graphiql-container .graphiql-logo { display: none; }
}
`;

/** A value as JSON that cannot end the script it stands in: names of the index are what publishers wrote. */
const inScript = (value: object) => JSON.stringify(value, null, 2).replaceAll('<', '\\u003c');

/** GraphiQL from this server alone: only its own script runs, and the editor's workers, which that script makes from blobs. */
async function render(variables: ReturnType<typeof exampleVariables>): Promise<Page> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const rendered = String(
    await renderGraphiQL({
      title: 'Adaptor marketplace graph',
      defaultTabs: Object.entries(exampleQueries).map(([name, query]) => ({
        query,
        ...(variables[name] && { variables: inScript(variables[name]) }),
      })),
    }),
  );
  const html = rendered
    .replace(/<link rel="icon"[^>]*>/, `${viewport}\n${iconLink}`)
    .replace('</head>', `<style>${narrow}</style>\n</head>`);
  const script = html.slice(html.indexOf('<script>') + '<script>'.length, html.lastIndexOf('</script>'));
  return {
    html,
    policy: [
      `script-src ${inlineHash(script)} blob:`,
      'worker-src blob:',
      "style-src 'unsafe-inline'",
      'font-src data:',
      "connect-src 'self'",
    ],
  };
}

/**
 * The explorer, whose examples ask for objects of this index. It is a page of nine megabytes: made and compressed when first
 * asked for, and again only when the index has objects of a further kind.
 */
export function openExplorer(data: ReturnType<typeof openPageData>) {
  let shown:
    | { variables: ReturnType<typeof exampleVariables>; send: ReturnType<typeof page<void>> }
    | undefined;
  const namesIn = (variables: ReturnType<typeof exampleVariables>) =>
    Object.values(variables)
      .flatMap((of) => Object.values(of))
      .filter((value) => value !== undefined).length;

  return async (exchange: Exchange): Promise<void> => {
    // Without the database it shows what it showed.
    const found = await data.read(exampleObjects, {}).catch(() => undefined);
    const variables = found ? exampleVariables(found as ExampleObjects) : {};
    if (!shown || namesIn(variables) > namesIn(shown.variables)) {
      shown = { variables, send: page(() => render(variables)) };
    }
    await shown.send(exchange);
  };
}

/** Where the explorer would be, if its documents were executed. */
export const closedExplorer = (): Content => ({
  title: 'The graph',
  section: 'docs',
  main: html`<article class="text">
    <h1>The graph</h1>
    <p>The explorer is off: this service executes only the documents that its operator trusts. Clients name them by <code>documentId</code>.</p>
    <p><a href="/graphql/schema">Read the schema</a></p>
  </article>`,
});
