import { resolveEach } from '@adaptor-marketplace/adaptor/transactions';
import { type CallFault, inputsOfCall, opOfCall } from '../../lib/actions/call-op.ts';
import { amountsOf, type CallStep } from '../../lib/actions/request.ts';
import {
  type DraftStep,
  grantsFor,
  type NameStep,
  type NetworkDependencies,
  opCall,
  refusal,
} from './draft-step.ts';
import { listedEntries, usedAdaptor } from './protocols.ts';

/**
 * Steps of `call`, each as the verified manifest of the adaptor that it names has the op called.
 * @throws ProblemError 422 where the adaptor is not listed, or has no such op; 502 or 504 if the node does not answer
 */
export async function draftCallSteps(
  dependencies: NetworkDependencies,
  steps: readonly CallStep[],
  walletId: string,
  named: NameStep,
): Promise<DraftStep[]> {
  if (steps.length === 0) return [];
  const asked = steps.map((step) => ({ step, serviceType: step.adaptor }));
  const entries = await listedEntries(dependencies, asked, named);
  return await Promise.all(
    steps.map(async (step, place): Promise<DraftStep> => {
      const { manifest, packageId, serviceType } = entries[place]!;
      const found = <T extends object>(one: T | CallFault): T => {
        if (!('reason' in one)) return one;
        throw named(step, refusal(one.code, `${manifest.name}: ${one.reason}`));
      };
      const op = found(opOfCall(manifest, step));
      const [resolved] = await resolveEach(dependencies, packageId, [op]).catch((error) => {
        throw named(step, error);
      });
      if (!resolved || 'why' in resolved) {
        throw named(step, refusal('op_not_executable', `${step.op} of ${manifest.name}: ${resolved?.why}`));
      }
      const inputs = found(inputsOfCall(resolved, step));
      const [spends, receives] = [amountsOf(step.spends), amountsOf(step.receivesAtLeast)];
      return {
        ...{ action: step.action, slot: null, adaptor: usedAdaptor(entries[place]!) },
        ...{ spends, receives, recipient: null, capId: null, about: step.op },
        call: opCall(packageId, resolved, { wallet: walletId, ...inputs }),
        bounds: { service: serviceType, takes: spends, brings: receives },
        opening: undefined,
        grants: grantsFor(serviceType, spends),
        doubt: undefined,
      };
    }),
  );
}
