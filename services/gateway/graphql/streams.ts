import { Readable } from 'node:stream';
import type { ExecutionResult } from 'graphql';
import type { FetchAPI } from 'graphql-yoga';

export const streamForm = 'text/event-stream';

export interface LiveValue extends ExecutionResult {
  frame: Buffer | string;
}

/** Formats one value of a stream as a server-sent event. Its id is for `Last-Event-ID`, which yoga's own frames lack. */
export const formatFrame = (id: string, json: string) => `id: ${id}\nevent: next\ndata: ${json}\n\n`;

export const completion = 'event: complete\ndata:\n\n';

/** Creates the headers of a stream. Each response needs its own, because yoga adds the length of a body to them. */
const createHeaders = () => ({ 'content-type': streamForm, 'x-accel-buffering': 'no' });

export const sendOnce = (json: string, { Response }: FetchAPI) =>
  new Response(`event: next\ndata: ${json}\n\n${completion}`, { headers: createHeaders() });

/** Sends the values of a subscription, each when the reader has taken those before it. */
export function sendStream(values: AsyncIterable<LiveValue>, { Response }: FetchAPI): Response {
  const body = Readable.from(readFrames(values), { highWaterMark: 1 });
  return new Response(body as unknown as BodyInit, { headers: createHeaders() });
}

async function* readFrames(values: AsyncIterable<LiveValue>) {
  for await (const { frame } of values) yield frame;
}
