/** Finds shapes of names and doc comments that `docs/style.md` bans: `npm run check shapes`. */
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

const folders = ['bench', 'db', 'docs', 'graphql', 'lib', 'packages', 'services', 'test', 'web'];

/** The local network, the Move toolchain and the examples of the check's own test are left out. */
const leftOut = /^packages\/(?:localnet|move-toolchain)\/|\/generated\/|^test\/repository\/shapes\.test\.ts$/;

function readShapes(root: string): (Shape & { path: string })[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--', ...folders], { cwd: root, encoding: 'utf8' });
  const paths = listed.split('\0').filter((path) => path.endsWith('.ts') && !leftOut.test(path));
  return paths.flatMap((path) =>
    findShapes(readFileSync(join(root, path), 'utf8')).map((shape) => ({ path, ...shape })),
  );
}

if (import.meta.main) {
  const shapes = readShapes(join(import.meta.dirname, '../..'));
  for (const { path, line, kind, text } of shapes) console.error(`${path}:${line}: ${kind}: ${text}`);
  if (shapes.length > 0) {
    console.error(`${shapes.length} of these shapes are banned. Rules and better forms: docs/style.md`);
    process.exitCode = 1;
  }
}
