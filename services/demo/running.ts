/** Returns the address of a gateway if one still answers there. */
export async function findRunning(baseUrl: string | null): Promise<string | null> {
  return baseUrl !== null && (await isAnswering(`${baseUrl}/healthz`)) ? baseUrl : null;
}

/** Returns `true` if a server responds at the url within 2 s, with any status. */
export async function isAnswering(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(2_000);
  const response = await fetch(url, { method: 'HEAD', signal }).catch(() => undefined);
  return response !== undefined;
}
