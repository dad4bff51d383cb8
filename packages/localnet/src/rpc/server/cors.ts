import type { HttpRequest } from './exchange.ts';

/** Every origin may call, as on a public full node; no credentials are involved. */
export const corsHeaders: Record<string, string> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': '*',
};

const preflightMaxAgeS = 86_400;

/** The answer to a preflight: what was asked for is allowed (`*` would leave out `authorization`). */
export function preflightHeaders(request: HttpRequest): Record<string, string> {
  const asked = request.headers['access-control-request-headers'];
  return {
    ...corsHeaders,
    'access-control-allow-methods': 'POST, GET, OPTIONS',
    'access-control-allow-headers': asked ?? 'content-type, x-grpc-web',
    'access-control-max-age': String(preflightMaxAgeS),
    vary: 'access-control-request-headers',
  };
}
