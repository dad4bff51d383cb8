import type { z } from 'zod';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import { parseBody } from '../../../lib/http/parse-body.ts';
import type { Kv } from '../../../lib/kv/index.ts';
import { requireCaller } from '../access/caller.ts';
import { sendJson } from '../respond/representation.ts';
import type { Exchange } from '../server/exchange.ts';
import type { Route } from '../server/rest.ts';
import { type issuedKeyBody, issueKeyRequest, type keysBody } from './requests.ts';
import { issueKey, listKeys, revokeKey } from './store.ts';

const bodyBytesMax = 10_000;
const noStore = 'no-store';

/** The admin's: issuing keys, listing and revoking them. Without a store each says that there is none. */
export function keyRoutes(kv: Kv | undefined): Route[] {
  const mediaType = 'application/json';
  const store = (exchange: Exchange): Kv => {
    requireCaller(exchange, 'admin');
    return kv!;
  };

  async function issue(exchange: Exchange): Promise<void> {
    const keys = store(exchange);
    const wanted = await parseBody(exchange, issueKeyRequest, bodyBytesMax);
    const issued = await issueKey(keys, wanted);
    await sendJson(exchange, issued satisfies z.infer<typeof issuedKeyBody>, noStore);
  }

  async function list(exchange: Exchange): Promise<void> {
    const keys = await listKeys(store(exchange));
    const body: z.infer<typeof keysBody> = { count: keys.length, keys };
    await sendJson(exchange, body, noStore);
  }

  async function revoke(exchange: Exchange, { id = '' }: Record<string, string>): Promise<void> {
    if (!(await revokeKey(store(exchange), id))) throw keyNotFound();
    exchange.res.writeHead(204, { 'cache-control': noStore }).end();
  }

  return [
    { path: '/api/adaptors/keys', mediaType, get: list, post: issue },
    { path: '/api/adaptors/keys/:id', mediaType, delete: revoke },
  ];
}

function keyNotFound(): ProblemError {
  return problem('key_not_found', 'There is no key of this id. GET /api/adaptors/keys lists the keys.');
}
