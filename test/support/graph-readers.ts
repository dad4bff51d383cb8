import { createClient } from 'graphql-sse';
import { request } from 'undici';

/** A value of a subscription, which carries its cursor. */
export interface StreamedValue {
  cursor: string;
  [field: string]: unknown;
}

/**
 * Readers of a gateway's subscriptions, and the function that closes them all.
 * @param findUrl returns the url of the gateway, which may be another one for each test
 */
export function graphReaders(findUrl: () => string) {
  const closing: (() => unknown)[] = [];

  /** Subscribes with the client of graphql-sse, and collects the values. */
  function subscribe(
    query: string,
    variables: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) {
    const client = createClient({ url: `${findUrl()}/graphql`, retryAttempts: 0, headers });
    const values: StreamedValue[] = [];
    const codes: unknown[] = [];
    const paths: unknown[] = [];
    let ended = false;
    const stop = client.subscribe<Record<string, StreamedValue>>(
      { query, variables },
      {
        next({ data, errors }) {
          for (const error of errors ?? []) {
            codes.push(error.extensions?.code);
            paths.push(error.path?.join('.'));
          }
          for (const value of Object.values(data ?? {})) values.push(value);
        },
        error: () => {
          ended = true;
        },
        complete: () => {
          ended = true;
        },
      },
    );
    closing.push(() => client.dispose());
    return { values, codes, paths, stop, ended: () => ended };
  }

  /** Opens a stream without a client, as an EventSource does. */
  async function openRaw(query: string, headers: Record<string, string> = {}) {
    const { statusCode, body } = await request(`${findUrl()}/graphql?query=${encodeURIComponent(query)}`, {
      headers: { accept: 'text/event-stream', ...headers },
    });
    let text = '';
    let ended = false;
    const finish = () => {
      ended = true;
    };
    body.on('data', (chunk) => {
      text += chunk;
    });
    body.on('close', finish).on('error', finish);
    closing.push(() => body.destroy());
    const frames = () => text.split('\n\n').filter((part) => part.includes('data: {'));
    const ids = () => frames().map((part) => /"eventId":"([^"]+)"/.exec(part)?.[1]);
    const cursors = () => frames().map((part) => /^id: (.+)$/m.exec(part)?.[1]);
    return { statusCode, body, ids, cursors, text: () => text, ended: () => ended };
  }

  function close(): void {
    for (const stop of closing.splice(0).reverse()) stop();
  }
  return { subscribe, openRaw, close };
}
