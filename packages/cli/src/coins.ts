import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { ask, callOptions, formatUnits } from '@adaptor-marketplace/adaptor/chain';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { FaucetRateLimitError, requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import { CommandFailedError, explainNodeError } from './io.ts';
import { type Chain, findLocalNetwork, isPublic } from './network.ts';

export const sui = '0x2::sui::SUI';
const timeoutMs = 20_000;

/** The SUI balance of an address, in MIST. @throws CommandFailedError if the node does not answer */
export async function readBalance(client: ChainClient, owner: string): Promise<bigint> {
  const answer = await ask(client.stateService.getBalance({ owner, coinType: sui }, callOptions(timeoutMs)));
  if (answer.status === 'found') return answer.value.balance?.balance ?? 0n;
  throw new CommandFailedError(
    `Cannot read the balance of ${owner} from the node: ${explainNodeError(answer.reason)}.`,
  );
}

/** An amount of MIST in SUI, as text. */
export const describeSui = (mist: bigint) => `${formatUnits(String(mist), 9)} SUI`;

const testnetFaucet = 'https://faucet.testnet.sui.io';

export function refuseMainnet(recipient: string | undefined): never {
  throw new CommandFailedError(
    `mainnet has no faucet. Send SUI to ${recipient ?? 'your address'} from another account.`,
  );
}

/**
 * The faucet of a network: the local one's, or the public testnet's.
 * @throws CommandFailedError if the network has no faucet, or none is known
 */
export async function findFaucetUrl(
  io: Parameters<typeof findLocalNetwork>[0],
  recipient: string,
  at: { marketplace: string; chain: Chain },
): Promise<string> {
  if (isPublic(at.chain)) {
    return at.chain.network === 'mainnet' ? refuseMainnet(recipient) : testnetFaucet;
  }
  const local = await findLocalNetwork(io, at);
  if (local) return local.faucetUrl;
  throw new CommandFailedError(
    `No faucet is known for chain ${at.chain.chainId}: no local network with this chain was found on this machine. ` +
      'Set DATA_DIR to the data folder of its npm start, or give --faucet <url>.',
  );
}

/**
 * Requests coins for an address.
 * @returns MIST that were sent
 * @throws CommandFailedError
 */
export async function takeCoins(faucetUrl: string, recipient: string): Promise<bigint> {
  try {
    const { coins_sent: coins } = await requestSuiFromFaucetV2({ host: faucetUrl, recipient });
    return (coins ?? []).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  } catch (error) {
    if (error instanceof FaucetRateLimitError) {
      throw new CommandFailedError(
        `Rate limited by the faucet ${faucetUrl}. Try again later, or use its web page.`,
      );
    }
    const cause = error instanceof Error && error.cause ? error.cause : error;
    const reason =
      error instanceof TypeError ? `does not answer: ${getErrorMessage(cause)}` : 'sent no coins';
    throw new CommandFailedError(
      `The faucet ${faucetUrl} ${reason}. Check that it is running and that it is a faucet.`,
    );
  }
}
