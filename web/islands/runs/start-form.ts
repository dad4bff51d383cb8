import { type AgentSimulation, collectBounds } from '@adaptor-marketplace/sdk';
import { render } from 'preact';
import { type CoinInfo, type Html, html, plain, sui } from '../../components/index.ts';
import { hasRole } from '../../words/operation.ts';
import { onSubmit } from '../api/form.ts';
import {
  type CallableOp,
  canCall,
  type ListedOp,
  listedOpFields,
  listSettledCoins,
  listSupportedCoins,
} from '../grant/arguments.ts';
import { type OperationInput, operationFields, withSettledCoins } from '../grant/fields.ts';
import {
  ActionFailedError,
  askGraph,
  createSigningAttempts,
  RequestRefusedError,
  siteNetwork,
} from '../signing/index.ts';
import { loadCoinInfos } from '../wallet/balances.ts';
import { buildCall, type RunTarget } from './call.ts';
import { askAgent, streamAgent } from './session.ts';
import { simulationPart } from './simulation.ts';

/** Shows a form with which the agent of this host simulates an operation of a service, and then runs it. */
export function startForm(place: HTMLElement, target: RunTarget): void {
  const attempts = createSigningAttempts(show);
  let name = '';
  let ops: CallableOp[] = [];
  let coins: string[] = [];
  let infos = new Map<string, CoinInfo | null>();
  let simulated: { body: object; answer: AgentSimulation } | undefined;
  let values: Record<string, string> = {};
  let chosen: OperationInput = { op: 0, amount: '1', coinIn: sui, coinOut: sui, minOut: '' };

  async function read(): Promise<void> {
    const { adaptor } = await askGraph<{
      adaptor: {
        manifest: { name: string; supportedCoins: string[] | null };
        operations: ListedOp[];
      } | null;
    }>(
      `query ($chain: Chain, $serviceType: String!) { adaptor(chain: $chain, serviceType: $serviceType) {
        manifest { name supportedCoins } operations { ${listedOpFields} } } }`,
      { serviceType: target.service },
    );
    if (!adaptor)
      throw new ActionFailedError(
        'It is not in the catalog',
        'The agent runs listed adaptors only: go to the catalog.',
      );
    name = adaptor.manifest.name;
    ops = adaptor.operations.filter(canCall);
    const supported = listSupportedCoins(adaptor.manifest.supportedCoins);
    coins = [...new Set([...supported, ...listSettledCoins(ops), sui])];
    infos = await loadCoinInfos(coins);
    const first = { ...chosen, coinIn: coins[0]!, coinOut: coins[1] ?? coins[0]! };
    chosen = withSettledCoins(first, ops[chosen.op]);
  }

  const simulate = () =>
    attempts.run('Simulating…', async () => {
      simulated = undefined;
      const input = [chosen, values];
      const call = buildCall(ops[chosen.op]!, target, chosen, { values, infos });
      const body = { ...call, requestId: crypto.randomUUID() };
      const answer = await askAgent<AgentSimulation>('simulate', body);
      const { takesAtMost, bringsAtLeast, paid, received } = answer;
      const moved = [takesAtMost, bringsAtLeast, paid, received].flat().map(({ coinType }) => coinType);
      for (const [coinType, info] of await loadCoinInfos(moved)) infos.set(coinType, info);
      // The result of an input that was changed meanwhile would stand beside another one, and could be run.
      if (chosen !== input[0] || values !== input[1]) return;
      simulated = { body: { ...body, bounds: collectBounds(answer) }, answer };
    });

  /** Starts the run, and opens its page. The run continues without this page. */
  const run = () =>
    attempts.run('Starting…', async () => {
      const body = JSON.stringify(simulated!.body);
      const response = await streamAgent('run', { method: 'POST', body }).catch(() => undefined);
      const id = response?.headers.get('x-run-id');
      if (response?.ok && id) return location.assign(`/runs/${id}?network=${siteNetwork}`);
      const problem = await response?.json().catch(() => undefined);
      if (response && problem?.code) throw new RequestRefusedError(response.status, problem);
      // The run may have started, whatever happened to its response.
      throw new ActionFailedError(
        'The agent does not answer',
        'Look at your runs before you start it again.',
      );
    });

  function choose(changed: Partial<OperationInput>): void {
    const next = { ...chosen, ...changed };
    chosen = withSettledCoins(next, ops[next.op]);
    simulated = undefined;
    show();
  }

  function form(op: CallableOp): Html {
    const fields = operationFields(op, {
      ops,
      infos,
      chosen,
      choose,
      values,
      coins,
      enterValue(name, value) {
        values = { ...values, [name]: value };
        choose({});
      },
      words: {
        coinIn: hasRole(op, 'amount') ? 'Coin' : undefined,
        amountHint: 'The most that may leave the wallet.',
        minOutHint: 'The run fails if it brings less. Empty: one base unit, which is next to nothing.',
      },
    });
    return html`<form class="fields" onSubmit=${onSubmit(simulate)}>${fields}
      <p class="actions"><button type="submit" disabled=${attempts.busy !== ''}>Simulate</button></p>
    </form>`;
  }

  function content(): Html {
    const op = ops[chosen.op];
    if (!op && attempts.busy === '' && attempts.failure === '')
      return html`<section class="part"><h2>Run ${plain(name)}</h2><p class="muted">No operation of its manifest can be run by the agent.</p></section>`;
    return html`<section class="part"><h2>Run ${plain(name)}</h2>
      <p>The agent of this host executes it, within what you allowed on chain. The host pays the gas.</p>
      ${op ? form(op) : ''}
      ${simulated ? simulationPart(simulated.answer, target, infos) : ''}
      ${simulated?.answer.wouldSucceed ? html`<p class="actions"><button type="button" disabled=${attempts.busy !== ''} onClick=${run}>Run it now</button></p>` : ''}
      ${attempts.status()}</section>`;
  }

  function show(): void {
    render(content() as never, place);
  }

  attempts.run('Reading…', read);
}
