import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { publishedFramework, publishedText } from '../introspect/testing/packages.ts';
import type { PackageContent } from '../packages/source.ts';
import { certify } from './certify.ts';
import { type ClaimSentence, describeCertificate } from './describe.ts';
import type { Variant } from './testing/hostile/adaptor.ts';
import { chooseLines } from './testing/hostile/written.ts';

const folder = join(import.meta.dirname, 'testing/incidents');
const page = readFileSync(join(import.meta.dirname, '../../../../docs/incidents.md'), 'utf8');

/** The functions of each module that are certified. */
const certified = {
  typus: ['update', 'swap'],
  nemo: ['get_amount_in', 'redeem'],
  scallop: ['redeem'],
  volo: ['withdraw'],
  cetus: ['add_liquidity', 'remove_liquidity'],
  aftermath: ['trade', 'withdraw'],
} as const;
type Incident = keyof typeof certified;
const incidents = Object.keys(certified) as Incident[];

let system: readonly PackageContent[];
let packages: Record<Variant, PackageContent>;

const compileVariant = (variant: Variant) =>
  publishedText({
    'Move.toml': '[package]\nname = "incidents"\nedition = "2024"\n[addresses]\nincidents = "0x0"\n',
    ...Object.fromEntries(
      incidents.map((name) => [
        `sources/${name}.move`,
        chooseLines(readFileSync(join(folder, `${name}.move`), 'utf8'), variant),
      ]),
    ),
  });

beforeAll(async () => {
  const framework = await publishedFramework();
  system = await Promise.all(['0x1', '0x2'].map((id) => framework.read(id)));
  packages = { hostile: await compileVariant('hostile'), honest: await compileVariant('honest') };
});

/** Returns the sentences about an incident's functions, with short names of the framework. */
function readSentences(incident: Incident, variant: Variant): ClaimSentence[] {
  return certified[incident].flatMap((fn) => {
    const certificate = certify(
      { root: packages[variant], dependencies: system },
      { module: incident, function: fn },
      { upgrade: { policy: 'compatible', olderVersions: 1 } },
    );
    const { sentences } = describeCertificate(certificate);
    return sentences.map((one) => ({ ...one, text: one.text.replaceAll(/0x0*(?=[1-9]::)/g, '0x') }));
  });
}

/** Sentences of the program with the fault that the fixed one does not have. */
function listShown(incident: Incident): string[] {
  const fixed = new Set(readSentences(incident, 'honest').map(({ text }) => text));
  const texts = readSentences(incident, 'hostile').map(({ text }) => text);
  return texts.filter((text) => !fixed.has(text));
}

/** The part of the page about an incident. */
function readPart(incident: Incident): string {
  const part = page.split(/^## /m).find((text) => text.toLowerCase().startsWith(incident));
  if (part === undefined) throw new Error(`docs/incidents.md has no part about ${incident}`);
  return part;
}

const quoted = (text: string) => [...text.matchAll(/^> (.+)$/gm)].map(([, sentence]) => sentence!);

describe('What the page says a certificate shows is in the one of the fault, and not in the one of the fixed code', () => {
  test.each(['typus', 'nemo', 'scallop', 'volo'] as const)('%s', (incident) => {
    const sentences = quoted(readPart(incident));
    expect(sentences.length).toBeGreaterThan(0);
    for (const sentence of sentences)
      expect(listShown(incident).some((text) => text.includes(sentence))).toBe(true);
  });
});

describe('A fault of arithmetic changes no sentence, as the page says', () => {
  test.each(['cetus', 'aftermath'] as const)('%s', (incident) => {
    expect(packages.hostile.modules.get(incident)).not.toEqual(packages.honest.modules.get(incident));
    expect(listShown(incident)).toEqual([]);
    expect(quoted(readPart(incident))).toEqual([]);
    expect(readPart(incident)).toContain('The certificate shows nothing');
  });
});
