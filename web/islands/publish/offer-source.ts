import type { PackageSource } from '@adaptor-marketplace/sdk';
import { type Html, html } from '../../components/html.ts';
import { notice } from '../../components/marks.ts';
import { ActionFailedError, send } from '../api/ask.ts';
import { onSubmit } from '../api/form.ts';
import { type Attempts, siteNetwork } from '../signing/index.ts';

/** Packages whose source was offered with this form. */
const offered = new Set<string>();

interface Listed {
  packageId: string;
  /** The page with the source of the listing's package. */
  path: string;
}

/** The form with which the publisher of a listing offers the source of its package. */
export function sourceOfferPart({ packageId, path }: Listed, attempts: Attempts): Html {
  if (offered.has(packageId))
    return notice(
      'good',
      'Source offered',
      html`<p>The marketplace builds it, and compares it with the code on chain. <a href=${path}>Its page</a> shows the verdict.</p>`,
    );
  const submit = onSubmit((form) =>
    attempts.run('Sending the source…', async () => {
      await offer(packageId, new FormData(form));
      offered.add(packageId);
    }),
  );
  return html`<h3>Let everyone read the code that runs</h3>
    <form class="fields" onSubmit=${submit}>
      <label for="offer-directory">Folder with its source</label>
      <input id="offer-directory" name="directory" type="file" webkitdirectory="" multiple aria-describedby="offer-hint" />
      <label for="offer-zip">Or a zip file</label>
      <input id="offer-zip" name="zip" type="file" accept=".zip,application/zip" aria-describedby="offer-hint" />
      <p class="hint" id="offer-hint">With the packages that it uses beside it. Of a folder, only manifests and Move files are sent.</p>
      <label for="offer-folder">Where the package is in it (optional)</label>
      <input id="offer-folder" name="folder" maxlength="255" placeholder="packages/pool" aria-describedby="offer-folder-hint" />
      <p class="hint" id="offer-folder-hint">If it has several packages.</p>
      <p class="actions"><button type="submit" class="quiet" disabled=${attempts.busy !== ''}>Offer the source</button></p>
    </form>`;
}

async function offer(packageId: string, fields: FormData): Promise<void> {
  // Most readers of the page do not need the code for archives.
  const [{ readChosen }, { SourceRefusedError, writeZip }] = await Promise.all([
    import('../check-source/choose.ts'),
    import('@adaptor-marketplace/move-toolchain/verify/source'),
  ]);
  try {
    const chosen = await readChosen(fields.get('zip') as File, fields.getAll('directory') as File[]);
    if (!chosen) throw new ActionFailedError('No source', 'Choose a folder or a zip file.');
    const body = 'zip' in chosen ? chosen.zip : new Blob([await writeZip(new Map(chosen.files))]);
    const folder = String(fields.get('folder')).trim();
    const query = new URLSearchParams({ network: siteNetwork, packageId, ...(folder !== '' && { folder }) });
    const headers = { 'content-type': 'application/zip' };
    await send<PackageSource>(`/api/adaptors/verify?${query}`, { method: 'POST', headers, body });
  } catch (error) {
    if (error instanceof SourceRefusedError) throw new ActionFailedError('Source refused', error.message);
    throw error;
  }
}
