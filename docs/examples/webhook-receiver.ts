/**
 * Receives webhooks, accepts only signed ones, and processes each event once.
 *
 *     WEBHOOK_SECRET=whsec_... PORT=4000 npx node docs/examples/webhook-receiver.ts
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';

const secret = process.env.WEBHOOK_SECRET;
if (!secret) throw new Error('Set WEBHOOK_SECRET to the secret of the subscription.');
const toleranceSeconds = 300;

/** Ids of processed events. A real receiver stores them in its database, in the transaction that acts on them. */
const taken = new Set<string>();

const server = createServer(async (request, response) => {
  // The signature covers the raw bytes: JSON that was parsed and written again may differ.
  const body = await buffer(request);
  if (!isSigned(body, request.headers)) {
    response.writeHead(401).end('wrong signature');
    return;
  }
  const { id, event, network, data } = JSON.parse(body.toString());
  // A lost response causes the same event to be sent again.
  if (!taken.has(id)) {
    taken.add(id);
    console.log(JSON.stringify({ id, network, event, data }));
  }
  // Respond quickly: put longer work into a queue.
  response.writeHead(204).end();
});
server.listen(Number(process.env.PORT ?? 4000), '127.0.0.1', () => {
  const address = server.address();
  if (address && typeof address === 'object') console.log(`receives at http://127.0.0.1:${address.port}`);
});

/** `webhook-signature` of Standard Webhooks, which covers the body, the id and the time of the attempt. */
function isSigned(body: Buffer, headers: IncomingHttpHeaders): boolean {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) return false;
  const key = secret!.startsWith('whsec_') ? Buffer.from(secret!.slice(6), 'base64') : secret!;
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  // There are several while the secret is rotated.
  const given = String(headers['webhook-signature']).split(' ');
  return given.some((one) => sameText(one, `v1,${signature}`));
}

/** Compares in constant time, so that the duration does not reveal where the texts differ. */
function sameText(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
