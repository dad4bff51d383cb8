import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extractProse } from './prose.ts';

interface Rule {
  pattern: RegExp;
  /** The words to write instead. */
  better: string;
}

/** The pattern of a phrase. A blank also matches line breaks. */
const phrase = (source: string, flags = 'gi') => new RegExp(source.replaceAll(' ', '\\s+'), flags);

const be = '(?:is|are|was|were)';

/** Words that `docs/style.md` bans, as far as patterns find them without false alarms. */
export const rules: readonly Rule[] = [
  { pattern: phrase('\\bwho(?:so)?m?ever\\b'), better: 'anyone who, the caller that, everyone' },
  {
    pattern: phrase('\\bno more(?=\\s*(?:[.,;:)\'"\\0]| (?:and|but|or|this|the|by|in|after|until)\\b))'),
    better: 'no longer',
  },
  { pattern: phrase(`\\b${be} no more\\b(?! (?:than|of)\\b)`), better: 'is no longer, no longer exists' },
  { pattern: phrase('\\banew\\b'), better: 'again' },
  { pattern: phrase('\\bceas(?:e|es|ed|ing)\\b'), better: 'stop, end' },
  { pattern: phrase('\\b(?:bears?|bearing|borne)\\b'), better: 'have, carry, contain, support' },
  {
    pattern: phrase('\\b(?:is|are|was|were|be|been|being|get|gets|got) told\\b'),
    better: 'is reported, shown, sent, given; receives; is distinguished',
  },
  { pattern: phrase('\\btold (?:apart|of|to be)\\b'), better: 'distinguished; reported; described as' },
  {
    pattern: phrase('\\btells? (?:its|their|of|each|every|nothing|apart)\\b'),
    better: 'show, report, expose, stream; distinguish',
  },
  {
    pattern: phrase(
      '\\b(?:logs?|metrics?|streams?|process(?:es)?|events?|tables?|columns?|bytecode|names?|nodes?|chain|effects|answers?|fields?|code|size|hash|status) tells?\\b',
    ),
    better: 'shows, says, reports, exposes',
  },
  { pattern: phrase('\\bNobody\\b', 'g'), better: 'name the subject: no caller, no process, the operator …' },
  {
    pattern: phrase('\\bnobody (?:is|was|does|understands|lives)\\b'),
    better: 'name the subject, or use the active form',
  },
  {
    pattern: phrase(
      `(?<!\\bthere )\\b${be} no (?!longer\\b|more\\b|less\\b|such\\b|better\\b|worse\\b|other\\b|different\\b|one\\b|greater\\b|larger\\b|smaller\\b|fewer\\b|later\\b|earlier\\b|way\\b|room\\b|need\\b|time\\b|use\\b)\\w+`,
    ),
    better: 'is not a …',
  },
  { pattern: phrase(`\\b${be} to be\\b`), better: 'must be, will be; or name the value' },
  {
    pattern: phrase(
      '\\b(?:whereupon|whereof|wherein|whence|thereof|therein|thereby|hereby|herein|hence|henceforth|hitherto|thither|thence|lest|upon|albeit|nought|naught|amidst|whilst|heeds?|heeded)\\b',
    ),
    better: 'a word of today: then, of it, by this, so, until now, on, although, nothing, while, follow',
  },
  { pattern: phrase('\\bat present\\b'), better: 'now, currently; or leave it out' },
  { pattern: phrase('\\blanes?\\b'), better: 'worker, lease, queue, slots' },
  { pattern: phrase('\\bnothing of what\\b'), better: 'none of; or say what is untrusted or unknown' },
  { pattern: phrase('\\bmend(?:s|ed|ing)?\\b'), better: 'fix, repair, correct' },
  {
    pattern: phrase('\\b(?:breaks?|broken|broke|breaking) off\\b'),
    better: 'abort, cancel, interrupt, close',
  },
  { pattern: phrase('\\b(?:good|great) deal\\b'), better: 'much, many; or the number' },
];

interface Allowed {
  /** A file, or a folder with a slash at its end. */
  path: string;
  /** The banned words that are allowed, in lower case. If absent, all are. */
  words?: readonly string[];
  reason: string;
}

/** Files in which a banned word is right. An entry that allows nothing fails the check. */
const allowed: readonly Allowed[] = [
  { path: 'docs/style.md', reason: 'names the words' },
  { path: 'test/repository/words.test.ts', reason: 'names the words' },
];

interface Finding {
  path: string;
  line: number;
  words: string;
  better: string;
}

/** The banned words in a file's prose, in the order of its lines. */
export function findWords(path: string, text: string): Finding[] {
  const prose = extractProse(path, text);
  const findings = rules.flatMap(({ pattern, better }) =>
    [...prose.matchAll(pattern)].map(({ index, 0: match }) => ({
      path,
      line: text.slice(0, index).split('\n').length,
      words: match.replace(/\s+/g, ' ').toLowerCase(),
      better,
    })),
  );
  return findings.toSorted((a, b) => a.line - b.line);
}

const isAllowed = (finding: Finding, { path, words }: Allowed) =>
  (path.endsWith('/') ? finding.path.startsWith(path) : finding.path === path) &&
  (words?.includes(finding.words) ?? true);

/** Separates the allowed findings from the others, and returns the entries that allow nothing. */
export function judge(findings: readonly Finding[], entries: readonly Allowed[] = allowed) {
  return {
    refused: findings.filter((finding) => !entries.some((entry) => isAllowed(finding, entry))),
    unused: entries.filter((entry) => !findings.some((finding) => isAllowed(finding, entry))),
  };
}

/** Files that are generated from checked sources, or that others prescribe. */
const skipped = /^(?:\.env\.example|package-lock\.json|LICENSE)$|\/LICENSE$/;
const read = /\.(?:md|ts|move|sql|ya?ml|sh)$|(?:^|\/)(?:Dockerfile|run|\.env\.example|\.gitignore)$/;

function checkRepository(root: string) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  const files = listed.split('\0').filter((path) => read.test(path) && !skipped.test(path));
  const findings = files.flatMap((path) => {
    let text: string;
    try {
      text = readFileSync(join(root, path), 'utf8');
    } catch {
      return []; // Removed, and not yet committed.
    }
    return findWords(path, text);
  });
  return { files: files.length, ...judge(findings) };
}

if (import.meta.main) {
  const { files, refused, unused } = checkRepository(join(import.meta.dirname, '../..'));
  for (const { path, line, words, better } of refused) console.log(`${path}:${line}: "${words}": ${better}`);
  for (const { path, reason } of unused)
    console.log(`test/repository/words.ts: unused entry ${path} (${reason})`);
  const faults = refused.length + unused.length;
  if (faults > 0) process.exitCode = 1;
  console.log(faults > 0 ? `${faults} faults. docs/style.md says what to write.` : `${files} files checked.`);
}
