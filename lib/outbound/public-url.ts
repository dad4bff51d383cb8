/**
 * As much of a url as anyone may see: scheme, host and port, since keys stand in user parts, paths and queries alike.
 * What was left out shows as `/…`; what is no url, as `[url]`.
 */
export function publicUrl(text: string): string {
  const parsed = URL.parse(text);
  if (!parsed) return '[url]';
  const rest =
    parsed.pathname.length > 1 || parsed.search || parsed.hash || parsed.username || parsed.password;
  return `${parsed.protocol}//${parsed.host}${rest ? '/…' : ''}`;
}
