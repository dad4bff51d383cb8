/** A function in the source of a package. */
export interface FunctionLocation {
  /** Its module and its own name, as `pool::swap`. */
  name: string;
  file: string;
  /** From 1 on. */
  line: number;
}

/**
 * Finds the functions that Move files declare, by module and name. One that is declared twice, for tests for example, is not among
 * them: a stranger could show the other one.
 */
export function findFunctions(
  files: Iterable<readonly [file: string, text: string]>,
): Map<string, FunctionLocation> {
  const found = new Map<string, FunctionLocation>();
  const twice = new Set<string>();
  for (const [file, text] of files) {
    let module = '';
    let [line, counted] = [1, 0];
    for (const match of blankComments(text).matchAll(declaration)) {
      const [, moduleName, functionName] = match;
      module = moduleName ?? module;
      if (functionName === undefined) continue;
      line += text.slice(counted, match.index).split('\n').length - 1;
      counted = match.index;
      const name = `${module}::${functionName}`;
      if (found.has(name)) twice.add(name);
      found.set(name, { name, file, line });
    }
  }
  for (const name of twice) found.delete(name);
  return found;
}

/** The head of a module or of a function. `use fun` declares none. */
const declaration = /\bmodule\s+(?:\w+\s*::\s*)?(\w+)|\buse\s+fun\b|\bfun\s+(\w+)/g;

/** Returns text of the same length, with spaces in place of strings and of comments, which can be within each other. */
function blankComments(text: string): string {
  const parts: string[] = [];
  let [at, depth] = [0, 0];
  for (;;) {
    const next = depth > 0 ? /\/\*|\*\//g : /"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*/gs;
    next.lastIndex = at;
    const match = next.exec(text);
    const between = text.slice(at, match?.index);
    parts.push(depth > 0 ? blankOut(between) : between);
    if (!match) return parts.join('');
    const [mark] = match;
    if (mark === '/*') depth++;
    if (mark === '*/') depth--;
    parts.push(blankOut(mark));
    at = match.index + mark.length;
  }
}

const blankOut = (text: string) => text.replace(/[^\n]/g, ' ');
