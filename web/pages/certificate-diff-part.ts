import { type Html, html } from '../components/html.ts';
import { notice } from '../components/marks.ts';
import { plain } from '../components/plain.ts';
import type { CertificateDiff } from './adaptor-data.ts';
import { packageList } from './certificate-part.ts';

/** Sentences of the notice. The route has all of them. */
const sentencesMax = 3;

type DiffFunction = CertificateDiff['functions'][number];
type Sentence = DiffFunction['sentences'][number];

/** Renders a notice of what the shown version may do more than the one before it. Empty if it may not. */
export function widenedNotice(
  {
    serviceType,
    version,
    certificateDiff,
  }: { serviceType: string; version: number; certificateDiff: CertificateDiff },
  { network, publisher }: { network: string; publisher: string },
): Html {
  const { widens, formerVersion, functions } = certificateDiff;
  if (!widens) return '';
  const route = `/api/adaptors/${encodeURIComponent(serviceType)}/certificate/changes?${new URLSearchParams({ network, publisher })}`;
  return notice(
    'caution',
    `Version ${version} may do more than version ${formerVersion}`,
    html`<p>The bytecode of its functions differs. The comparison errs to one side, so it is not an accusation.</p>
      ${listFunctions(functions)}
      <p><a href=${route}>All differences as JSON</a></p>`,
  );
}

/** Lists functions with their first sentences that widen, of which the first function has the most. */
function listFunctions(functions: readonly DiffFunction[]): Html {
  const parts: Html[] = [];
  let left = sentencesMax;
  for (const one of functions) {
    if (!one.widens || left <= 0) continue;
    const shown = one.sentences.filter(({ widens }) => widens).slice(0, left);
    left -= Math.max(1, shown.length);
    parts.push(
      html`<p><code>${plain(`${one.module}::${one.name}`)}</code></p>${functionSentences(one, shown)}${packageList(one, shown)}`,
    );
  }
  return html`${parts}`;
}

function functionSentences({ reason }: DiffFunction, shown: readonly Sentence[]): Html {
  if (reason !== null) return html`<p>No certificate: ${plain(reason)}</p>`;
  return html`<ul>${shown.map(sentencePart)}</ul>`;
}

function sentencePart({ change, text, formerText }: Sentence): Html {
  if (change === 'GONE') return html`<li>No longer: ${plain(text)}</li>`;
  return html`<li>${plain(text)}${formerText === null ? '' : html` <span class="muted">Before: ${plain(formerText)}</span>`}</li>`;
}
