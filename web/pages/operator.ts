import { type Html, html } from '../components/html.ts';
import { notice } from '../components/marks.ts';
import type { Content, PageRequest } from '../frame/page.ts';

/** Pages of the operator: path, title and purpose. The browser reads all their data with the operator's session. */
const parts = {
  overview: ['/operator', 'Overview', 'Whether the host runs, and what waits for you.'],
  listings: [
    '/operator/listings',
    'Listings',
    'Reports, quarantines, hidden pictures and texts, updates of confirmed adaptors, and listings that are not shown.',
  ],
  agent: ['/operator/agent', 'Agent', 'Runs to settle, freezes, plans, and what the agent did.'],
  keys: ['/operator/keys', 'API keys', 'Issue keys to integrators, and revoke them.'],
  settings: ['/operator/settings', 'Settings', 'What the gateway was started with.'],
} as const;
type SectionName = keyof typeof parts;

export const operatorPaths = Object.values(parts).map(([path]) => path);

/** Configuration of the host that the operator's session needs. */
interface Host {
  hasStore: boolean;
  hasAdminSecret: boolean;
}

const example =
  'curl http://127.0.0.1:8080/api/adaptors/keys -H "authorization: Bearer $MARKETPLACE_ADMIN_SECRET"';

/** Renders why the operator cannot sign in; undefined if the sign-in is possible. */
function missing({ hasStore, hasAdminSecret }: Host): Html | undefined {
  if (!hasStore)
    return notice(
      'caution',
      'This host has no key-value store',
      html`<p>Sessions, API keys and rate limits need one. Set <code>REDIS_URL</code> (<code>memory:</code> for a single process) or <code>KV_REST_API_URL</code> with <code>KV_REST_API_TOKEN</code>, and <code>MARKETPLACE_ADMIN_SECRET</code>. Then start again. <a href="/docs/limits-and-keys#the-store">How to set up the store</a>.</p>`,
    );
  if (!hasAdminSecret)
    return notice(
      'caution',
      'This host has no admin secret',
      html`<p>Set <code>MARKETPLACE_ADMIN_SECRET</code> to a random text of 16 characters or more, and start again. Until then the pages and endpoints of the operator are off.</p>`,
    );
  return undefined;
}

const findPart = (path: string) =>
  (Object.keys(parts) as SectionName[]).find((part) => parts[part][0] === path) ?? 'overview';

/** A page of the operator without data. The browser reads the data once the operator has signed in. */
export function operatorPage({ path, network, networks }: PageRequest, host: Host): Content {
  const part = findPart(path);
  const [, name, purpose] = parts[part];
  const own = networks.length > 1 ? `?network=${network}` : '';
  const links = Object.entries(parts).map(
    ([id, [target, label]]) =>
      html`<a href=${target + own} aria-current=${id === part ? 'page' : undefined}>${label}</a>`,
  );
  const off = missing(host);
  const signIn = html`<div id="operator" data-part=${part} data-network=${network} data-networks=${networks.join()}>
      <div class="box" data-script><p data-loading>Loading…</p></div>
      <noscript><div class="box"><p>This page needs script: it exchanges the admin secret for a session, and reads all data with that. Programs send the secret with each request:</p><pre tabindex="0"><code>${example}</code></pre><p><a href="/docs/operations">How to operate a host</a></p></div></noscript>
    </div>`;
  return {
    title: part === 'overview' ? 'Operator' : `${name} · Operator`,
    description: 'For the operator of this host.',
    islands: off ? [] : ['operator', 'charts'],
    main: html`<h1>Operator</h1>
      <p class="lead">${purpose}</p>
      <nav class="jump" aria-label="Operator">${links}</nav>
      ${off ?? signIn}`,
  };
}
