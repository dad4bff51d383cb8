import type { Route } from '../../../lib/http/route.ts';
import { code, html } from '../../../web/components/index.ts';
import type { Content } from '../../../web/frame/page.ts';
import { buildExampleVariables, type ExampleObjects, exampleObjects } from '../examples/objects.ts';
import { createFileRoute } from '../pages/page.ts';
import type { Site } from '../pages/site.ts';
import { exampleQueries } from './examples.ts';

/** On a phone its parts stand below each other, and the page scrolls. The editor sets the sizes that this overrides. */
const style = `
main:has(> #graphiql) { max-width: none; padding: 0; }
.graphiql-container { width: 100%; height: max(600px, calc(100vh - 64px)); }
.graphiql-container .graphiql-logo { display: none; }
body.graphiql-light :is(.graphiql-container, .graphiql-dialog) { --color-primary: 177, 83%, 23%; --color-base: 0, 0%, 100%; }
body.graphiql-dark :is(.graphiql-container, .graphiql-dialog) { --color-primary: 174, 50%, 57%; --color-base: 206, 15%, 9%; }
body.graphiql-dark .graphiql-execute-button > svg { color: #0c1f1e; }
.graphiql-container .monaco-editor .line-numbers.dimmed-line-number { color: var(--vscode-editorLineNumber-foreground); }
.graphiql-container .graphiql-response { background: hsl(var(--color-base)); border-radius: 8px; }
@media (max-width: 760px) {
  /* The footer stays below the window while the explorer loads. */
  html.js #graphiql { min-height: 100vh; }
  .graphiql-container { flex-direction: column; height: auto; overflow-y: auto; }
  .graphiql-container .graphiql-sidebar { flex-direction: row; width: auto; }
  .graphiql-container .graphiql-main,
  .graphiql-container #graphiql-session { flex-direction: column; }
  .graphiql-container .graphiql-main > *,
  .graphiql-container #graphiql-session > * { flex: none !important; width: auto !important; min-width: 0; }
  .graphiql-container .graphiql-sessions { margin: 8px; }
  .graphiql-container .graphiql-editors,
  .graphiql-container .graphiql-response { height: 55vh; }
  .graphiql-container .graphiql-plugin { max-height: 60vh; }
  .graphiql-container .graphiql-horizontal-drag-bar { display: none; }
}
`;

/** Before the editor's script. `globalAPI` lets the switch of the frame change the editor's colors. */
const before = `self.MonacoEnvironment = { globalAPI: true, getWorkerUrl: (_, label) => \`/graphql/worker-\${label}.js\` };
`;

const start = `
{
  const root = document.querySelector('#graphiql');
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const mode = () => document.documentElement.dataset.theme ?? (dark.matches ? 'dark' : 'light');
  const setMode = () => {
    document.body.classList.remove('graphiql-light', 'graphiql-dark');
    document.body.classList.add('graphiql-' + mode());
    monaco.editor.setTheme('graphiql-' + mode().toUpperCase());
  };
  dark.addEventListener('change', setMode);
  document.addEventListener('theme', setMode);
  // An own title and logo would repeat the frame's.
  const defaultTabs = JSON.parse(root.dataset.tabs);
  YogaGraphiQL.renderYogaGraphiQL(root, { title: '', logo: '', defaultTabs, forcedTheme: mode() });

  // An element of the role "tab" may contain no control, and those of the editor contain two. They become a list of buttons.
  const listTabs = (tabs) => {
    tabs.removeAttribute('role');
    root.querySelector('#graphiql-session').setAttribute('role', 'group');
    for (const tab of tabs.querySelectorAll('[aria-selected]')) {
      tab.querySelector('.graphiql-tab-button').setAttribute('aria-current', tab.getAttribute('aria-selected'));
      tab.removeAttribute('aria-selected');
      tab.removeAttribute('role');
    }
  };
  const rendered = new MutationObserver(() => {
    const tabs = root.querySelector('.graphiql-tabs');
    if (!tabs) return;
    rendered.disconnect();
    listTabs(tabs);
    // The editor sets the attribute again when a tab is added or chosen.
    new MutationObserver(() => listTabs(tabs)).observe(tabs, { childList: true, subtree: true, attributeFilter: ['aria-selected'] });
  });
  rendered.observe(root, { childList: true, subtree: true });
}
`;

type Files = typeof import('@graphql-yoga/render-graphiql/graphiql');

function createExplorerRoute(name: string, type: string, pick: (files: Files) => string): Route<unknown> {
  return createFileRoute(`/graphql/${name}`, `${type}; charset=utf-8`, 3_600, async () =>
    Buffer.from(pick(await import('@graphql-yoga/render-graphiql/graphiql'))),
  );
}

/** Files of the explorer, nine megabytes. They come from this server alone, which reads them at the first request. */
export const explorerRoutes = [
  createExplorerRoute('graphiql.css', 'text/css', ({ css }) => css + style),
  createExplorerRoute('graphiql.js', 'text/javascript', ({ js }) => before + js + start),
  createExplorerRoute(
    'worker-editorWorkerService.js',
    'text/javascript',
    ({ editorWorkerService }) => editorWorkerService,
  ),
  createExplorerRoute('worker-json.js', 'text/javascript', ({ jsonWorker }) => jsonWorker),
  createExplorerRoute('worker-graphql.js', 'text/javascript', ({ graphqlWorker }) => graphqlWorker),
];

export async function renderExplorer({ data }: Site): Promise<Content> {
  // Without the database, the examples name no objects.
  const found = await data.read(exampleObjects, {}).catch(() => undefined);
  const variables = found ? buildExampleVariables(found as ExampleObjects) : {};
  const tabs = Object.entries(exampleQueries).map(([name, query]) => ({
    query,
    ...(variables[name] && { variables: JSON.stringify(variables[name], null, 2) }),
  }));
  return {
    title: 'GraphQL explorer',
    description: 'Queries and subscriptions of the graph, with examples that run.',
    section: 'docs',
    styles: ['/graphql/graphiql.css'],
    scripts: ['/graphql/graphiql.js'],
    // The editor sets style attributes, has a font of its own, and runs workers.
    policy: { 'style-src': "'self' 'unsafe-inline'", 'font-src': 'data:', 'worker-src': "'self'" },
    main: html`<h1 class="unseen">GraphQL explorer</h1>
      <div id="graphiql" class="foreign" data-tabs=${JSON.stringify(tabs)}></div>
      <noscript><div class="width text">
        <p>The explorer needs script. Without it, <a href="/graphql/schema">read the schema</a>, and send queries like these to <code>/graphql</code>.</p>
        ${tabs.map(({ query }) => code(query))}
      </div></noscript>`,
  };
}

/** Returns the page that replaces the explorer if only trusted documents are executed. */
export const renderClosedExplorer = (): Content => ({
  title: 'The graph',
  section: 'docs',
  main: html`<article class="text">
    <h1>The graph</h1>
    <p>The explorer is off: this service executes only the documents that its operator trusts. Clients name them by <code>documentId</code>.</p>
    <p><a href="/graphql/schema">Read the schema</a></p>
  </article>`,
});
