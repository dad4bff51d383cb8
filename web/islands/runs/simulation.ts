import type { AgentSimulation, CoinAmount } from '@adaptor-marketplace/sdk';
import { amountInFull, type Html, html, notice, plain, wholeId, wholeType } from '../../components/index.ts';
import { grantPath } from '../../components/links.ts';
import type { CoinInfos } from '../grant/fields.ts';
import { siteNetwork } from '../signing/chain.ts';
import type { RunTarget } from './call.ts';
import { draftedCalls } from './drafted-calls.ts';

/** Renders the outcome of a simulation: the bounds of the run, or why it would fail. */
export function simulationPart(
  simulation: AgentSimulation,
  { walletId, service }: RunTarget,
  infos: CoinInfos,
): Html {
  const { wouldSucceed, code, detail, paid, received, takesAtMost, bringsAtLeast, boundsHold, steps } =
    simulation;
  const amounts = (all: readonly CoinAmount[]): Html =>
    all.length === 0
      ? 'no coin'
      : all.map(
          ({ coinType, amount }, at) =>
            html`${at === 0 ? '' : ', '}${amountInFull(amount, coinType, infos.get(coinType) ?? null)}`,
        );
  if (!wouldSucceed)
    return notice(
      'danger',
      'It would fail now',
      html`<p>${plain(detail ?? '')}</p>${code === 'grant_missing' || code === 'cap_missing' ? html`<p><a href=${grantPath(siteNetwork, service)}>Grant what is missing</a></p>` : ''}`,
    );
  const held = boundsHold
    ? 'The chain holds the operation to these bounds.'
    : 'Your wallet has no lock: the chain does not hold the operation to these bounds, and you rely on its code.';
  const [most, least] = [amounts(takesAtMost), amounts(bringsAtLeast)];
  const leaving = takesAtMost.length === 0 ? 'No coin' : html`At most ${most}`;
  const entering = bringsAtLeast.length === 0 ? 'no coin' : html`at least ${least}`;
  return notice(
    boundsHold ? 'good' : 'caution',
    'It would succeed now',
    html`<p><strong>${leaving} can leave your wallet, and ${entering} has to come in.</strong> ${held}</p>
      <p>Objects that the service keeps in your wallet, such as positions, can leave it.</p>
      <dl class="facts"><dt>Service</dt><dd>${wholeType(service)}</dd><dt>Wallet</dt><dd>${wholeId(walletId)}</dd></dl>
      ${draftedCalls(steps)}
      <p class="muted">In this simulation ${amounts(paid)} left it, and ${amounts(received)} came in. A simulation promises nothing.</p>`,
  );
}
