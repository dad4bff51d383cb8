import { ask } from '@adaptor-marketplace/adaptor/chain/answers';
import { callOptions } from '@adaptor-marketplace/adaptor/chain/call-options';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { inUnits } from '@adaptor-marketplace/adaptor/chain/coin-units';
import { Refusal } from '../io.ts';
import { nodeFailure } from '../output/node-failure.ts';

export const sui = '0x2::sui::SUI';
const timeoutMs = 20_000;

/** What an address holds of SUI, in MIST. @throws Refusal where the node does not say */
export async function balanceOf(client: ChainClient, owner: string): Promise<bigint> {
  const answer = await ask(client.stateService.getBalance({ owner, coinType: sui }, callOptions(timeoutMs)));
  if (answer.status === 'found') return answer.value.balance?.balance ?? 0n;
  throw new Refusal(`The node does not tell the balance of ${owner}: ${nodeFailure(answer.reason)}.`);
}

/** An amount of MIST as people write it. */
export const suiInWords = (mist: bigint) => `${inUnits(String(mist), 9)} SUI`;
