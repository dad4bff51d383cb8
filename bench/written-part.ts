const end = '\n<!-- end -->';

/**
 * Replaces the part of a page that an earlier run of `npm run bench` wrote.
 * @param name of the part, in the comment that begins it
 * @throws Error if the page has no place for it
 */
export function replaceWrittenPart(page: string, name: string, part: string): string {
  const begin = `<!-- written by \`npm run bench\`: ${name} -->\n`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`the page has no ${begin.trim()} with ${end.trim()} after it`);
  return page.slice(0, from) + begin + part.trimEnd() + page.slice(to);
}
