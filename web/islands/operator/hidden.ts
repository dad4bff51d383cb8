import type { HiddenPicture, HiddenPictures, HiddenText, HiddenTexts } from '@adaptor-marketplace/sdk';
import { empty, type Html, html, plain, time } from '../../components/index.ts';
import { ask, getFieldText } from '../portal/ask.ts';
import { request } from '../portal/session.ts';
import { renderDecisionFields } from './quarantines.ts';
import { actIn, createSection, type Page, type Pages, renderMoreButton, type Section } from './section.ts';

/** Content of strangers that an operator can hide alone, and its words. */
interface Kind<Hidden> {
  path: string;
  title: string;
  /** Button, and title of its dialog. */
  button: string;
  nothing: string;
  words: string;
  /** Field of the request that names the content, with its label and its hint. */
  field: string;
  label: string;
  hint: string;
  name(hidden: Hidden): string;
  load(query: URLSearchParams): Promise<Pages<Hidden>>;
}

const pictures: Kind<HiddenPicture> = {
  path: '/api/admin/hidden-pictures',
  title: 'Hidden pictures',
  button: 'Hide a picture',
  nothing: 'No picture is hidden',
  words:
    'The pages and the graph leave the picture out, also if its owner names another file. The listings stay.',
  field: 'subject',
  label: 'Coin type or publisher',
  hint: 'A coin type hides its logo. The address of a publisher hides their icon.',
  name: ({ subject }) => subject,
  async load(query) {
    const { pictures: items, nextCursor } = await request<HiddenPictures>(`${pictures.path}?${query}`);
    return { items, nextCursor };
  },
};

const texts: Kind<HiddenText> = {
  path: '/api/admin/hidden-texts',
  title: 'Hidden texts of reviews',
  button: 'Hide a text',
  nothing: 'No text is hidden',
  words: 'Every review that names the text shows none. The reviews and their scores stay on chain.',
  field: 'uri',
  label: 'Uri of the text',
  hint: 'The commentUri of the review, such as walrus://…',
  name: ({ uri }) => uri,
  async load(query) {
    const { texts: items, nextCursor } = await request<HiddenTexts>(`${texts.path}?${query}`);
    return { items, nextCursor };
  },
};

interface Decision {
  reason: string;
  operator: string;
  sinceMs: number;
}

/** Content of one kind that operators hid on a network, and the forms that hide it and show it again. */
function createHiddenSection<Hidden extends Decision>(
  page: Page,
  kind: Kind<Hidden>,
): Section<Pages<Hidden>> {
  const { network } = page;

  const load = (cursor?: string) =>
    kind.load(new URLSearchParams({ network, ...(cursor !== undefined && { cursor }) }));

  async function hide(): Promise<void> {
    const isDone = await ask({
      title: kind.button,
      words: html`<p>${kind.words}</p>
        <label for="hidden">${kind.label}</label>
        <input type="text" id="hidden" name="hidden" class="mono" required maxlength="1000" autocomplete="off" spellcheck=${false} aria-describedby="hidden-hint" />
        <p class="hint" id="hidden-hint">${kind.hint}</p>
        ${renderDecisionFields('For the record. Only operators see it.')}`,
      button: 'Hide',
      danger: true,
      work: async (entered) => {
        const body = {
          network,
          [kind.field]: getFieldText(entered, 'hidden'),
          reason: getFieldText(entered, 'reason'),
          operator: getFieldText(entered, 'operator'),
        };
        await request(kind.path, { method: 'POST', body });
      },
    });
    if (isDone) await page.refresh(section.read);
  }

  const show = (hidden: Hidden) =>
    actIn(section, page, {
      title: 'Show it again?',
      words: html`<p>It is hidden because: ${plain(hidden.reason)}</p>`,
      button: 'Show again',
      work: async () => {
        const body = { network, [kind.field]: kind.name(hidden) };
        await request(`${kind.path}/show`, { method: 'POST', body });
      },
    });

  const row = (hidden: Hidden, nowMs: number): Html =>
    html`<div class="allowed"><div>
        <h3><code>${plain(kind.name(hidden))}</code></h3>
        <p>${plain(hidden.reason)} <span class="muted">${plain(hidden.operator)}, ${time(hidden.sinceMs, nowMs)}</span></p>
      </div><div class="buttons"><button type="button" class="quiet" onClick=${() => show(hidden)}>Show again</button></div></div>`;

  const section = createSection<Pages<Hidden>>({
    title: `${kind.title} on ${network}`,
    about: html`<p class="actions"><button type="button" class="quiet danger" onClick=${hide}>${kind.button}…</button></p>`,
    load: () => load(),
    show(pages) {
      if (pages.items.length === 0) return empty(kind.nothing, html`<p>${kind.words}</p>`);
      const nowMs = Date.now();
      return html`${pages.items.map((hidden) => row(hidden, nowMs))}${renderMoreButton(pages, page, load)}`;
    },
  });
  return section;
}

export const createHiddenSections = (page: Page): Section[] => [
  createHiddenSection(page, pictures),
  createHiddenSection(page, texts),
];
