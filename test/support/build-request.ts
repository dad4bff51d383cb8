interface JsonRequest {
  method: string;
  headers: Record<string, string>;
  body?: string;
}

/**
 * Returns the options of a `fetch` that sends JSON.
 * @param body a value, or text that is sent as it is; undefined: no body
 */
export function buildRequest(
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  method = 'POST',
): JsonRequest {
  if (body === undefined) return { method, headers };
  return {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}
