import type { ExecutableOp } from '@adaptor-marketplace/adaptor/manifest';
import type { AgentSimulation, CoinAmount } from '@adaptor-marketplace/sdk';
import { render } from 'preact';
import {
  amountInFull,
  type CoinInfo,
  type Html,
  html,
  notice,
  plain,
  sui,
  wholeId,
  wholeType,
} from '../../components/index.ts';
import { hasRole } from '../../words/operation.ts';
import {
  asked,
  canCall,
  choosesCoin,
  enteredValue,
  type ListedOp,
  operationFields,
  pays,
} from '../grant/arguments.ts';
import { coinOptions, operationOptions, valueFields } from '../grant/fields.ts';
import {
  ActionFailedError,
  askGraph,
  createAttempts,
  RequestRefusedError,
  siteNetwork,
} from '../signing/index.ts';
import { parseUnits } from '../wallet/ask-amount.ts';
import { coinInfo, coinInfos } from '../wallet/balances.ts';
import { askAgent, streamAgent } from './session.ts';

interface Start {
  owner: string;
  walletId: string;
  service: string;
}

/** Shows a form with which the agent of this host simulates an operation of a service, and then runs it. */
export function startForm(place: HTMLElement, { owner, walletId, service }: Start): void {
  const trying = createAttempts(show);
  let name = '';
  let ops: ExecutableOp[] = [];
  let infos = new Map<string, CoinInfo | null>();
  let simulated: { body: object; answer: AgentSimulation } | undefined;
  let values: Record<string, string> = {};
  let chosen = { op: 0, amount: '1', coinIn: sui, coinOut: sui, minOut: '' };

  async function read(): Promise<void> {
    const { adaptor } = await askGraph<{
      adaptor: {
        manifest: { name: string; supportedCoins: string[] | null };
        operations: ListedOp[];
      } | null;
    }>(
      `query ($chain: Chain, $serviceType: String!) { adaptor(chain: $chain, serviceType: $serviceType) {
        manifest { name supportedCoins } operations { ${operationFields} } } }`,
      { serviceType: service },
    );
    if (!adaptor)
      throw new ActionFailedError(
        'It is not in the catalog',
        'The agent runs listed adaptors only: go to the catalog.',
      );
    name = adaptor.manifest.name;
    ops = adaptor.operations.filter(canCall);
    const supported = (adaptor.manifest.supportedCoins ?? []).filter((coin) => coin !== '*');
    const coins = [...new Set([...supported, sui])];
    infos = await coinInfos(coins);
    chosen = { ...chosen, coinIn: coins[0]!, coinOut: coins[1] ?? coins[0]! };
  }

  /** @throws ActionFailedError */
  function units(text: string, coin: string): string {
    const decimals = infos.get(coin)?.decimals ?? 0;
    const entered = parseUnits(text, decimals);
    if (entered !== undefined) return String(entered);
    throw new ActionFailedError(
      'An amount is not a number',
      `Enter a number such as 1.5, with at most ${decimals} decimals.`,
    );
  }

  /** @throws ActionFailedError */
  function request(op: ExecutableOp) {
    const { coinIn, coinOut, minOut } = chosen;
    const given = hasRole(op, 'amount') ? units(chosen.amount, coinIn) : undefined;
    // The wallet contract refuses a minimum of zero.
    const least = hasRole(op, 'minOut') ? (minOut === '' ? '1' : units(minOut, coinOut)) : '0';
    return {
      action: 'call',
      owner,
      walletId,
      network: siteNetwork,
      adaptor: service,
      op: `${op.module}::${op.entry}`,
      spends: pays(op) && given !== undefined && given !== '0' ? [{ coinType: coinIn, amount: given }] : [],
      receivesAtLeast: least === '0' ? [] : [{ coinType: coinOut, amount: least }],
      ...(!pays(op) && given !== undefined && { amount: given }),
      ...(choosesCoin(op, 'coinIn') && { coinIn }),
      ...(choosesCoin(op, 'coinOut') && { coinOut }),
      values: Object.fromEntries(asked(op).map((one) => [one.name, enteredValue(one, values[one.name])])),
    };
  }

  const simulate = () =>
    trying.attempt('Simulating…', async () => {
      simulated = undefined;
      const body = { ...request(ops[chosen.op]!), requestId: crypto.randomUUID() };
      const answer = await askAgent<AgentSimulation>('simulate', body);
      const moved = [answer.takesAtMost, answer.bringsAtLeast, answer.paid, answer.received].flat();
      for (const { coinType } of moved) infos.set(coinType, await coinInfo(coinType));
      const { takesAtMost, bringsAtLeast } = answer;
      simulated = { body: { ...body, bounds: { takesAtMost, bringsAtLeast } }, answer };
    });

  /** Starts the run, and opens its page. The run continues without this page. */
  const run = () =>
    trying.attempt('Starting…', async () => {
      const answer = await streamAgent('run', { method: 'POST', body: JSON.stringify(simulated!.body) });
      const id = answer.headers.get('x-run-id');
      if (answer.ok && id !== null) return location.assign(`/runs/${id}?network=${siteNetwork}`);
      const problem = await answer.json().catch(() => undefined);
      if (problem?.code) throw new RequestRefusedError(answer.status, problem);
      throw new ActionFailedError(
        'The agent does not answer',
        'Look at your runs before you start it again.',
      );
    });

  function choose(changed: Partial<typeof chosen>): void {
    chosen = { ...chosen, ...changed };
    simulated = undefined;
    show();
  }
  const getInputValue = (event: Event) => (event.currentTarget as HTMLInputElement).value;
  const coinSelect = (id: 'coinIn' | 'coinOut', label: string): Html =>
    html`<label for=${id}>${label}</label><select id=${id} onChange=${(event: Event) => choose({ [id]: getInputValue(event) })}>${coinOptions([...infos.keys()], infos, chosen[id])}</select>`;
  const entry = (id: 'amount' | 'minOut', label: string, hint: string): Html =>
    html`<label for=${id}>${label}</label><input type="text" id=${id} inputmode="decimal" autocomplete="off" value=${chosen[id]} onInput=${(event: Event) => choose({ [id]: getInputValue(event) })} /><p class="hint">${hint}</p>`;

  const amounts = (all: readonly CoinAmount[]): Html =>
    all.length === 0
      ? 'nothing'
      : all.map(
          ({ coinType, amount: base }, at) =>
            html`${at === 0 ? '' : ', '}${amountInFull(base, coinType, infos.get(coinType) ?? null)}`,
        );

  function outcome(): Html {
    if (!simulated) return '';
    const { wouldSucceed, code, detail, paid, received } = simulated.answer;
    const { takesAtMost, bringsAtLeast, boundsHold } = simulated.answer;
    if (!wouldSucceed)
      return notice(
        'danger',
        'It would fail now',
        html`<p>${plain(detail ?? '')}</p>${code === 'grant_missing' || code === 'cap_missing' ? html`<p><a href=${`/wallet/grant?${new URLSearchParams({ network: siteNetwork, service })}`}>Grant what is missing</a></p>` : ''}`,
      );
    const held = boundsHold
      ? 'The chain holds the operation to these bounds.'
      : 'Your wallet has no lock: the chain does not hold the operation to these bounds, and you rely on its code.';
    return html`${notice(
      boundsHold ? 'good' : 'caution',
      'It would succeed now',
      html`<p><strong>At most ${amounts(takesAtMost)} can leave your wallet, and at least ${amounts(bringsAtLeast)} must come in.</strong> ${held}</p>
        <dl class="facts"><dt>Service</dt><dd>${wholeType(service)}</dd><dt>Wallet</dt><dd>${wholeId(walletId)}</dd></dl>
        <p class="muted">In this simulation ${amounts(paid)} left it, and ${amounts(received)} came in. A simulation promises nothing.</p>`,
    )}<p class="actions"><button type="button" disabled=${trying.busy !== ''} onClick=${run}>Run it now</button></p>`;
  }

  function form(op: ExecutableOp): Html {
    const enterValue = (name: string, value: string) => {
      values = { ...values, [name]: value };
      choose({});
    };
    return html`<form class="fields" onSubmit=${(event: Event) => {
      event.preventDefault();
      simulate();
    }}>
      <label for="op">Operation</label><select id="op" onChange=${(event: Event) => choose({ op: Number(getInputValue(event)) })}>${operationOptions(ops, chosen.op)}</select>
      ${hasRole(op, 'amount') ? coinSelect('coinIn', 'Coin') : ''}
      ${hasRole(op, 'amount') ? entry('amount', 'Amount', 'The most that may leave the wallet.') : ''}
      ${hasRole(op, 'minOut') || choosesCoin(op, 'coinOut') ? coinSelect('coinOut', 'Coin that comes back') : ''}
      ${hasRole(op, 'minOut') ? entry('minOut', 'At least', 'The run fails if it brings less. Empty: one base unit, which is next to nothing.') : ''}
      ${valueFields(op, values, enterValue)}
      <p class="actions"><button type="submit" disabled=${trying.busy !== ''}>Simulate</button></p>
    </form>`;
  }

  function content(): Html {
    const op = ops[chosen.op];
    const status = trying.status();
    if (!op && trying.busy === '' && trying.failure === '')
      return html`<section class="part"><h2>Run ${plain(name)}</h2><p class="muted">No operation of its manifest can be run by the agent.</p></section>`;
    return html`<section class="part"><h2>Run ${plain(name)}</h2>
      <p>The agent of this host executes it, within what you allowed on chain. The host pays the gas.</p>
      ${op ? form(op) : ''}${status}${outcome()}</section>`;
  }

  function show(): void {
    render(content() as never, place);
  }

  trying.attempt('Reading…', read);
}
