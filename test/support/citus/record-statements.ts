import { fileURLToPath } from 'node:url';
import pg from 'pg';

/** One text of the service's code, and the first function of its stack that is not a helper of all statements. */
export interface SentStatement {
  text: string;
  /** `<file>#<function>` below the root of the repository; the file alone if no function of it has a name. */
  source: string;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const self = fileURLToPath(import.meta.url);
const ours = /^(?:db|graphql|services|lib)\//;
const tests = /^(?:test|bench)\/|\.test\.ts$/;
/** Files that send the texts of others: the next frame says whose. */
const helpers =
  /^db\/(?:client|transaction|rows|lock|cancel|orm\/drizzle|queries\/(?:queryable|writes|lookups|turns|lists|nested-lists|copy|page|due))\.ts$/;
const frame = /^ *at (?:async )?(?:(?<called>[^(]*) \()?(?:file:\/\/)?(?<path>\/[^?():]*)[^()]*\)?$/;

interface Listener {
  /** Only texts that match are reported. The stack of another is not read. */
  mentions: RegExp;
  onStatement: (statement: SentStatement) => void;
}

/** Texts that were reported. One of a test is looked at again: the service may send the same later. */
const reported = new Set<string>();
const listeners = new Set<Listener>();

function record(given: unknown): void {
  const text = readText(given);
  if (text === undefined || reported.has(text)) return;
  const interested = [...listeners].filter(({ mentions }) => mentions.test(text));
  const source = interested.length > 0 ? findSource() : undefined;
  if (source === undefined) return;
  reported.add(text);
  for (const { onStatement } of interested) onStatement({ text, source });
}

/** Text of a call: a string, a configuration, or what submits itself (a cursor, a COPY). */
function readText(given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  const { text, cursor } = Object(given) as { text?: unknown; cursor?: { text?: unknown } };
  const found = text ?? cursor?.text;
  return typeof found === 'string' ? found : undefined;
}

function findSource(): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 40;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  let file: string | undefined;
  for (const line of stack.split('\n').slice(1)) {
    const { called, path } = frame.exec(line)?.groups ?? {};
    if (!path?.startsWith(root) || path.includes('/node_modules/') || path === self) continue;
    const below = path.slice(root.length);
    if (file === undefined && tests.test(below)) return undefined;
    if (file === undefined && ours.test(below) && !helpers.test(below)) file = below;
    // The frames of functions without a name lead to the one around them.
    const name = called?.replace(/^.*[. ]/, '').replace('<anonymous>', '');
    if (file === below && name) return `${file}#${name}`;
  }
  return file;
}

for (const { prototype } of [pg.Client, pg.Pool] as {
  prototype: { query: (...args: unknown[]) => unknown };
}[]) {
  const { query } = prototype;
  prototype.query = function (this: unknown, ...args: unknown[]) {
    record(args[0]);
    return query.apply(this, args);
  };
}

/**
 * Reports the statements that this process sends from now on and whose texts match, each text once in the life of the
 * process. Those of child processes are not seen.
 * @returns a function that ends it
 */
export function recordStatements(mentions: RegExp, onStatement: Listener['onStatement']): () => void {
  const listener = { mentions, onStatement };
  listeners.add(listener);
  return () => listeners.delete(listener);
}
