import { requireNoBody } from '../../../lib/http/body.ts';
import type { Handler, Route } from '../server/rest.ts';
import { type ForwardOptions, forwardTo } from './forward.ts';

const json = 'application/json';

/** What the agent service answers, reached through this host's one address. */
export function agentRoutes(agentUrl: string | undefined, options: ForwardOptions): Route[] {
  const forwardBy = forwardTo(agentUrl, options);
  const forward = forwardBy('credential');
  return [
    { path: '/api/agent/run', mediaType: 'application/x-ndjson', post: forward },
    { path: '/api/agent/runs', mediaType: json, get: forward },
    { path: '/api/agent/address', mediaType: json, get: forwardBy('none') },
    { path: '/api/agent/adaptors', mediaType: json, get: forward, post: forward, delete: forward },
    { path: '/api/agent/runs/:id', mediaType: json, get: forward },
    { path: '/api/agent/runs/:id/stream', mediaType: 'application/x-ndjson', get: forward },
    { path: '/api/agent/runs/:id/settle', mediaType: json, post: forward },
    {
      path: '/api/agent/session',
      mediaType: json,
      get: forward,
      post: forwardBy('signature'),
      delete: forward,
    },
    { path: '/api/agent/session/nonce', mediaType: json, post: forwardBy('none') },
    { path: '/api/agent/keys', mediaType: json, get: forward, post: forward },
    { path: '/api/agent/keys/:id', mediaType: json, patch: forward, delete: forward },
    { path: '/api/agent/plans', mediaType: json, get: forward, post: forward },
    { path: '/api/agent/plans/:owner', mediaType: json, delete: forward },
    {
      path: '/api/agent/freezes',
      mediaType: json,
      get: forward,
      post: forward,
      delete: withoutBody(forward),
    },
  ];
}

/** Bodies of a DELETE are not handed on: one that names a wallet would end the freeze of all of them. */
function withoutBody(handle: Handler): Handler {
  return async (exchange, parameters) => {
    requireNoBody(exchange.req);
    await handle(exchange, parameters);
  };
}
