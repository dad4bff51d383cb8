import type { AgentSimulation, DraftedArgument, DraftedStep } from '@adaptor-marketplace/sdk';
import { type Html, html, plain, visibleJson, wholeId, wholeType } from '../../components/index.ts';

/** Renders each call that a run would make, with all its arguments, and the listings that they are of. */
export const draftedCalls = (steps: AgentSimulation['steps']): Html => html`${steps.map(stepPart)}`;

const stepPart = ({ adaptor, calls }: DraftedStep): Html => html`<h3>It makes these calls</h3>
  ${adaptor === null ? '' : html`<p>By the listing of ${wholeId(adaptor.publisher)}, with the manifest <code class="whole">${adaptor.manifestHash}</code>. Another listing is not run without a new simulation.</p>`}
  <ol class="drafted">${calls.map(
    ({ target, typeArguments, arguments: args }) => html`<li>${wholeType(target)}
      <ul>${typeArguments.map((type) => html`<li>type ${wholeType(type)}</li>`)}${args.map((one) => html`<li>${argumentPart(one)}</li>`)}</ul></li>`,
  )}</ol>`;

function argumentPart({ role, value, type, name, fixed }: DraftedArgument): Html {
  const origin = fixed ? ' (set by the listing)' : '';
  switch (role) {
    case 'wallet':
      return 'your wallet';
    case 'clock':
      return 'the clock';
    case 'object':
      return html`object ${wholeId(String(value))}${origin}`;
    case 'result': {
      const { call, index } = value as { call: number; index: number };
      return `result ${index + 1} of call ${call + 1}`;
    }
    case 'amount':
      return `amount ${String(value)}, in base units`;
    case 'minOut':
      return `minimum ${String(value)}, in base units`;
    case 'value': {
      const called = name === undefined ? '' : html`, called ${plain(name)}`;
      return html`${type} <code class="whole">${visibleJson(JSON.stringify(value))}</code>${called}${origin}`;
    }
  }
}
