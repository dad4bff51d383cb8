import type { SourceVerification } from '@adaptor-marketplace/move-toolchain/verify/anywhere';
import { SourceRefusedError } from '@adaptor-marketplace/move-toolchain/verify/source';
import { render } from 'preact';
import { badge, type Html, html, notice, plainBlock } from '../components/index.ts';
import { readVerdict } from '../components/source-verdict.ts';
import { ActionFailedError } from './api/ask.ts';
import { createAttempts } from './api/attempts.ts';
import { onSubmit } from './api/form.ts';
import { type HeldSource, readChosen, readHeld, readHeldFiles } from './check-source/choose.ts';
import type { RebuildAnswer, RebuildRequest } from './check-source/messages.ts';

/** The page on which the reader's browser builds source and compares it with the code on chain. A worker does the work. */

const form = document.querySelector<HTMLFormElement>('#check-source')!;
const output = document.querySelector('#compared')!;
const workerUrl = document.querySelector<HTMLMetaElement>('meta[name="worker"]')!.content;
const { network = '', service = '', publisher = '' } = form.dataset;
const listing = { network, service, publisher };

const attempts = createAttempts(show, (error) =>
  error instanceof ActionFailedError
    ? error
    : new ActionFailedError(
        error instanceof SourceRefusedError ? 'The source cannot be used' : 'It did not work',
        String(error instanceof Error ? error.message : error).slice(0, 500),
      ),
);

let result: { held: HeldSource; here: SourceVerification } | undefined;

function report(step: string): void {
  attempts.busy = step;
  show();
}

/** Compares the results of this browser and of the marketplace. */
function renderAgreement(held: HeldSource, { verdict, sourceHash }: SourceVerification): Html {
  const isSameSource = held.sourceHash === sourceHash;
  if (isSameSource && held.verdict === verdict)
    return notice(
      'good',
      'The same as this marketplace',
      html`<p>This browser has the same verdict for the same source.</p>`,
    );
  if (held.sourceHash === null || held.verdict === 'pending')
    return notice(
      'caution',
      'Nothing to compare',
      html`<p>This marketplace has no verdict for the package.</p>`,
    );
  if (!isSameSource)
    return notice(
      'caution',
      'Other source than that of this marketplace',
      html`<p>The hashes of the source differ, so the verdicts can.</p>`,
    );
  return notice(
    'danger',
    'Another verdict than that of this marketplace',
    html`<p>The source is the same, and the verdict is not. Check that it is a node of ${network}. If it is, do not rely on this marketplace's verdict, and report it to the operator.</p>`,
  );
}

function renderRow(
  name: string,
  verdict: string,
  hash: string | null,
  compiler: string | null | undefined,
): Html {
  const [state, word] = readVerdict(verdict.toUpperCase());
  return html`<tr><th scope="row">${name}</th><td>${badge(state, word)}</td><td>${compiler ?? '–'}</td><td><code>${hash ?? '–'}</code></td></tr>`;
}

/** Lists the first differences of each module. */
function renderDifferences({ reason, comparison }: SourceVerification): Html {
  if (reason !== undefined)
    return html`<div class="code"><pre tabindex="0"><code>${plainBlock(reason)}</code></pre></div>`;
  const { modules, missing, extra } = comparison!;
  const lines = [
    ...missing.map((name) => `${name}: on chain, and not in the source`),
    ...extra.map((name) => `${name}: in the source, and not on chain`),
    ...modules.flatMap(({ module, differences: found }) =>
      found
        .slice(0, 5)
        .map((one) => `${module}::${one.declaration}\n  on chain  ${one.onChain}\n  built     ${one.built}`),
    ),
  ];
  return lines.length === 0
    ? ''
    : html`<div class="code"><pre tabindex="0"><code>${plainBlock(lines.slice(0, 50).join('\n'))}</code></pre></div>`;
}

function renderResult(): Html {
  if (!result) return '';
  const { held, here } = result;
  return html`${renderAgreement(held, here)}
    <table><thead><tr><th scope="col">Built</th><th scope="col">Verdict</th><th scope="col">Compiler of Sui</th><th scope="col">Hash of the source</th></tr></thead>
    <tbody>${renderRow('In this browser', here.verdict, here.sourceHash, here.compiler)}${renderRow('By this marketplace', held.verdict, held.sourceHash, held.compiler)}</tbody></table>
    ${renderDifferences(here)}`;
}

function show(): void {
  form.querySelector('button')!.disabled = attempts.busy !== '';
  render(html`${attempts.status()}${renderResult()}` as never, output);
}

/** Runs the worker to its end. */
function rebuild(request: RebuildRequest): Promise<SourceVerification> {
  const worker = new Worker(workerUrl, { type: 'module' });
  const ended = new Promise<SourceVerification>((resolve, reject) => {
    const fail = (reason: string) =>
      reject(new ActionFailedError('The source could not be compared', reason));
    worker.addEventListener('error', () =>
      fail('The program did not start. Reload the page, and try again.'),
    );
    worker.addEventListener('message', ({ data }: MessageEvent<RebuildAnswer>) => {
      if (data.kind === 'step') report(data.step);
      if (data.kind === 'failed') fail(data.reason);
      if (data.kind === 'compared') resolve(data.verification);
    });
    worker.postMessage(request);
  });
  return ended.finally(() => worker.terminate());
}

form.addEventListener(
  'submit',
  onSubmit(() => {
    const fields = new FormData(form);
    result = undefined;
    attempts.run('Reading the source…', async () => {
      const held = await readHeld(listing);
      const chosen = await readChosen(fields.get('zip') as File, fields.getAll('directory') as File[]);
      if (!chosen && held.files.length === 0) {
        throw new ActionFailedError(
          'No source',
          'This marketplace holds none. Choose a zip file or a folder.',
        );
      }
      const folder = chosen ? String(fields.get('folder')).trim() : held.folder || '.';
      const here = await rebuild({
        nodeUrl: String(fields.get('node')),
        network,
        packageId: held.packageId,
        source: chosen ?? (await readHeldFiles(listing, held, report)),
        ...(folder !== '' && { folder }),
      });
      result = { held, here };
    });
  }),
);
// A submission before this script is loaded would leave the page.
show();
