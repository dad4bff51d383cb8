import { type Html, html } from '../../components/html.ts';
import { ActionFailedError, RequestRefusedError } from '../api/ask.ts';
import { failureNotice } from '../api/attempts.ts';
import { type ActionPrompt, ask } from '../portal/ask.ts';

/** A part of the page that reads its own data. If a read fails, it shows the error in its place. */
export interface Section<Data = unknown> {
  read(): Promise<void>;
  clear(): void;
  content(): Html;
  /** Returns the data of the last successful read. */
  data(): Data | undefined;
}

/** The page, as its sections use it. */
export interface Page {
  network: string;
  networks: readonly string[];
  /** Runs work, and renders the page again. */
  refresh(work: () => Promise<void>): Promise<void>;
}

interface Definition<Data> {
  title: string;
  /** Explanation above the content. */
  about?: Html;
  load(): Promise<Data>;
  show(data: Data): Html;
}

export function createSection<Data>({ title, about = '', load, show }: Definition<Data>): Section<Data> {
  let data: Data | undefined;
  let failure: Html = '';
  return {
    async read() {
      try {
        data = await load();
        failure = '';
      } catch (error) {
        // The session is over.
        if (error instanceof RequestRefusedError && error.status === 401) throw error;
        failure = failureNotice(
          error instanceof ActionFailedError
            ? error
            : new ActionFailedError('It could not be read', 'Reload the page.'),
        );
      }
    },
    clear() {
      data = undefined;
      failure = '';
    },
    content: () =>
      html`<section class="part"><h2>${title}</h2>${about}${failure}${data === undefined ? '' : show(data)}</section>`,
    data: () => data,
  };
}

/** Asks for an action. Once it is done, reads the section again. */
export async function actIn(section: Section, { refresh }: Page, prompt: ActionPrompt): Promise<void> {
  if (await ask(prompt)) await refresh(section.read);
}

/** A list with pagination. */
export interface Pages<Item> {
  items: Item[];
  nextCursor?: string | undefined;
}

/** Renders a button that reads the next page of a list. */
export function renderMoreButton<Item>(
  pages: Pages<Item>,
  { refresh }: Page,
  load: (cursor: string) => Promise<Pages<Item>>,
): Html {
  const cursor = pages.nextCursor;
  if (cursor === undefined) return '';
  const more = () =>
    refresh(async () => {
      const next = await load(cursor);
      pages.items.push(...next.items);
      pages.nextCursor = next.nextCursor;
    });
  return html`<p class="more"><button type="button" class="quiet" onClick=${more}>Show more</button></p>`;
}

export const networkField = ({ networks }: Page, all: string): Html =>
  html`<label for="network">Network</label><select id="network" name="network"><option value="*">${all}</option>${networks.map((name) => html`<option value=${name}>${name}</option>`)}</select>`;
