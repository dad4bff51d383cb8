import { code } from '../components/code.ts';
import { type Html, html } from '../components/html.ts';
import { notice } from '../components/marks.ts';
import { resultTable } from '../components/result-table.ts';
import { counted } from '../components/values.ts';
import { type Content, type PageRequest, withSearch } from '../frame/page.ts';

interface View {
  name: string;
  description: string;
  columns: readonly { name: string; type: string }[];
}

interface SqlHost {
  /** `true` if the host runs statements: it has a database role for them, and API keys. */
  isOn: boolean;
  views: readonly View[];
  /** Statements of the documents. They name the network `testnet`. */
  questions: readonly { question: string; sql: string }[];
}

/** The first rows of a result, or why there is none. */
export type SqlOutcome =
  | {
      columns: readonly { name: string; type: string }[];
      rows: readonly (readonly unknown[])[];
      isCut: boolean;
    }
  | { status: number; title: string; detail: string };

interface SqlRequest extends Pick<PageRequest, 'network' | 'node'> {
  statement: string | null;
  /** Present if the statement has run, for a reader without script. */
  outcome?: SqlOutcome;
}

/** Longest statement that the API accepts, in characters. */
export const statementLengthMax = 10_000;

const firstStatement = `select name, category, actions, average_score
from adaptors
where shown
order by actions desc
limit 20`;

/** The settings of a service on the machine of its reader, as the document of the views has them. */
const localStart =
  'REDIS_URL=memory: MARKETPLACE_ADMIN_SECRET=for-trying-it-only SQL_DATABASE_URL=embedded: npm start';

const off = ({ faucetUrl }: PageRequest['node']): Html =>
  notice(
    'caution',
    'This host runs no statements',
    faucetUrl === undefined
      ? html`<p>Its operator sets <code>SQL_DATABASE_URL</code> (<a href="/docs/operations#sql-over-http">how</a>) and a key-value store for API keys (<a href="/docs/limits-and-keys#the-store">how</a>). With access to the database, you can <a href="/docs/analytics#connecting">connect to the same views</a>.</p>`
      : html`<p>Statements need an API key, and plain <code>npm start</code> has no store for keys. To turn both on, stop the service and start it with three settings:</p>${code(localStart)}<p>Then <a href="/docs/analytics#over-http">make a key with the secret</a>. Without keys, you can <a href="/docs/analytics#connecting">connect to the same views</a> now.</p>`,
  );

function viewList(views: readonly View[]): Html {
  return views.map(
    ({ name, description, columns }) => html`<details>
      <summary><code>${name}</code></summary>
      <p>${description}</p>
      <ul>${columns.map((column) => html`<li><code>${column.name}</code> ${column.type}</li>`)}</ul>
    </details>`,
  );
}

function showOutcome(outcome: SqlOutcome): Html {
  if ('status' in outcome) return notice('danger', outcome.title, html`<p>${outcome.detail}</p>`);
  const { columns, rows, isCut } = outcome;
  return html`<section class="part gap"><h2>Result</h2>
    <p class="muted">${isCut ? `The first ${counted(rows.length, 'row')}.` : `${counted(rows.length, 'row')}.`}</p>
    ${rows.length === 0 ? '' : resultTable(columns, rows)}
  </section>`;
}

/** Fields with which a reader without script runs the statement. */
const keyFields = html`<noscript><label for="key">API key</label><input type="password" id="key" name="key" autocomplete="off" autocapitalize="none" spellcheck=${false} required maxlength="1000" aria-describedby="key-hint" /><p class="hint" id="key-hint">It begins with mk_. The operator of this host issues it. It is sent with each statement.</p><p class="actions"><button type="submit">Run</button></p></noscript>`;

/** The page on which a reader writes statements and sees their results. */
export function sqlPage({ isOn, views, questions }: SqlHost, request: SqlRequest): Content {
  const { network, node, outcome } = request;
  const statement = (request.statement ?? firstStatement).slice(0, statementLengthMax);
  const examples = questions.map(({ question, sql }) => {
    const href = withSearch(
      { path: '/sql', search: new URLSearchParams() },
      {
        sql: sql.replaceAll("'testnet'", `'${network}'`),
      },
    );
    return html`<li><a href=${href}>${question}</a></li>`;
  });
  return {
    title: 'SQL',
    description: 'Ask the read model of this marketplace in SQL.',
    islands: ['sql', 'charts'],
    ...(outcome !== undefined && 'status' in outcome && { status: outcome.status }),
    main: html`<h1>SQL</h1>
      <p class="lead">Ask what this host has read from the chain in SQL: one <code>select</code> over the views of the schema <code>analytics</code>. <a href="/docs/analytics#over-http">What is allowed, and the limits</a></p>
      <div class="sql">
        <div>
          ${isOn ? '' : off(node)}
          <form id="sql" class="fields" method="post" action="/sql">
            <label for="statement">Statement</label>
            <div id="editor"><textarea id="statement" name="sql" class="mono" rows="13" maxlength=${statementLengthMax} spellcheck=${false} autocapitalize="none" autocomplete="off">${statement}</textarea></div>
            <p class="actions" data-script><button type="button" class="quiet" id="copy-link">Copy link</button></p>
            ${isOn ? keyFields : ''}
          </form>
          ${isOn ? html`<div id="sql-portal"><div class="box" data-script><p data-loading>Loading the form…</p></div></div>` : ''}
          ${outcome === undefined ? '' : showOutcome(outcome)}
        </div>
        <aside><section><h2>Views</h2><p class="muted">What each column means: <a href="/docs/analytics#the-views">the views</a>, or <a href="/api/sql/schema">as JSON</a>.</p>${viewList(views)}</section></aside>
      </div>
      <section class="text gap"><h2>Examples</h2><p>Statements of <a href="/docs/analytics#questions">the documents</a>. A link opens the statement here; you run it.</p><ul class="examples">${examples}</ul></section>`,
  };
}
