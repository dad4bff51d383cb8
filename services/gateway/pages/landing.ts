import { iconLink, inlineHash, pageRoute } from './page.ts';

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 44rem; margin: 3rem auto; padding: 0 1rem; }
dt { font-weight: 600; margin-top: .8rem; }
dd { margin: 0; }
`;

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Adaptor marketplace</title>
${iconLink}
<style>${style}</style>
</head>
<body>
<main>
<h1>Adaptor marketplace</h1>
<p>The open catalog of wallet adaptors, read from the on-chain registry. Every entry's manifest matches the hash
that its publisher signed. Reading needs no key.</p>
<p>For example <a href="/api/adaptors?q=swap">/api/adaptors?q=swap</a>.</p>
<dl>
<dt><a href="/api/adaptors">/api/adaptors</a></dt>
<dd>The catalog as JSON, with search, filters, sorting and paging.</dd>
<dt>/api/vault, /api/delegations, /api/escrow/jobs</dt>
<dd>The wallet of an owner and its delegates, what the caps of an address are worth, and jobs in escrow.
<a href="/api/policy/rules">Policy rules</a> and <a href="/api/agent-services">agents for hire</a> are listed too.</dd>
<dt><a href="/docs">/docs</a></dt>
<dd>Every endpoint, to read and to try; the same as <a href="/api/adaptors/openapi.json">OpenAPI</a>.</dd>
<dt><a href="/errors">/errors</a></dt>
<dd>Every error code: when it happens and what to do.</dd>
<dt><a href="/graphql">/graphql</a></dt>
<dd>The same as a graph, with versions and events of each adaptor.</dd>
<dt><a href="/api/adaptors/schema">/api/adaptors/schema</a></dt>
<dd>What a publisher needs: the manifest's JSON Schema and the registry's ids on each network.</dd>
<dt><a href="/status">/status</a></dt>
<dd>How far the index has read each network.
<a href="/readyz">/readyz</a>, <a href="/healthz">/healthz</a> and <a href="/metrics">/metrics</a> are for machines.</dd>
</dl>
</main>
</body>
</html>
`;

/** Where a newcomer finds everything. */
export const landingRoute = pageRoute('/', () => ({ html, policy: [`style-src ${inlineHash(style)}`] }));
