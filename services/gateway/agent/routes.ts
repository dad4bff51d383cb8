import type { Logger } from '../../../lib/log/index.ts';
import type { Route } from '../server/rest.ts';
import { forwardTo } from './forward.ts';

const json = 'application/json';

/** What the agent service answers, reached through this host's one address. */
export function agentRoutes(agentUrl: string | undefined, log: Logger): Route[] {
  const forward = forwardTo(agentUrl, log);
  return [
    { path: '/api/agent/run', mediaType: 'application/x-ndjson', post: forward },
    { path: '/api/agent/runs', mediaType: json, get: forward },
    { path: '/api/agent/address', mediaType: json, get: forward },
    { path: '/api/agent/adaptors', mediaType: json, get: forward, post: forward, delete: forward },
    { path: '/api/agent/runs/:id', mediaType: json, get: forward },
    { path: '/api/agent/runs/:id/stream', mediaType: 'application/x-ndjson', get: forward },
    { path: '/api/agent/runs/:id/settle', mediaType: json, post: forward },
    { path: '/api/agent/session', mediaType: json, get: forward, post: forward, delete: forward },
    { path: '/api/agent/session/nonce', mediaType: json, post: forward },
    { path: '/api/agent/keys', mediaType: json, get: forward, post: forward },
    { path: '/api/agent/keys/:id', mediaType: json, patch: forward, delete: forward },
    { path: '/api/agent/plans', mediaType: json, get: forward, post: forward },
    { path: '/api/agent/plans/:owner', mediaType: json, delete: forward },
    { path: '/api/agent/freezes', mediaType: json, get: forward, post: forward, delete: forward },
  ];
}
