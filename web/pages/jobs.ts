import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import {
  address,
  counted,
  empty,
  endTime,
  type Html,
  html,
  plain,
  time,
  wholeType,
} from '../components/index.ts';
import { graphPage, type PageRequest, toChain, withSearch } from '../frame/page.ts';
import { type Connection, nextPage, type PagedConnection } from '../frame/paging.ts';
import {
  dueMs,
  type JobData,
  jobFields,
  jobStatuses,
  nextSteps,
  pastSteps,
  payment,
  statusBadge,
  statusName,
  statusWords,
} from '../words/job.ts';

const titleMax = 90;
const formatTitle = ({ brief, jobId }: JobData) => {
  const text = brief?.trim() || `Job ${jobId.slice(0, 10)}…`;
  return text.length > titleMax ? `${text.slice(0, titleMax)}…` : text;
};

const jobPath = (network: string, jobId: string) => `/jobs/${jobId}?network=${network}`;

/** The name of the agent in the registry, else the address. */
const jobProvider = ({ agent, provider }: JobData, network: string): Html =>
  agent === null
    ? address(provider)
    : html`<a href=${`/agents/${provider}?network=${network}`}>${plain(agent.name)}</a>`;

export const jobCard = (job: JobData, { network, nowMs }: PageRequest): Html => {
  const { jobId, status, payer, createdMs, deadlineMs } = job;
  const ended = status === 'RELEASED' || status === 'REFUNDED';
  const due =
    deadlineMs === null || ended
      ? ''
      : html`<p>${deadlineMs > nowMs ? 'Due' : 'Was due'} ${time(deadlineMs, nowMs)}</p>`;
  return html`<li class="card plain">
    <div class="about"><h2><a href=${jobPath(network, jobId)}>${plain(formatTitle(job))}</a></h2>
      <p class="meta">${statusBadge(status)} <span>for ${jobProvider(job, network)}</span>${payer === null ? '' : html` <span>hired by ${address(payer)}</span>`}</p></div>
    <div class="figures"><p>${payment(job)}</p>${due}<p class="muted">created ${time(createdMs, nowMs)}</p></div>
  </li>`;
};

interface JobsData {
  jobs: PagedConnection<JobData> & { totalCount: number };
}

const readFilter = ({ search }: PageRequest, name: string) => search.get(name)?.trim() ?? '';
const parseAddress = (request: PageRequest, name: string) => normalizeAddress(readFilter(request, name));
const isWrong = (request: PageRequest, name: string) =>
  readFilter(request, name) !== '' && parseAddress(request, name) === undefined;
const parseState = (request: PageRequest) =>
  jobStatuses.find((status) => status === readFilter(request, 'state').toUpperCase());
/** Zero address, which has no jobs. It replaces a filter that is not an address, so that the filter finds nothing. */
const none = `0x${'0'.repeat(64)}`;

function filters(request: PageRequest): Html {
  const field = (name: string, label: string) => {
    const wrong = isWrong(request, name);
    return html`<div><label for=${name}>${label}</label>
      <input type="text" id=${name} name=${name} value=${readFilter(request, name)} maxlength="66" placeholder="0x…" autocomplete="off" spellcheck="false" aria-invalid=${wrong ? 'true' : undefined} aria-describedby=${wrong ? `${name}-fault` : undefined} />
      ${wrong ? html`<p id=${`${name}-fault`} class="danger">This is not an address. An address is 0x and up to 64 hex digits.</p>` : ''}</div>`;
  };
  const state = parseState(request);
  return html`<form class="narrow" action="/jobs" method="get">
    <div><label for="state">State</label><select id="state" name="state"><option value="">All</option>${jobStatuses.map((status) => html`<option value=${status.toLowerCase()} selected=${status === state}>${statusName(status)}</option>`)}</select></div>
    ${field('owner', 'Hired by')}
    ${field('agent', 'Agent')}
    ${request.networks.length > 1 ? html`<input type="hidden" name="network" value=${request.network} />` : ''}
    <button type="submit" class="quiet">Filter</button>
  </form>`;
}

export const jobsPage = graphPage<JobsData>({
  path: '/jobs',
  document: `query Jobs($chain: Chain!, $status: JobStatus, $owner: String, $provider: String, $after: String) {
    jobs(chain: $chain, status: $status, owner: $owner, provider: $provider, first: 20, after: $after) {
      totalCount edges { node { ${jobFields} } } pageInfo { hasNextPage endCursor } }
  }`,
  variables: (request) => ({
    chain: toChain(request.network),
    status: parseState(request),
    owner: isWrong(request, 'owner') ? none : parseAddress(request, 'owner'),
    provider: isWrong(request, 'agent') ? none : parseAddress(request, 'agent'),
    after: request.search.get('cursor') || undefined,
  }),
  render({ jobs }, request) {
    const { network, search } = request;
    const { edges, totalCount } = jobs;
    const isFiltered = ['state', 'owner', 'agent'].some((name) => search.get(name));
    const all = withSearch({ path: '/jobs', search: new URLSearchParams() }, { network });
    const nothing = isFiltered
      ? empty('No job matches', html`<p><a href=${all}>Remove all filters</a></p>`)
      : empty(
          `There is no job on ${network} yet`,
          html`<p>Find an <a href=${`/agents?network=${network}`}>agent for hire</a>.</p>`,
        );
    return {
      title: 'Jobs',
      description: 'Jobs that people gave to agents on Sui, paid from escrow, each with its state on chain.',
      section: 'jobs',
      islands: ['jobs'],
      main: html`<h1>Jobs</h1>
        <p class="lead">The payment of a job waits in escrow on chain: for the agent that works, or to come back.</p>
        <p class="actions"><a class="button" href=${`/jobs/hire?network=${network}`}>Hire an agent</a> <a href=${`/agents?network=${network}`}>Agents for hire</a></p>
        ${filters(request)}
        <div id="results" data-live="jobs" data-chain=${toChain(network)}>
          <p class="found">${counted(totalCount, 'job')}${search.has('cursor') ? ', a later page' : ''}</p>
          ${edges.length === 0 ? nothing : html`<ul class="cards">${edges.map(({ node }) => jobCard(node, request))}</ul>`}
          ${nextPage(request, jobs)}
        </div>`,
    };
  },
});

/** The next steps. A button shows to a connected wallet that may take its step. */
function nextStepsSection(job: JobData, nowMs: number): Html {
  const steps = nextSteps(job, nowMs);
  const rows = steps.map(
    ({ act, verb, by, words }) =>
      html`<li class="allowed"><div><p>${words}</p></div>
        <p class="actions"><button type="button" class=${act === 'cancel' || act === 'reject' ? 'quiet danger' : ''} data-act=${act} data-by=${by ?? ''} hidden>${verb}</button></p></li>`,
  );
  const judged = job.status === 'SUBMITTED' && job.assessor === null;
  return html`<section class="part"><h2>What can happen next</h2>
    ${rows.length > 0 ? html`<ul>${rows}</ul>` : html`<p class="muted">${judged ? 'A contract judges it, in an app of its own.' : 'Nothing: the job has ended.'}</p>`}
    ${judged && rows.length > 0 ? html`<p class="muted">A contract judges it, in an app of its own.</p>` : ''}
    ${rows.length === 0 ? '' : html`<p class="muted" data-script data-connect-hint>Connect a wallet to do what is yours. <button type="button" class="quiet" data-connect>Connect</button></p>`}
    ${rows.length === 0 ? '' : html`<noscript><p class="muted">Acting on a job needs script, for your wallet signs. <code>escrow</code> of <code>@adaptor-marketplace/adaptor/transactions</code> builds the same transactions.</p></noscript>`}</section>`;
}

const renderStrangersText = (text: string): Html =>
  text.split(/\r?\n/).map((line) => html`<p>${line.trim() === '' ? '' : plain(line)}</p>`);

interface JobEvents {
  events: Connection<{ name: string; txDigest: string }>;
}

function historySection(job: JobData & JobEvents, nowMs: number): Html {
  const digests = new Map(job.events.edges.map(({ node }) => [node.name, node.txDigest]));
  const rows = pastSteps(job).map(({ atMs, what, event }) => {
    const digest = digests.get(event);
    return html`<li><p>${what}</p><p class="muted">${time(atMs, nowMs)}${digest === undefined ? '' : html`, transaction ${address(digest)}`}</p></li>`;
  });
  return html`<section class="part"><h2>History</h2><ol class="history">${rows}</ol></section>`;
}

export const jobPage = graphPage<{ job: (JobData & JobEvents) | null }>({
  path: '/jobs/:jobId',
  document: `query Job($chain: Chain!, $jobId: String!) { job(chain: $chain, jobId: $jobId) { ${jobFields} events(first: 20) { edges { node { name txDigest } } } } }`,
  variables: ({ network, parameters }) => ({ chain: toChain(network), jobId: parameters.jobId }),
  render({ job }, request) {
    if (!job) return undefined;
    const { network, nowMs } = request;
    const { jobId, status, brief, note, payer, assessor, assessorType, walletId, deadlineMs, reviewMs } = job;
    const mayRefund = (status === 'FUNDED' || status === 'SUBMITTED') && job.refundTo !== null;
    const fact = (name: string, value: Html) => html`<dt>${name}</dt><dd>${value}</dd>`;
    return {
      title: formatTitle(job),
      description: `${statusWords(status)} A job that is paid from escrow on ${network}.`,
      section: 'jobs',
      islands: ['jobs'],
      main: html`<div id="job" data-live="job" data-job=${jobId} data-chain=${toChain(network)} data-status=${status} data-due=${dueMs(job, nowMs)}>
        <div class="title-row"><h1>${plain(formatTitle(job))}</h1><span class="badges">${statusBadge(status)}</span></div>
        <p class="lead">${statusWords(status)}</p>
        <div class="parts"><div>
          ${nextStepsSection(job, nowMs)}
          <section class="part"><h2>Brief</h2>${brief === null ? html`<p class="muted">The chain has no brief of it.</p>` : html`<div class="box quoted">${renderStrangersText(brief)}</div>`}</section>
          ${note === null ? '' : html`<section class="part"><h2>Submitted work</h2><div class="box quoted">${renderStrangersText(note)}</div></section>`}
          ${historySection(job, nowMs)}
        </div>
        <aside><section><h2>Terms</h2><dl class="facts">
          ${fact('Payment', payment(job))}
          ${fact('Agent', jobProvider(job, network))}
          ${fact('Hired by', payer === null ? 'not known' : address(payer, withSearch({ path: '/jobs', search: new URLSearchParams() }, { network, owner: payer })))}
          ${fact('Assessor', assessor === null ? html`a contract, or not named yet: ${wholeType(assessorType)}` : address(assessor))}
          ${mayRefund ? fact('A refund goes to', address(job.refundTo!)) : ''}
          ${fact('Deadline', deadlineMs === null ? 'none' : endTime(deadlineMs, nowMs))}
          ${deadlineMs === null || reviewMs === null ? '' : fact('Verdict until', endTime(deadlineMs + reviewMs, nowMs))}
          ${fact('Wallet', address(walletId, withSearch({ path: '/wallet', search: new URLSearchParams() }, { network, wallet: walletId })))}
          ${fact('Job', address(jobId))}
        </dl></section></aside></div>
      </div>`,
    };
  },
});
