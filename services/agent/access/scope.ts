import type { KeyScope } from '../../../db/schema/agent-access.ts';
import type { ActionRequest, ActionStep } from '../../../lib/actions/request.ts';
import { namedSpends, stepsOf } from '../../../lib/actions/requirements.ts';
import { type SlotSettings, slotOf } from '../../../lib/actions/slots.ts';
import { allowsAction, allowsService, type CoinExcess, coinExcess } from '../../../lib/agent/key-scope.ts';
import { type FieldError, type ProblemError, problem } from '../../../lib/errors/index.ts';
import { RunFailure } from '../failure.ts';

/**
 * Holds a request against the scope of the executor key that it came with: the action and the service of every step,
 * and the sums of the coins that it names.
 * @throws ProblemError 403 `out_of_scope`
 */
export function requireScope(scope: KeyScope, request: ActionRequest, slots: SlotSettings = {}): void {
  const composed = request.action === 'compose';
  stepsOf(request).forEach((step, place) => {
    const at = composed ? `body.steps.${place}` : 'body';
    const name = composed ? `Step ${place + 1} (${step.action})` : step.action;
    if (!allowsAction(scope, step.action)) {
      const reason = scope.actions
        ? `${name} is not among its actions: ${listOf(scope.actions)}.`
        : `${name} goes to no service, so a key for services does it only where its actions name it.`;
      throw outOfScope(reason, { path: `${at}.action`, message: 'is not allowed for this key' });
    }
    if (step.action === 'spend') return;
    const service = serviceOf(step, slots);
    if (!allowsService(scope, service)) {
      const goes = service === undefined ? 'goes to a slot that nothing fills' : `goes to ${service}`;
      throw outOfScope(`${name} ${goes}, which is not among its services: ${listOf(scope.services)}.`, {
        ...{ path: `${at}.adaptor`, message: 'is not allowed for this key' },
      });
    }
  });
  const excess = coinExcess(scope, namedSpends(request));
  if (excess) {
    throw outOfScope(`${excessWords(excess)}.`, {
      path: 'body',
      message: `passes ${excess.field} of this key`,
    });
  }
}

/**
 * Holds what a run takes in all, by coin type in base units, against the scope of its executor key. For all that is
 * found out after the run began: call it before anything is signed.
 * @param scope undefined where no executor key asked for the run
 * @throws RunFailure `out_of_scope`
 */
export function requireWithinKey(scope: KeyScope | undefined, taken: ReadonlyMap<string, bigint>): void {
  const excess = scope && coinExcess(scope, taken);
  if (excess) {
    throw new RunFailure(
      'out_of_scope',
      `Out of the executor key's scope: ${excessWords(excess)}. Nothing was sent.`,
    );
  }
}

/** The service type that a step goes to; undefined where no setting fills its slot. */
function serviceOf(step: Exclude<ActionStep, { action: 'spend' }>, slots: SlotSettings): string | undefined {
  const named = 'adaptor' in step ? step.adaptor : undefined;
  return named ?? slots[slotOf[step.action]]?.serviceType;
}

function excessWords({ field, coinType, amount, most }: CoinExcess): string {
  if (most === undefined) return `it takes ${coinType}, which is not in the key's ${field}`;
  return `it takes ${amount} of ${coinType}, and the key's ${field} is ${most}`;
}

const listOf = (names: readonly string[] = []) => names.join(', ') || 'none';

const outOfScope = (reason: string, error: FieldError): ProblemError =>
  problem('out_of_scope', `Out of the executor key's scope: ${reason}`, { errors: [error] });
