import type { RecomputedCertificate } from '@adaptor-marketplace/adaptor/certify';
import { render } from 'preact';
import { badge, type Html, html, notice, plain, shortened } from '../components/index.ts';
import { ActionFailedError, askApi } from './api/ask.ts';
import { createAttempts } from './api/attempts.ts';
import { onSubmit } from './api/form.ts';
import type { CheckAnswer, CheckRequest } from './check/messages.ts';

/** Page that computes the certificates of a listing again, in a worker, and compares them with the published ones. */

type Computed = Extract<CheckAnswer, { kind: 'computed' }>;

interface CertificatePage {
  functions: CheckRequest['published'];
  nextCursor?: string;
}

const form = document.querySelector<HTMLFormElement>('#check')!;
const output = document.querySelector('#checked')!;
const workerUrl = document.querySelector<HTMLMetaElement>('meta[name="worker"]')!.content;
const attempts = createAttempts(show);
const { network = '', service = '', publisher = '' } = form.dataset;

let expected = 0;
let computed: Computed[] = [];
let hasEnded = false;

const results: Record<RecomputedCertificate['result'], Html> = {
  same: badge('good', 'Same'),
  differs: badge('danger', 'Differs'),
  absent: badge('caution', 'The node has no such package'),
  'other analysis': badge('caution', 'Other version of the analysis'),
  'not compared': badge('caution', 'The marketplace has none'),
};

function renderSummary(): Html {
  if (!hasEnded) return '';
  if (expected === 0)
    return notice('caution', 'Nothing to compare', html`<p>The listing calls no functions.</p>`);
  const differing = computed.filter(({ result }) => result === 'differs').length;
  if (differing > 0)
    return notice(
      'danger',
      `${differing} of ${expected} certificates differ`,
      html`<p>The sentences of this marketplace are not about the bytecode that the node shows. Do not rely on them. Check with another node, and report it to the operator.</p>`,
    );
  const same = computed.filter(({ result }) => result === 'same').length;
  if (same === expected)
    return notice(
      'good',
      `All ${expected} certificates are the same`,
      html`<p>This browser computed the same hashes from the bytecode that the node shows.</p>`,
    );
  return notice(
    'caution',
    `${same} of ${expected} certificates are the same`,
    html`<p>The others could not be compared. Check that it is a node of ${network}, or try again later.</p>`,
  );
}

function show(): void {
  form.querySelector('button')!.disabled = attempts.busy !== '';
  const rows = computed.map(
    ({ packageId, module, function: name, result, computed: hash }) =>
      html`<tr><td><code title=${packageId}>${shortened(packageId)}</code><code>::${plain(`${module}::${name}`)}</code></td><td>${results[result]}</td><td><code title=${hash ?? ''}>${hash === null ? '–' : shortened(hash)}</code></td></tr>`,
  );
  const list =
    rows.length === 0
      ? ''
      : html`<table><thead><tr><th scope="col">Function</th><th scope="col">Certificate</th><th scope="col">Hash here</th></tr></thead><tbody>${rows}</tbody></table>`;
  render(html`${attempts.status()}${renderSummary()}${list}` as never, output);
}

async function readPublished(): Promise<CheckRequest['published']> {
  const published: CheckRequest['published'] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ network, publisher, limit: '20', ...(cursor && { cursor }) });
    const page = await askApi<CertificatePage>(
      `/api/adaptors/${encodeURIComponent(service)}/certificate?${query}`,
    );
    published.push(...page.functions);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return published;
}

/** Runs the worker until it ends, and shows each result as it arrives. */
function recompute(request: CheckRequest): Promise<void> {
  const worker = new Worker(workerUrl, { type: 'module' });
  const finished = new Promise<void>((resolve, reject) => {
    const fail = (reason: string) =>
      reject(
        new ActionFailedError(
          'The certificates could not be computed',
          `${reason} Check the address of the node, or take another one.`,
        ),
      );
    worker.addEventListener('error', () => fail('The program did not start.'));
    worker.addEventListener('message', ({ data }: MessageEvent<CheckAnswer>) => {
      if (data.kind === 'failed') return fail(data.reason);
      if (data.kind === 'ended') return resolve();
      computed = [...computed, data];
      attempts.busy = `${computed.length} of ${expected} functions…`;
      show();
    });
    worker.postMessage(request);
  });
  return finished.finally(() => worker.terminate());
}

form.addEventListener(
  'submit',
  onSubmit(() => {
    const nodeUrl = String(new FormData(form).get('node'));
    [computed, expected, hasEnded] = [[], 0, false];
    attempts.run('Reading the certificates of this marketplace…', async () => {
      const published = await readPublished();
      expected = published.length;
      attempts.busy = `0 of ${expected} functions…`;
      show();
      await recompute({ nodeUrl, network, published });
      hasEnded = true;
    });
  }),
);
// The page has the button disabled, because a submission without this script would leave the page.
show();
