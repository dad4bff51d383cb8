import { readFile, writeFile } from 'node:fs/promises';

const documentUrl = new URL('../../../docs/localnet.md', import.meta.url);
const end = '\n<!-- end -->';

/** Findings of a run, by the name of the document's block that shows them. */
export type Blocks = Record<string, string>;

/** Reads the document's blocks that have the names of `wanted`. @throws Error when one is missing. */
export async function writtenBlocks(wanted: Blocks): Promise<Blocks> {
  const document = await readFile(documentUrl, 'utf8');
  return Object.fromEntries(Object.keys(wanted).map((name) => [name, split(document, name).block]));
}

/** Puts blocks in the places of the document's. */
export async function writeBlocks(blocks: Blocks): Promise<void> {
  let document = await readFile(documentUrl, 'utf8');
  for (const [name, block] of Object.entries(blocks)) {
    const { before, after } = split(document, name);
    document = before + block + after;
  }
  await writeFile(documentUrl, document);
}

function split(document: string, name: string) {
  const begin = `<!-- written by \`npm run conformance\`: ${name} -->\n`;
  const from = document.indexOf(begin);
  const to = document.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`docs/localnet.md has no ${begin} with ${end} behind it`);
  const start = from + begin.length;
  return { before: document.slice(0, start), block: document.slice(start, to), after: document.slice(to) };
}
