/**
 * Receives webhooks, believes only what is signed, and takes each event once.
 *
 *     WEBHOOK_SECRET=whsec_... PORT=4000 npx node docs/examples/webhook-receiver.ts
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';

const secret = process.env.WEBHOOK_SECRET;
if (!secret) throw new Error('Set WEBHOOK_SECRET to the secret of the subscription.');
const toleranceSeconds = 300;

/** Ids of events that were taken. A real receiver keeps them in its database, in the transaction that acts on them. */
const taken = new Set<string>();

const server = createServer(async (request, response) => {
  // The raw bytes are what is signed: JSON that was read and written again may differ.
  const body = await buffer(request);
  if (!isSigned(body, request.headers) || !isStandardSigned(body, request.headers)) {
    response.writeHead(401).end('wrong signature');
    return;
  }
  const { id, event, network, data } = JSON.parse(body.toString());
  // An answer that is lost on its way brings the same event again.
  if (!taken.has(id)) {
    taken.add(id);
    console.log(JSON.stringify({ id, network, event, data }));
  }
  // Quickly: work that takes longer belongs behind a queue.
  response.writeHead(204).end();
});
server.listen(Number(process.env.PORT ?? 4000), '127.0.0.1', () => {
  const address = server.address();
  if (address && typeof address === 'object') console.log(`receives at http://127.0.0.1:${address.port}`);
});

/** `x-svc-signature`: HMAC-SHA256 of the body, in hex. It says nothing of when the body was sent. */
function isSigned(body: Buffer, headers: IncomingHttpHeaders): boolean {
  const expected = createHmac('sha256', secret!).update(body).digest('hex');
  return sameText(String(headers['x-svc-signature']), expected);
}

/** `webhook-signature` of Standard Webhooks, which covers the id and the time of the attempt as well. */
function isStandardSigned(body: Buffer, headers: IncomingHttpHeaders): boolean {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) return false;
  const key = secret!.startsWith('whsec_') ? Buffer.from(secret!.slice(6), 'base64') : secret!;
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  // There may be several, while a secret is being changed.
  const given = String(headers['webhook-signature']).split(' ');
  return given.some((one) => sameText(one, `v1,${signature}`));
}

/** In a time that tells nothing of where they differ. */
function sameText(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
