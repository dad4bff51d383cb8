import { findClose, isName, type Token } from './tokens.ts';

/** Text in place of a part of a source. */
export interface Edit {
  kind: string;
  start: number;
  end: number;
  text: string;
}

/** Declarations of a source, each with the others that can stand in its place. */
type Alternatives = ReadonlyMap<string, string>;

const operators: Record<string, string> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '%',
  '%': '*',
  '<<': '>>',
  '>>': '<<',
  '&&': '||',
  '||': '&&',
  '|': '&',
  '^': '|',
  '==': '!=',
  '!=': '==',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&mut': '&',
  true: 'false',
  false: 'true',
};

const abilities: Record<string, string> = { key: 'store', store: 'drop', drop: 'copy', copy: 'store' };

/** Lists what can be edited in a source: one token, two that change places, or one statement. */
export function listEdits(source: string, tokens: readonly Token[]): Edit[] {
  const functions = listFunctions(tokens);
  const names = new Map([...pair(functions), ...pair(listConstants(tokens))]);
  return [
    ...tokens.flatMap((_, at) => editToken(tokens, at, names)),
    ...functions.flatMap((one) => editVariables(tokens, one)),
    ...tokens.flatMap((_, at) => swapArguments(source, tokens, at)),
    ...editStatements(source, tokens),
  ];
}

function editToken(tokens: readonly Token[], at: number, names: Alternatives): Edit[] {
  const [before, token, after] = [tokens[at - 1]?.text, tokens[at]!, tokens[at + 1]?.text];
  const { text, start, end } = token;
  const replace = (kind: string, other: string): Edit[] => [{ kind, start, end, text: other }];
  const operator = operators[text];
  if (operator !== undefined) return replace(/\w/.test(text) ? 'word' : 'operator', operator);
  if (text === '&') return replace('reference', isName(after) ? '&mut ' : '|');
  if (/^\d/.test(text)) return replace('integer', increment(text));
  const ability = abilities[text];
  if (ability !== undefined && /^(?:has|,|\+|:)$/.test(before ?? '')) return replace('ability', ability);
  if (text === 'public') {
    const close = after === '(' ? findClose(tokens, at + 1) : undefined;
    if (close !== undefined) return [{ kind: 'visibility', start, end: tokens[close]!.end, text: 'public' }];
    return [...replace('visibility', ''), ...replace('visibility', 'public(package)')];
  }
  if (text === 'entry') return replace('visibility', '');
  const other = names.get(text);
  return other === undefined || /^(?:fun|const)$/.test(before ?? '') ? [] : replace('name', other);
}

function increment(text: string): string {
  const [, digits, suffix] = /^(0x[\da-fA-F_]+|[\d_]+)(u\d+)?$/.exec(text)!;
  const next = BigInt(digits!.replaceAll('_', '')) + 1n;
  return (digits!.startsWith('0x') ? `0x${next.toString(16)}` : String(next)) + (suffix ?? '');
}

interface Declaration {
  name: string;
  /** Declarations of the same type can stand in each other's place. */
  type: string;
  /** Tokens of the body of a function, from its opening brace to the closing one. */
  body?: [number, number];
  parameters?: string[];
}

function listFunctions(tokens: readonly Token[]): Declaration[] {
  return tokens.flatMap(({ text }, at) => {
    if (text !== 'fun' || !isName(tokens[at + 1]?.text)) return [];
    const open = tokens.findIndex((token, i) => i > at && token.text === '(');
    const close = open === -1 ? undefined : findClose(tokens, open);
    const start = tokens.findIndex((token, i) => i > (close ?? at) && /^[{;]$/.test(token.text));
    const end = tokens[start]?.text === '{' ? findClose(tokens, start) : undefined;
    if (close === undefined || end === undefined) return [];
    const inside = tokens.slice(open, close);
    const parameters = inside.flatMap((token, i) => (inside[i + 1]?.text === ':' ? [token.text] : []));
    const type = tokens
      .slice(at + 2, start)
      .map((token) => (parameters.includes(token.text) ? '' : token.text))
      .join(' ');
    return [{ name: tokens[at + 1]!.text, type, body: [start, end] as [number, number], parameters }];
  });
}

function listConstants(tokens: readonly Token[]): Declaration[] {
  return tokens.flatMap(({ text }, at) => {
    if (text !== 'const' || !isName(tokens[at + 1]?.text)) return [];
    const equals = tokens.findIndex((token, i) => i > at && token.text === '=');
    const type = tokens
      .slice(at + 2, equals)
      .map((token) => token.text)
      .join(' ');
    return [{ name: tokens[at + 1]!.text, type }];
  });
}

/** Names of declarations, each with that of the next one of the same type. */
function pair(declarations: readonly Declaration[]): [string, string][] {
  return [...Map.groupBy(declarations, ({ type }) => type).values()].flatMap((same) =>
    same.length < 2
      ? []
      : same.map(({ name }, at): [string, string] => [name, same[(at + 1) % same.length]!.name]),
  );
}

/** Each use of a variable as a use of the next one of its function. */
function editVariables(tokens: readonly Token[], { body, parameters = [] }: Declaration): Edit[] {
  const [from, to] = body!;
  const inside = tokens.slice(from, to);
  const declared = inside.flatMap(({ text }, i) => {
    const name = text === 'let' && inside[i + 1]?.text === 'mut' ? inside[i + 2] : inside[i + 1];
    return text === 'let' && isName(name?.text) ? [name.text] : [];
  });
  const names = [...new Set([...parameters, ...declared])];
  if (names.length < 2) return [];
  return inside.flatMap(({ text, start, end }, i) => {
    const at = names.indexOf(text);
    const isOther =
      /^(?:\.|::|let|mut)$/.test(inside[i - 1]?.text ?? '') ||
      /^(?:::|:|\()$/.test(inside[i + 1]?.text ?? '');
    if (at === -1 || isOther) return [];
    return [{ kind: 'variable', start, end, text: names[(at + 1) % names.length]! }];
  });
}

/** Two arguments of a call that stand beside each other, in the other order. */
function swapArguments(source: string, tokens: readonly Token[], at: number): Edit[] {
  const isCall = tokens[at]!.text === '(' && isName(tokens[at - 1]?.text) && tokens[at - 2]?.text !== 'fun';
  const close = isCall ? findClose(tokens, at) : undefined;
  if (close === undefined) return [];
  const parts: { start: number; end: number }[] = [];
  for (let i = at + 1; i < close; i++) {
    const { text, start, end } = tokens[i]!;
    if (text === ',') parts.push({ start: tokens[i + 1]!.start, end: tokens[i + 1]!.start });
    else if (parts.length === 0) parts.push({ start, end });
    const inner = '([{'.includes(text) ? findClose(tokens, i) : undefined;
    if (text !== ',') parts.at(-1)!.end = inner === undefined ? end : tokens[inner]!.end;
    if (inner !== undefined) i = inner;
  }
  return swapNeighbours(source, parts, 'arguments');
}

/** Statements left out, and two of a block in the other order. */
function editStatements(source: string, tokens: readonly Token[]): Edit[] {
  const blocks: { start: number; end: number }[][] = [[]];
  const edits: Edit[] = [];
  let first: Token | undefined;
  for (const token of tokens) {
    const { text, start, end } = token;
    if (text === ';' && first !== undefined) {
      const isDeclaration = /^(?:use|const|friend|module|public|native|fun|struct)$/.test(first.text);
      if (blocks.length > 1 && !isDeclaration) blocks.at(-1)!.push({ start: first.start, end });
      first = undefined;
    } else if (text === '{') {
      blocks.push([]);
      first = undefined;
    } else if (text === '}') {
      edits.push(...leaveStatements(source, blocks.pop() ?? []));
      first = undefined;
    } else first ??= { text, start, end };
  }
  return edits;
}

const leaveStatements = (source: string, statements: readonly { start: number; end: number }[]): Edit[] => [
  ...statements.map(({ start, end }) => ({ kind: 'statement', start, end, text: '' })),
  ...swapNeighbours(source, statements, 'order'),
];

function swapNeighbours(
  source: string,
  parts: readonly { start: number; end: number }[],
  kind: string,
): Edit[] {
  return parts.slice(1).flatMap((other, at) => {
    const one = parts[at]!;
    const [left, between, right] = [
      source.slice(one.start, one.end),
      source.slice(one.end, other.start),
      source.slice(other.start, other.end),
    ];
    return left === right ? [] : [{ kind, start: one.start, end: other.end, text: right + between + left }];
  });
}
