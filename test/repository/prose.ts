/**
 * The prose of a file: what people read in it. Returns the text with everything else blanked out, so that offsets
 * and lines stay the same. Prose of two places is separated by a NUL, so that no phrase spans both.
 */
export function extractProse(path: string, text: string): string {
  if (path.endsWith('.md')) return extractMarkdownProse(text);
  if (path.endsWith('.ts')) return only(text, extractTypeScriptProse(text));
  if (path.endsWith('.move')) return only(text, matches(text, /\/\/[^\n]*|\/\*[\s\S]*?\*\//g));
  if (path.endsWith('.sql')) return only(text, matches(text, /--[^\n]*|'(?:[^']|'')*'/g));
  return only(text, matches(text, /(?<=^|\s)#[^\n]*/g));
}

type Span = readonly [from: number, to: number];

const blank = (text: string) => text.replace(/\S/g, '\0');

const matches = (text: string, pattern: RegExp): Span[] =>
  [...text.matchAll(pattern)].map(({ index, 0: match }) => [index, index + match.length]);

/** The spans of a text, without the marks of comments and without quoted code. */
function only(text: string, spans: Span[]): string {
  let out = '';
  let end = 0;
  for (const [from, to] of spans) {
    const prose = text
      .slice(from, to)
      .replace(/`[^`\n]*`/g, blank)
      .replace(/^[ \t]*(?:\/\/+!?|\/\*\*?|\*(?!\/)|\*\/|--+|#+)/gm, (mark) => ' '.repeat(mark.length));
    out += blank(text.slice(end, from)) + prose;
    end = to;
  }
  return out + blank(text.slice(end));
}

function extractMarkdownProse(text: string): string {
  return text
    .replace(/^( *)```.*?^\1```/gms, blank)
    .replace(/`[^`]*`/g, blank)
    .replace(/\]\([^)\s]*\)/g, blank)
    .replace(/^ *>/gm, (mark) => ' '.repeat(mark.length));
}

/** The text before a `/` that begins a regular expression. */
const beforeRegex = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|of|in|await|yield))$/;
const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const quoted = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y;
const regex = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//y;
const templateText = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*/y;
const word = /[\w$]+/y;

/** Comments, and the strings and template texts that contain a blank. Other strings are names, paths or keys. */
function extractTypeScriptProse(text: string): Span[] {
  const spans: Span[] = [];
  /** Numbers of open braces in the expression of each template around the position. */
  const templates: number[] = [];
  let last = '';
  let at = 0;
  const take = (pattern: RegExp): Span | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) return undefined;
    at += match[0].length;
    return [at - match[0].length, at];
  };
  const add = (span: Span) => {
    if (/\s/.test(text.slice(...span))) spans.push(span);
  };
  const template = () => {
    add(take(templateText)!);
    if (text[at] === '$') templates.push(0);
    at += text[at] === '$' ? 2 : 1;
    last = text[at - 1] === '`' ? '`' : '';
  };
  while (at < text.length) {
    const char = text[at]!;
    if (char === '/') {
      const span = take(comment);
      if (span) spans.push(span);
      else if (!beforeRegex.test(last) || !take(regex)) at += 1;
      if (!span) last = '/';
    } else if (char === "'" || char === '"') {
      const span = take(quoted);
      if (span) add(span);
      else at += 1;
      last = char;
    } else if (char === '`') {
      at += 1;
      template();
    } else if (char === '}' && templates.at(-1) === 0) {
      templates.pop();
      at += 1;
      template();
    } else {
      if (templates.length > 0 && (char === '{' || char === '}')) {
        templates[templates.length - 1]! += char === '{' ? 1 : -1;
      }
      const span = take(word);
      if (!span) at += 1;
      if (span) last = text.slice(...span);
      else if (!/\s/.test(char)) last = char;
    }
  }
  return spans;
}
