import {
  type ActionBounds,
  type AgentActionRequest,
  type AgentSimulation,
  collectBounds,
} from '@adaptor-marketplace/sdk';

/**
 * Returns the action held to what its simulation showed: bounds, listings, and the caps that pay. Its run is signed as
 * shown, or refused.
 */
export const holdAction = <Action extends AgentActionRequest>(
  action: Action,
  simulation: AgentSimulation,
): Action & { bounds: ActionBounds } => ({
  ...nameCaps(action, simulation.steps),
  bounds: collectBounds(simulation),
});

interface Payer {
  capId?: string | null | undefined;
}
/** The fields of an action that say which caps pay: its own, or those of its steps. */
export interface Payers extends Payer {
  steps?: readonly Payer[];
}

/** Names the cap of each payment that names none. `steps` has one entry for each step of the action. */
export function nameCaps<Action extends AgentActionRequest>(action: Action, steps: readonly Payer[]): Action {
  const nameCap = <Step extends object>(step: Step, payer: Payer | undefined) =>
    payer?.capId ? { capId: payer.capId, ...step } : step;
  if (!('steps' in action) || !Array.isArray(action.steps)) return nameCap(action, steps[0]);
  return { ...action, steps: action.steps.map((step, index) => nameCap(step, steps[index])) };
}
