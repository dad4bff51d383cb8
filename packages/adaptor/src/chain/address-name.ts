import type { GrpcTypes } from '@mysten/sui/grpc';
import { isValidSuiNSName, normalizeSuiAddress, normalizeSuiNSName } from '@mysten/sui/utils';
import type { RpcError } from '@protobuf-ts/runtime-rpc';
import { type Answer, ask } from './answers.ts';
import { callOptions } from './call-options.ts';

type Options = ReturnType<typeof callOptions>;

/** The part of a `SuiGrpcClient` that looks names up. */
export interface NameReader {
  nameService: {
    lookupName(
      request: GrpcTypes.LookupNameRequest,
      options?: Options,
    ): PromiseLike<{ response: GrpcTypes.LookupNameResponse }>;
    reverseLookupName(
      request: GrpcTypes.ReverseLookupNameRequest,
      options?: Options,
    ): PromiseLike<{ response: GrpcTypes.ReverseLookupNameResponse }>;
  };
}

const expired = 'name has expired';

/** Returns `true` for the error of a full node about a name that has expired. Its code is that of a rate limit. */
export const isExpiredName = ({ code, message }: RpcError): boolean =>
  code === 'RESOURCE_EXHAUSTED' && message.includes(expired);

/**
 * Reads the SuiNS name of an address, in the form `reef.sui`: its default name, if this name resolves to the address.
 * `absent` also if the name has expired, or the network has no name service.
 * @param address 64 hex digits in lower case
 */
export async function readAddressName(
  { nameService }: NameReader,
  address: string,
  timeoutMs: number,
): Promise<Answer<string>> {
  const reverse = await askName(nameService.reverseLookupName({ address }, callOptions(timeoutMs)));
  if (reverse.status !== 'found') return reverse;
  const { name } = reverse.value;
  const forward = await askName(nameService.lookupName({ name }, callOptions(timeoutMs)));
  if (forward.status !== 'found') return forward;
  const { targetAddress } = forward.value;
  if (targetAddress !== undefined && normalizeSuiAddress(targetAddress) === address) {
    return { status: 'found', value: name };
  }
  return { status: 'absent', reason: `The name ${name} does not resolve to ${address}.` };
}

interface NameRecord {
  name: string;
  targetAddress: string | undefined;
}

async function askName(
  call: PromiseLike<{ response: { record?: GrpcTypes.NameRecord | undefined } }>,
): Promise<Answer<NameRecord>> {
  const answer = await ask(call);
  if (answer.status === 'unavailable') {
    const hasNone = answer.reason.startsWith('UNIMPLEMENTED') || answer.reason.includes(expired);
    return hasNone ? { status: 'absent', reason: answer.reason } : answer;
  }
  if (answer.status === 'absent') return answer;
  const { name, targetAddress } = answer.value.record ?? {};
  if (name === undefined || !isValidSuiNSName(name)) {
    return { status: 'absent', reason: 'The record has no valid name.' };
  }
  return { status: 'found', value: { name: normalizeSuiNSName(name, 'dot'), targetAddress } };
}
