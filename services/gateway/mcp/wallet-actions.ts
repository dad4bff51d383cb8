import { ArgumentInvalidError } from '@adaptor-marketplace/mcp/internal';
import type { AgentActionRequest } from '@adaptor-marketplace/sdk';
import type { z } from 'zod';
import { callerRequest } from '../../../lib/actions/request.ts';
import type { AuthorityBody } from '../../../lib/agent/questions.ts';
import { checkFields } from '../../../lib/http/parse.ts';
import { takeValues } from './op-arguments.ts';
import type { OpTool } from './op-tools.ts';
import type { WalletTools } from './wallet-tools.ts';

export type Arguments = Record<string, unknown>;
type Call = Extract<z.infer<typeof callerRequest>, { action: 'call' }>;

/**
 * Builds the action that a call of a tool starts. That of an op is held to the coins that the call states and to the
 * manifest that its tool was made from, whatever is listed when it runs.
 * @returns undefined if the wallet has no such tool that moves funds
 * @throws ArgumentInvalidError names each wrong argument
 */
export function buildAction(
  { owner, walletId, network }: AuthorityBody,
  tools: WalletTools,
  name: string,
  given: Arguments,
): AgentActionRequest | undefined {
  const op = findOp(tools, name);
  if (!op && !(name === 'spend' && tools.maySpend)) return undefined;
  const { repeat = false, ...fields } = given;
  if (typeof repeat !== 'boolean') throw new ArgumentInvalidError('repeat: expected true or false.');
  const action = op ? addressOp(op, fields) : { ...fields, action: 'spend' };
  const { value, errors } = checkFields(callerRequest, { ...action, owner, walletId, network });
  if (value) return (value.action === 'call' && op ? pinListing(value, op) : value) as AgentActionRequest;
  throw new ArgumentInvalidError(`${errors.map(({ path, message }) => `${path}: ${message}`).join('; ')}.`);
}

export const findOp = ({ ops }: WalletTools, name: string): OpTool | undefined =>
  ops.find(({ tool }) => tool.name === name);

function addressOp({ serviceType, terms }: OpTool, given: Arguments): Arguments {
  const [objectId] = terms.objects;
  const { values, others } = takeValues(terms, given);
  return {
    ...others,
    ...(Object.keys(values).length > 0 && { values }),
    action: 'call',
    adaptor: serviceType,
    op: terms.op,
    ...(objectId !== undefined && { objectId }),
  };
}

const pinListing = (action: Call, { serviceType, hash }: OpTool): Call => ({
  ...action,
  bounds: {
    takesAtMost: action.spends,
    bringsAtLeast: action.receivesAtLeast,
    manifests: { [serviceType]: hash },
  },
});
