/** A token of Move source. Comments and strings are none. */
export interface Token {
  text: string;
  start: number;
  end: number;
}

const pattern =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|\b[xb]?"(?:\\.|[^"\\])*"|[A-Za-z_]\w*|0x[\da-fA-F_]+|\d[\d_]*(?:u\d+)?|&mut\b|<<|>>|&&|\|\||==|!=|<=|>=|::|=>|[^\s]/g;

export function readTokens(source: string): Token[] {
  return [...source.matchAll(pattern)]
    .map(({ 0: text, index }) => ({ text, start: index, end: index + text.length }))
    .filter(({ text }) => !/^\/[/*]|^[xb]?"/.test(text));
}

export const isName = (text: string | undefined): text is string => /^[A-Za-z_]/.test(text ?? '');

/** Index of the bracket that closes the one at `at`. Undefined if none does. */
export function findClose(tokens: readonly Token[], at: number): number | undefined {
  let depth = 0;
  for (let i = at; i < tokens.length; i++) {
    if ('([{'.includes(tokens[i]!.text)) depth++;
    if (')]}'.includes(tokens[i]!.text) && --depth === 0) return i;
  }
  return undefined;
}
