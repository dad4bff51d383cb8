/** Finds shapes of names and doc comments that `docs/style.md` bans: `npm run check shapes`. Arguments list those below a path. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Openings of a doc comment that hang on the name below it, instead of a noun phrase or a sentence. */
const openings = /^(?:What|Of|Where|Those|Whether|By|For|Who|Whose|Which|When|How|As)\b/;
const docComment = /\/\*\*[ \t]*(?:\n[ \t]*\*[ \t]*)?(\S[^\n]*)/g;
/** Declarations of functions that are named like a genitive: `costOf`. */
const genitive =
  /\bfunction\*? (\w+Of)\b|\bconst (\w+Of)\b(?:: [^=]+)? = (?:async )?(?:function\b|<|\(|\w+ =>)/g;

interface Shape {
  kind: 'fragment' | 'genitive';
  line: number;
  /** Opening of the comment, or name of the function. */
  text: string;
}

/** Finds doc comments that open with a relative clause or a fragment, and functions whose name ends in `Of`. */
export function findShapes(text: string): Shape[] {
  const lineAt = (index: number) => text.slice(0, index).split('\n').length;
  const fragments = [...text.matchAll(docComment)].flatMap(({ index, 1: opening = '' }): Shape[] =>
    openings.test(opening) ? [{ kind: 'fragment', line: lineAt(index), text: opening }] : [],
  );
  const genitives = [...text.matchAll(genitive)].map(
    ({ index, 1: declared, 2: assigned = '' }): Shape => ({
      kind: 'genitive',
      line: lineAt(index),
      text: declared ?? assigned,
    }),
  );
  return [...fragments, ...genitives];
}

/** Most of a kind that each folder has now. When one gets better, lower its limit; never raise one. */
const limits: Record<string, Record<Shape['kind'], number>> = {
  bench: { fragment: 0, genitive: 19 },
  db: { fragment: 0, genitive: 61 },
  graphql: { fragment: 0, genitive: 34 },
  lib: { fragment: 0, genitive: 55 },
  packages: { fragment: 0, genitive: 154 },
  services: { fragment: 0, genitive: 245 },
  test: { fragment: 0, genitive: 113 },
  web: { fragment: 0, genitive: 57 },
};

/** The local network, the Move toolchain and the examples of the check's own test are left out. */
const leftOut = /^packages\/(?:localnet|move-toolchain)\/|\/generated\/|^test\/repository\/shapes\.test\.ts$/;

function readShapes(root: string): (Shape & { path: string })[] {
  const folders = Object.keys(limits);
  const listed = execFileSync('git', ['ls-files', '-z', '--', ...folders], { cwd: root, encoding: 'utf8' });
  const paths = listed.split('\0').filter((path) => path.endsWith('.ts') && !leftOut.test(path));
  return paths.flatMap((path) =>
    findShapes(readFileSync(join(root, path), 'utf8')).map((shape) => ({ path, ...shape })),
  );
}

if (import.meta.main) {
  const shapes = readShapes(join(import.meta.dirname, '../..'));
  const prefixes = process.argv.slice(2);
  for (const { path, line, kind, text } of shapes) {
    if (prefixes.some((prefix) => path.startsWith(prefix))) console.log(`${path}:${line}: ${kind}: ${text}`);
  }
  for (const [folder, limit] of Object.entries(limits)) {
    for (const kind of ['fragment', 'genitive'] as const) {
      const found = shapes.filter((shape) => shape.kind === kind && shape.path.startsWith(`${folder}/`));
      if (found.length <= limit[kind]) continue;
      console.error(
        `${folder}: ${found.length} of kind ${kind}, at most ${limit[kind]}. Rules: docs/style.md. List: node test/repository/shapes.ts ${folder}/`,
      );
      process.exitCode = 1;
    }
  }
}
