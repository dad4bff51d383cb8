import { describeConfirmation, holdAction } from '@adaptor-marketplace/mcp/internal';
import type { AgentActionRequest, Marketplace } from '@adaptor-marketplace/sdk';
import { CommandFailedError, formatJsonLine, type Io, quoteForShell, say } from '../io.ts';

/**
 * Shows what a run of an action would sign now: bounds, calls and arguments. Also prints request fields with which a
 * run signs exactly these, or fails.
 * @throws CommandFailedError if the action would fail
 */
export async function simulateRun(
  io: Io,
  market: Marketplace,
  request: AgentActionRequest,
  { json }: { json?: boolean },
): Promise<void> {
  const simulation = await market.api.simulateAction({ body: request });
  const { wouldSucceed, failedAt, code, detail } = simulation;
  if (!wouldSucceed) throw new CommandFailedError(`${failedAt}: ${detail} (${code})`);
  const held = holdAction(request, simulation);
  if (json) return io.out(formatJsonLine({ ...simulation, bounds: held.bounds }));
  const set = Object.entries(held).filter(([name, value]) => Reflect.get(request, name) !== value);
  say(io.out, [
    ...describeConfirmation(request, simulation).split('\n'),
    'Nothing was signed. To run exactly this, set the fields:',
    ...set.map(([name, value]) => `${name}:=${quoteForShell(JSON.stringify(value))}`),
  ]);
}
