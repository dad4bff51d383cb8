import { confirmationWords } from '@adaptor-marketplace/mcp/internal';
import { type AgentActionRequest, collectBounds, type Marketplace } from '@adaptor-marketplace/sdk';
import { CommandFailedError, type Io, jsonLine, say } from '../io.ts';

/**
 * Shows what a run of an action would sign now: bounds, calls and arguments. The field that it prints holds a run to them.
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
  const bounds = collectBounds(simulation);
  if (json) return io.out(jsonLine({ ...simulation, bounds }));
  say(io.out, [
    ...confirmationWords(request, simulation).split('\n'),
    'Nothing was signed. To run exactly this, add the field:',
    `bounds:='${JSON.stringify(bounds)}'`,
  ]);
}
