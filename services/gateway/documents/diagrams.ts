import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/** Folder of the drawings. `test/diagrams/generate.ts` makes them. */
export const diagramFolder = 'docs/diagrams';

/** Returns the path of the drawing of a Mermaid source. Its name is the hash of the source. */
export const findDiagramPath = (source: string): string =>
  `${diagramFolder}/${createHash('sha256').update(source).digest('hex').slice(0, 16)}.svg`;

/** Returns the drawing of a Mermaid source; undefined if there is none. */
export function readDiagram(source: string): string | undefined {
  const path = join(root, findDiagramPath(source));
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
