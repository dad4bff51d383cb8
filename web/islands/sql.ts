import type { SqlSchema } from '@adaptor-marketplace/sdk';
import { askApi } from './api/ask.ts';
import { loadPart } from './api/load-part.ts';
import { say } from './api/toast.ts';
import { createPlainEditor, type Editor } from './sql/plain-editor.ts';

/** Script of the SQL page: an editor, and the portal in which the holder of an API key runs the statement. */

/** Maximum length of a link, in characters. Hosts refuse longer urls, and some programs cut them. */
const linkLengthMax = 8_000;

const textarea = document.querySelector<HTMLTextAreaElement>('#statement')!;
const portal = document.querySelector<HTMLElement>('#sql-portal');
let editor: Editor = createPlainEditor(textarea);
let run = () => {};

function buildLink(): string | undefined {
  const link = new URL(location.pathname, location.origin);
  link.searchParams.set('sql', editor.read());
  return link.href.length > linkLengthMax ? undefined : link.href;
}

async function copyLink(): Promise<void> {
  const link = buildLink();
  if (link === undefined) return say('The statement is too long for a link.');
  await navigator.clipboard.writeText(link).then(
    () => say('Copied'),
    () => say('This browser does not allow copying here.'),
  );
}

document.querySelector('#copy-link')!.addEventListener('click', copyLink);
document.querySelector('#sql')!.addEventListener('submit', (event) => event.preventDefault());
textarea.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  run();
});

if (portal) {
  const part = await loadPart('Loading the form…', () => import('./sql/portal.ts'));
  if (part) {
    run = part.openSqlPortal(portal, {
      readStatement: () => editor.read(),
      showFault: (position) => editor.showFault(position),
      onRun() {
        editor.clearFault();
        const link = buildLink();
        if (link !== undefined) history.replaceState(null, '', link);
      },
    });
  }
}

const [part, schema] = await Promise.all([
  loadPart('Loading the editor…', () => import('./sql/editor.ts')),
  askApi<SqlSchema>('/api/sql/schema').catch(() => undefined),
]);
if (part) editor = part.openEditor(textarea, schema?.views ?? [], () => run());
