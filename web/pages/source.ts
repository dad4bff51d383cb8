import { hiddenCharacter } from '@adaptor-marketplace/adaptor/names';
import { LRUCache } from 'lru-cache';
import { type Html, html } from '../components/html.ts';
import { adaptorPath, checkSourcePath, sourcePath } from '../components/links.ts';
import { empty } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import { nameType } from '../components/type-names.ts';
import { count } from '../components/values.ts';
import type { Content, PageRequest } from '../frame/page.ts';
import { type FunctionLocation, findFunctions } from '../words/find-functions.ts';
import { highlightLines } from '../words/highlight.ts';
import type { OfferedSource, SourceReach } from './adaptor-data.ts';
import { notSafe, reachWords, verdictWords } from './source-part.ts';
import { type Statement, statementSelection, statementsPart } from './statements-part.ts';

export interface SourceListing {
  serviceType: string;
  publisher: string;
  registered: { packageId: string };
  adaptor: {
    packageId: string;
    manifest: { name: string };
    operations: readonly { module: string | null; entry: string | null; label: string }[];
    packageSource: OfferedSource | null;
    sourceReach: SourceReach;
    statements: readonly Statement[];
  } | null;
}

export const sourceDocument = `query Source($chain: Chain!, $serviceType: String!, $publisher: String) {
  listing(chain: $chain, serviceType: $serviceType, publisher: $publisher) {
    serviceType publisher registered { packageId }
    adaptor {
      packageId manifest { name } operations { module entry label }
      packageSource { verdict compiler reason verifiedAtMs } sourceReach { packageCount verifiedCount unverified }
      ${statementSelection}
    }
  }
}`;

/** Texts of offered source by their paths, and the folder of the package itself. */
export interface SourceTexts {
  folder: string;
  texts: ReadonlyMap<string, string>;
}

/** Bound on the HTML of the shown lines, in characters. The page has less than 60 kB. */
const linesHtmlMax = 36_000;
/** Bound on the paths in the list of files, in characters. The route has all of them. */
const pathsMax = 4_000;
const lineLengthMax = 1_000;
const functionsMax = 20;
/** Maximum number of differences that the page shows. The route has more. */
const differencesMax = 20;
/** Bound on each text of a difference, in characters. */
const differenceLengthMax = 300;

/** Findings of the comparison that the page shows. */
interface Comparison {
  modules: readonly {
    module: string;
    differenceCount: number;
    differences: readonly { declaration: string; onChain: string; built: string }[];
  }[];
  missing: readonly string[];
  extra: readonly string[];
}

/** Functions of the package itself, by the texts of its source. */
const declared = new WeakMap<SourceTexts, ReadonlyMap<string, FunctionLocation>>();

/** Finds the functions that the package's own files declare. */
function listFunctions(source: SourceTexts): ReadonlyMap<string, FunctionLocation> {
  const known = declared.get(source);
  if (known) return known;
  const prefix = source.folder === '' ? 'sources/' : `${source.folder}/sources/`;
  const found = findFunctions([...source.texts].filter(([path]) => path.startsWith(prefix)));
  declared.set(source, found);
  return found;
}

/** Hidden characters but for tabs. Shown as they are, code could read otherwise than it runs. */
const hiddenCharacters = new RegExp(`(?!\\t)${hiddenCharacter.source}`, 'gu');

const showLine = (line: string): string =>
  `${line.slice(0, lineLengthMax)}${line.length > lineLengthMax ? '…' : ''}`.replace(
    hiddenCharacters,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );

/** Lines of files with colors, in at most 8 million characters: tokens are found once for all parts of a file. */
const highlighted = new LRUCache<string, string[]>({
  maxSize: 8_000_000,
  sizeCalculation: (lines, text) => lines.reduce((sum, line) => sum + line.length, text.length + 1),
});

function readHighlighted(text: string, language: string): string[] {
  const key = `${language} ${text}`;
  const known = highlighted.get(key);
  if (known) return known;
  const lines = highlightLines(text, language);
  highlighted.set(key, lines);
  return lines;
}

interface ShownLines {
  from: number;
  /** Lines that declare functions of the operations. */
  called: ReadonlySet<number>;
  language: string;
  pathFor(line: number): string;
}

/** Renders lines of a file from one on, as many as the page has room for. */
function linesPart(text: string, { from, called, language, pathFor }: ShownLines): Html {
  const all = text.split(/\r?\n/).map(showLine);
  const marked = readHighlighted(all.join('\n'), language);
  const first = Math.min(Math.max(Math.trunc(from), 1), all.length);
  const shown: string[] = [];
  let length = 0;
  for (let at = first - 1; at < marked.length; at++) {
    const mark = called.has(at + 1) ? ' class="called"' : '';
    const line = `<span id="L${at + 1}"${mark}>${marked[at]}</span>`;
    length += line.length;
    if (length > linesHtmlMax) break;
    shown.push(line);
  }
  const last = first + shown.length - 1;
  const whole = first === 1 && last === all.length;
  return html`${whole ? '' : html`<p class="muted">Lines ${count(first)} to ${count(last)} of ${count(all.length)}${first === 1 ? '' : html` · <a href=${pathFor(1)}>From the start</a>`}</p>`}
    <div class="code"><pre tabindex="0"><code dangerouslySetInnerHTML=${{ __html: shown.join('\n') }}></code></pre></div>
    ${last < all.length ? html`<p class="more"><a class="button" href=${pathFor(last + 1)}>Next lines</a></p>` : ''}`;
}

function filesPart(texts: SourceTexts['texts'], chosen: string, pathFor: (file: string) => string): Html {
  const rows: Html[] = [];
  let length = 0;
  for (const path of texts.keys()) {
    length += 2 * path.length;
    if (length > pathsMax) break;
    rows.push(
      path === chosen
        ? html`<li><strong><code>${plain(path)}</code></strong></li>`
        : html`<li><a href=${pathFor(path)}><code>${plain(path)}</code></a></li>`,
    );
  }
  const left = texts.size - rows.length;
  return html`<ul>${rows}</ul>${left === 0 ? '' : html`<p class="muted">${count(left)} more in the JSON.</p>`}`;
}

/** Renders where the offered source and the code on chain differ, the first of them in full. */
function differencesPart({ modules, missing, extra }: Comparison): Html {
  const all = modules.flatMap(({ module, differences }) => differences.map((one) => ({ module, ...one })));
  const known = modules.reduce((sum, { differenceCount }) => sum + differenceCount, 0);
  if (known + missing.length + extra.length === 0) return '';
  const shown = all.slice(0, differencesMax);
  const show = (text: string) => html`<code>${plain(showLine(text.slice(0, differenceLengthMax)))}</code>`;
  const rows = shown.map(
    ({ module, declaration, onChain, built }) =>
      html`<tr><th scope="row">${show(`${module}: ${declaration}`)}</th><td>${show(onChain)}</td><td>${show(built)}</td></tr>`,
  );
  const listNames = (names: readonly string[], words: string) =>
    names.length === 0
      ? ''
      : html`<p>${words}: ${names.slice(0, differencesMax).map((name, at) => html`${at === 0 ? '' : ', '}${show(name)}`)}${names.length > differencesMax ? ` and ${count(names.length - differencesMax)} more` : ''}</p>`;
  return html`<h2>Where it differs</h2>
    ${rows.length === 0 ? '' : html`<div class="scroll"><table><thead><tr><th scope="col">Declaration</th><th scope="col">First difference, on chain</th><th scope="col">As the source builds</th></tr></thead><tbody>${rows}</tbody></table></div>`}
    ${known > shown.length ? html`<p class="muted">${count(known - shown.length)} more; the JSON has the first hundred of each module.</p>` : ''}
    ${listNames(missing, 'Modules on chain that the source does not have')}${listNames(extra, 'Modules of the source that are not on chain')}`;
}

/** The page with the source of a listing's package, one file at a time. Undefined if the source has no such file. */
export function sourcePage(
  { serviceType, publisher, adaptor }: SourceListing,
  source: SourceTexts | undefined,
  comparison: Comparison | null,
  request: PageRequest,
): Content | undefined {
  const { network, search } = request;
  const name = adaptor?.manifest.name ?? nameType(serviceType);
  const back = adaptorPath(network, serviceType, publisher);
  const locations = source ? listFunctions(source) : new Map<string, FunctionLocation>();
  const called = new Set((adaptor?.operations ?? []).map(({ module, entry }) => `${module}::${entry}`));
  const functions = [...called].slice(0, functionsMax).flatMap((one) => locations.get(one) ?? []);
  const chosen = locations.get(search.get('function') ?? '');
  const file =
    search.get('file') ??
    chosen?.file ??
    functions[0]?.file ??
    [...(source?.texts.keys() ?? [])].find((path) => path.endsWith('.move')) ??
    '';
  const text = source?.texts.get(file);
  if (source && text === undefined) return undefined;
  const pathFor = (path: string, line = 1) =>
    sourcePath(network, serviceType, { publisher, file: path, ...(line > 1 && { line: String(line) }) });
  const json = `/api/adaptors/${encodeURIComponent(serviceType)}/source?${new URLSearchParams({ network, publisher, include: 'files' })}`;
  const body =
    source === undefined || text === undefined
      ? empty(
          'No source',
          html`<p><a href="/docs/source-verification#offer-source-to-a-marketplace">Offer it</a> if you have it.</p>`,
        )
      : html`<h2>Files</h2>${filesPart(source.texts, file, pathFor)}
        ${functions.length === 0 ? '' : html`<h2>Functions of the operations</h2><p class="muted">The lines that declare them are marked.</p><ul>${functions.map((one) => html`<li><a href=${`${pathFor(one.file, one.line)}#L${one.line}`}><code>${plain(one.name)}</code></a></li>`)}</ul>`}
        <h2><code>${plain(file)}</code></h2>
        ${linesPart(text, {
          from: Number(search.get('line')) || (chosen?.line ?? 1),
          called: new Set(functions.flatMap((one) => (one.file === file ? [one.line] : []))),
          language: file.endsWith('.move') ? 'move' : 'toml',
          pathFor: (line) => pathFor(file, line),
        })}`;
  return {
    title: `Source of ${name}`,
    section: 'catalog',
    main: html`<div class="source"><h1>Source of ${plain(name)}</h1>
      <p><a href=${back}>Back to the adaptor</a> · <a href=${checkSourcePath(network, serviceType, publisher)}>Build it in your browser</a> · <a href=${json}>JSON</a></p>
      ${verdictWords(adaptor?.packageSource ?? null, request)}
      ${adaptor ? reachWords(adaptor.sourceReach) : ''}${notSafe}${statementsPart(adaptor?.statements ?? [], request)}
      ${comparison ? differencesPart(comparison) : ''}${body}</div>`,
  };
}
