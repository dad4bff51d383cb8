import { iconLink, inlineHash, type Page, page } from '../pages/page.ts';

const startQuery = `{
  adaptors(first: 5) {
    edges { node { serviceType publisherVerified manifest { name category } } }
  }
}
`;

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
  .graphiql-container .graphiql-horizontal-drag-bar { display: none; }
}
`;

/**
 * GraphiQL from this server alone: one page of nine megabytes, made and compressed when first asked for. Only
 * its own script runs, and the editor's workers, which that script makes from blobs.
 */
export const graphiql = page(async (): Promise<Page> => {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const rendered = String(
    await renderGraphiQL({ title: 'Adaptor marketplace graph', defaultQuery: startQuery }),
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
});
