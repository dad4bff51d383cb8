import { explainExecutionError } from '@adaptor-marketplace/adaptor/transactions';
import { SimulationError, type SuiClientTypes } from '@mysten/sui/client';
import { ActionFailedError } from '../api/ask.ts';
import { type ChainIds, faucetUrl, unreachable, walletNetwork } from './chain.ts';
import { describeError } from './error-text.ts';

/** Converts an error to a refusal for the reader: what happened, why, and what to do. */
export function toRefusal(error: unknown, ids?: ChainIds): ActionFailedError {
  if (error instanceof ActionFailedError) return error;
  if (error instanceof SimulationError && error.executionError)
    return describeChainRefusal(error.executionError, ids);
  const text = describeError(error);
  // Nodes use these words for transactions that they refuse.
  if (!text.includes('RpcError') && /reject|denied|declin|cancell?ed by|user cancel/i.test(text)) {
    return new ActionFailedError(
      'You rejected the signature',
      'Nothing was sent and nothing changed. Sign again when you are ready.',
    );
  }
  if (/ChainNotSupported|does not support the chain/i.test(text)) {
    return new ActionFailedError(
      `Your wallet is on another network than ${walletNetwork}`,
      `Nothing was signed. Switch the wallet to ${walletNetwork}, or connect one that knows it.`,
    );
  }
  if (/insufficient SUI|no valid gas coins|gas selection|balance of gas|GasBalanceTooLow/i.test(text)) {
    return new ActionFailedError(
      'You have too little SUI for the gas',
      faucetUrl === undefined
        ? 'Nothing was signed. Send some SUI to the connected address, and try again.'
        : 'Nothing was signed. Get coins from the faucet (the button with your address, above), and try again.',
    );
  }
  if (/InsufficientCoinBalance|insufficient balance/i.test(text)) return tooLittle();
  if (/UNAVAILABLE|DEADLINE_EXCEEDED|Failed to fetch|NetworkError|Load failed/i.test(text))
    return unreachable();
  return new ActionFailedError('It did not work', `${text.slice(0, 500)} Nothing was signed.`);
}

const tooLittle = () =>
  new ActionFailedError(
    'You have too little of the coin',
    'The connected address has less than this takes. Enter a smaller amount, or get more of the coin first.',
  );

/** Explains the execution error with which the chain refuses a transaction. */
export function describeChainRefusal(
  error: SuiClientTypes.ExecutionError,
  ids?: ChainIds,
): ActionFailedError {
  // A transaction splits coins of its sender only.
  if (/InsufficientCoinBalance|InsufficientBalanceForWithdraw/.test(error.message)) return tooLittle();
  const { code, detail } = explainExecutionError(error, {
    registryPackageId: ids?.registryOriginalId,
    walletPackageId: ids?.wallet?.originalId,
    escrowPackageId: ids?.escrow?.originalId,
    originals: new Map(
      ids && [
        [ids.registry.packageId, ids.registryOriginalId],
        ...[ids.wallet, ids.escrow].flatMap((one) => (one ? [[one.packageId, one.originalId] as const] : [])),
      ],
    ),
  });
  const what = code === 'insufficient_gas' ? 'It needs more gas than you have' : 'The chain refuses this';
  return new ActionFailedError(
    what,
    `${detail} If something changed while you looked at this page, reload it, and try again.`,
  );
}
