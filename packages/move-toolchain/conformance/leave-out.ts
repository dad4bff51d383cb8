import type { PackageFiles } from '../src/builder.ts';

/** Where diagnostics of the kind `error` point to: file and line. */
const place = /^error\[[^\n]*\n\s*┌─ ([^\n]+?):(\d+):\d+/gm;

/**
 * Takes the declarations out of `files` that the compiler's errors point into, blank lines in their place, or the
 * whole file where an error points at none; returns how many. The next compilation says what is still wrong.
 */
export function leaveOut(files: PackageFiles, diagnostics: string): number {
  const lines = new Map<string, Set<number>>();
  for (const [, path, line] of diagnostics.matchAll(place)) {
    const file = Object.keys(files).find((name) => path!.endsWith(name));
    if (file === undefined) continue;
    const known = lines.get(file) ?? new Set<number>();
    known.add(Number(line) - 1);
    lines.set(file, known);
  }
  let removed = 0;
  for (const [file, wanted] of lines) {
    const text = files[file]!.split('\n');
    const declarations = declarationsOf(text).filter(({ from, to }) =>
      [...wanted].some((line) => from <= line && line <= to),
    );
    removed += Math.max(declarations.length, 1);
    for (const { from, to } of declarations) text.fill('', from, to + 1);
    if (declarations.length > 0) files[file] = text.join('\n');
    else delete files[file];
  }
  return removed;
}

/** The lines of each member of a module, its attributes among them. */
function declarationsOf(lines: string[]): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  const start = /^\s*(#\[|(public(\(\w+\))?\s+)?(entry\s+|native\s+|macro\s+)*(fun|struct|enum|const|use)\b)/;
  for (let from = 0; from < lines.length; from += 1) {
    if (!start.test(lines[from]!) || /^\s*#\[[^\]]*\]\s*module\b/.test(lines[from]!)) continue;
    let declared = from;
    while (/^\s*#\[/.test(lines[declared] ?? '') && !/\b(fun|struct|use|const)\b/.test(lines[declared]!)) {
      declared += 1;
    }
    if (/^\s*module\b/.test(lines[declared] ?? '')) continue;
    const to = endOf(lines, declared);
    found.push({ from, to });
    from = to;
  }
  return found;
}

/** The line of the brace or semicolon that ends what begins on a line. */
function endOf(lines: string[], from: number): number {
  let depth = 0;
  for (let line = from; line < lines.length; line += 1) {
    const code = lines[line]!.replace(/\/\/.*$/, '').replace(/x?b?"(\\.|[^"\\])*"/g, '');
    for (const [i, char] of [...code].entries()) {
      if ('{(['.includes(char)) depth += 1;
      if ('})]'.includes(char)) depth -= 1;
      if (depth === 0 && (char === ';' || (char === '}' && !code.slice(i + 1).includes(';')))) return line;
    }
  }
  return lines.length - 1;
}
