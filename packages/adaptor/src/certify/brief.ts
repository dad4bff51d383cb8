import type { Certificate, Claim, Site, Verdict } from './claims.ts';
import { type CertificateText, type ClaimSentence, describeWithin, findNamedPackages } from './describe.ts';
import { listCallPaths } from './evidence.ts';

/** Version of the sentences. It increases with each change of their words, their order or their bounds. */
export const wordingVersion = 2;

/** Bounds of a brief. */
export const briefBounds = {
  sentences: 100,
  /** Characters of a sentence. One about stored fields can name thousands. */
  text: 600,
  /** Sites of a call path, the last ones. */
  path: 10,
  /** Packages that the sentences name in short. */
  packages: 50,
  /** UTF-8 bytes of the whole as JSON. */
  bytes: 64 * 1024,
} as const;

/** A sentence about a function, with positions in place of claims and of names. */
export interface BriefSentence {
  kind: Claim['kind'];
  verdict: Verdict;
  /** Names and lists are short if it was longer. */
  text: string;
  /** Positions in `Certificate.claims`. */
  claims: number[];
  /** Call path of its first claim, with positions in `CertificateBrief.functions`. Empty if no instruction shows it. */
  path: Site[];
  /** Number of calls before `path` that are left out. */
  callsBefore: number;
}

/** The first sentences of a certificate, within `briefBounds`. */
export interface CertificateBrief {
  sentences: BriefSentence[];
  /** Number of all sentences of the certificate. */
  sentenceCount: number;
  /** The functions that call paths lead through: `0x<original id>::module::function`. */
  functions: string[];
  /** The other packages that the sentences name `@P1`, `@P2` and so on. */
  packages: CertificateText['packages'];
}

/** Kinds in the order of a reader's questions. Reads, writes and checks name many fields, and come last. */
export const kindOrder: readonly Claim['kind'][] = [
  'takes',
  'goesTo',
  'comesBack',
  'witnessLeak',
  'droppedCheck',
  'upgrade',
  'steers',
  'notRead',
  'gate',
  'touches',
];

/**
 * States a certificate in few sentences: first what the function takes, where that goes and what comes back, last its checks,
 * reads and writes. Names come from bytecode: escape them where they are shown.
 */
export function briefCertificate(certificate: Certificate): CertificateBrief {
  const { sentences: all, packages } = describeWithin(certificate, briefBounds.text);
  const positions = new Map(certificate.claims.map((claim, at) => [claim, at]));
  const rank = ({ kind }: ClaimSentence) => kindOrder.indexOf(kind);
  const brief: CertificateBrief = { sentences: [], sentenceCount: all.length, functions: [], packages: [] };
  let bytes = 0;
  for (const sentence of all.toSorted((a, b) => rank(a) - rank(b)).slice(0, briefBounds.sentences)) {
    const { kind, verdict, text } = sentence;
    const { callsBefore, steps } = cutPath(sentence.claims, certificate);
    const functions = [...new Set([...brief.functions, ...steps.map(([name]) => name)])];
    const named = findNamedPackages(text);
    const newPackages = packages.filter((one) => named.has(one.name) && !brief.packages.includes(one));
    const written: BriefSentence = {
      kind,
      verdict,
      text,
      claims: sentence.claims.map((claim) => positions.get(claim)!),
      path: steps.map(([name, offset]) => [functions.indexOf(name), offset]),
      callsBefore,
    };
    bytes += measure([written, functions.slice(brief.functions.length), newPackages]);
    const packagesCount = brief.packages.length + newPackages.length;
    if (bytes > briefBounds.bytes || packagesCount > briefBounds.packages) break;
    brief.sentences.push(written);
    brief.functions = functions;
    brief.packages.push(...newPackages);
  }
  return brief;
}

/** Returns the end of the first call path of some claims, with names of functions. */
function cutPath(claims: readonly Claim[], { functions }: Certificate) {
  const [path = []] = claims.flatMap((claim) => listCallPaths(claim));
  const callsBefore = Math.max(0, path.length - briefBounds.path);
  const steps = path.slice(callsBefore).map(([at, offset]): [name: string, offset: number] => {
    return [functions[at] ?? '?', offset];
  });
  return { callsBefore, steps };
}

const encoder = new TextEncoder();
const measure = (value: unknown): number => encoder.encode(JSON.stringify(value)).length;
