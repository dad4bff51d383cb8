import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import { FaucetRateLimitError, requestSuiFromFaucetV2 } from '@mysten/sui/faucet';
import { Refusal } from '../io.ts';
import { type Chain, isPublic, localNetworkOf } from './node.ts';

const testnetFaucet = 'https://faucet.testnet.sui.io';

/** There is none on mainnet. */
export function refuseMainnet(recipient: string | undefined): never {
  throw new Refusal(
    `mainnet has no faucet: coins there have a price. Send SUI to ${recipient ?? 'your address'} from another account.`,
  );
}

/**
 * The faucet of a network: the local one's, or the public testnet's.
 * @throws Refusal for a network that has none, or whose faucet is not known
 */
export async function faucetOf(
  io: Parameters<typeof localNetworkOf>[0],
  recipient: string,
  at: { marketplace: string; chain: Chain },
): Promise<string> {
  if (isPublic(at.chain)) {
    return at.chain.network === 'mainnet' ? refuseMainnet(recipient) : testnetFaucet;
  }
  const local = await localNetworkOf(io, at);
  if (local) return local.faucetUrl;
  throw new Refusal(
    `The faucet of chain ${at.chain.chainId} is not known: it is a local network that was not found on this machine. ` +
      'Give its faucet with --faucet <url>.',
  );
}

/**
 * Has a faucet send coins to an address.
 * @returns MIST that it sent
 * @throws Refusal that says what to do
 */
export async function takeCoins(faucetUrl: string, recipient: string): Promise<bigint> {
  try {
    const { coins_sent: coins } = await requestSuiFromFaucetV2({ host: faucetUrl, recipient });
    return (coins ?? []).reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  } catch (error) {
    if (error instanceof FaucetRateLimitError) {
      throw new Refusal(`The faucet ${faucetUrl} limits requests: try again later, or use its web page.`);
    }
    const cause = error instanceof Error && error.cause ? error.cause : error;
    const reason = error instanceof TypeError ? `does not answer: ${messageOf(cause)}` : 'gave no coins';
    throw new Refusal(`The faucet ${faucetUrl} ${reason}. Does it run, and is it a faucet?`);
  }
}
