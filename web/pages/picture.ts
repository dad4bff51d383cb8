import { displayText } from '@adaptor-marketplace/adaptor/names';
import { type CardEntry, cardFields } from '../components/card.ts';
import { html, render } from '../components/html.ts';
import { counted } from '../components/values.ts';

export interface PictureData {
  adaptor: (CardEntry & { successor: { manifest: { name: string } } | null }) | null;
}

export const pictureDocument = `query Picture($chain: Chain!, $serviceType: String!) {
  adaptor(chain: $chain, serviceType: $serviceType) { ${cardFields} successor { manifest { name } } }
}`;

const titleLength = 22;
const lineLength = 52;
const linesMax = 3;

/** Makes a text valid in SVG: XML has no unpaired surrogates and no noncharacters. */
const drawable = (text: string): string => displayText(text.toWellFormed()).replace(/[\ufffe\uffff]/g, '');

/** Cuts a text to a number of code points. */
const beginning = (text: string, length: number): string => Array.from(text).slice(0, length).join('');

/** Splits a text into lines that fit the picture. */
function lines(text: string): string[] {
  const made: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = made.at(-1);
    if (last !== undefined && last.length + word.length < lineLength)
      made[made.length - 1] = `${last} ${word}`;
    else made.push(beginning(word, lineLength));
  }
  return made.length > linesMax ? [...made.slice(0, linesMax - 1), `${made[linesMax - 1]} …`] : made;
}

interface Picture {
  title: string;
  text: string;
  /** The last line, and its color. */
  facts: string;
  color: string;
}

/** Draws an SVG of 1,200 by 630 pixels. It has only text, so it loads nothing from strangers. */
function picture({ title, text, facts, color }: Picture): string {
  const rows = lines(drawable(text)).map(
    (line, at) => html`<text x="80" y=${330 + at * 48} font-size="34" fill="#55626b">${line}</text>`,
  );
  const svg =
    render(html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 630" width="1200" height="630" font-family="DejaVu Sans">
    <rect width="1200" height="630" fill="#ffffff" /><rect width="1200" height="12" fill="#0a6a66" />
    <path transform="translate(80 70) scale(2)" fill="#0a6a66" d="M3 10h12v4h2v-4h12v12H17v-4h-2v4H3z" />
    <text x="160" y="114" font-size="34" fill="#1a2126">Adaptor marketplace</text>
    <text x="80" y="250" font-size="68" font-weight="700" fill="#1a2126">${beginning(drawable(title), titleLength)}</text>
    ${rows}
    <text x="80" y="550" font-size="34" fill=${color}>${facts}</text>
  </svg>`);
  // The renderer escapes for HTML. XML also forbids the end of a CDATA section in a text.
  return svg.replaceAll(']]>', ']]&gt;');
}

export const catalogPicture = (): string =>
  picture({
    title: 'Wallet adaptors on Sui',
    text: 'Each entry is checked against the on-chain registry: its manifest, its code and its publisher.',
    facts: 'Open catalog',
    color: '#0a6a66',
  });

/** The picture for links to an adaptor. */
export function adaptorPicture({
  manifest,
  reviews,
  publisherVerified,
  usage,
  successor,
}: NonNullable<PictureData['adaptor']>): string {
  const facts = [
    publisherVerified ? 'Verified publisher' : 'Publisher not verified',
    ...(manifest.deprecated === null ? [] : ['deprecated']),
    counted(usage.actions, 'use'),
    reviews.avg === null ? 'no reviews' : `${reviews.avg.toFixed(1)} of 5`,
  ];
  const text =
    manifest.deprecated === null ? manifest.summary : describeDeprecation(manifest.deprecated, successor);
  return picture({
    title: manifest.name,
    // A longer text does not fit.
    text: beginning(text, 400),
    facts: facts.join(' · '),
    color: pickColor(publisherVerified, manifest.deprecated !== null),
  });
}

function describeDeprecation(reason: string, successor: { manifest: { name: string } } | null): string {
  const instead = successor === null ? '' : `, who names ${successor.manifest.name} in its place`;
  return `Deprecated by its publisher${instead}: ${reason}`;
}

function pickColor(verified: boolean, deprecated: boolean): string {
  if (!verified) return '#b3261e';
  return deprecated ? '#855100' : '#17693b';
}
