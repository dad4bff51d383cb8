/**
 * The pages of a list, one after another.
 *
 *     for await (const { reviews } of pages((cursor) => api.listAdaptorReviews({ path, query: { cursor } }))) ...
 *
 * @param read gets one page: the first without a cursor, each next one by the `nextCursor` of the page before
 */
export async function* pages<Page extends { nextCursor?: string | null }>(
  read: (cursor: string | undefined) => Promise<Page>,
): AsyncGenerator<Page, void> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield page;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
