import { ask } from '@adaptor-marketplace/adaptor/chain/answers';
import { callOptions } from '@adaptor-marketplace/adaptor/chain/call-options';
import { functionReader } from '@adaptor-marketplace/adaptor/chain/functions';
import { packageVersions } from '@adaptor-marketplace/adaptor/chain/package-versions';
import { readFixedObjects } from '@adaptor-marketplace/adaptor/draft/read-objects';
import { hasActions } from '@adaptor-marketplace/adaptor/transactions/lock';
import { GrpcTypes } from '@mysten/sui/grpc';
import { Refusal } from '../io.ts';
import { calledPackage } from '../network/called-package.ts';
import type { WalletPackage } from '../network/connect.ts';
import { nodeFailure } from '../output/node-failure.ts';
import { ChainRefusal } from '../signing/execute.ts';
import type { Session } from '../signing/session.ts';
import type { Callable } from './callable.ts';

const walletType = /^(0x[0-9a-f]{64})::wallet::Wallet$/;
const timeoutMs = 20_000;

/**
 * The package of a wallet, by the node's word for the wallet's own type: a marketplace that could choose it would have
 * functions of its own called with the wallet.
 * @throws Refusal where there is no such wallet
 */
export async function walletPackageOf(
  { client, walletPackage }: Session,
  walletId: string,
): Promise<WalletPackage> {
  const objects = await readFixedObjects(client, [walletId]);
  if (objects.status === 'unavailable') {
    throw new Refusal(`The node does not answer: ${nodeFailure(objects.reason)}. Try again.`);
  }
  const type = objects.status === 'found' ? objects.value.get(walletId)?.type : undefined;
  const originalId = walletType.exec(type ?? '')?.[1];
  if (originalId === undefined) {
    throw new Refusal(
      `--wallet: ${walletId} is not a shared wallet. Expected the id that open-wallet prints, or one of whoami.`,
    );
  }
  if (originalId === walletPackage?.originalId) return walletPackage;
  return { originalId, calledId: await calledPackage(packageVersions(client), originalId, undefined) };
}

/**
 * Refuses what the wallet's lock cannot be put around.
 * @throws Refusal that names the option by which it is called without
 */
export async function requireLockable(
  { client }: Session,
  { calledId }: WalletPackage,
  { packageId, op: { module, entry } }: Callable,
): Promise<void> {
  if (!(await hasActions(functionReader(client), calledId))) {
    throw new Refusal(
      `The wallet's package ${calledId} is an older one that cannot hold a call to bounds: the op could do with the ` +
        `wallet all that you may. ${otherwise}`,
    );
  }
  const request = { packageId, moduleName: module, name: entry };
  const answer = await ask(client.movePackageService.getFunction(request, callOptions(timeoutMs)));
  if (answer.status === 'unavailable') {
    throw new Refusal(`The node does not answer: ${nodeFailure(answer.reason)}. Try again.`);
  }
  const visibility = answer.status === 'found' ? answer.value.function?.visibility : undefined;
  if (visibility === GrpcTypes.FunctionDescriptor_Visibility.PUBLIC) return;
  throw new Refusal(
    `${module}::${entry} is not public, so the chain does not run it within the bounds of an action. ${otherwise}`,
  );
}

const otherwise = 'To call it without any bounds, add --without-bounds.';

/** Adds to a refusal by the wallet's lock which option states the bound. Other errors stay as they are. */
export function explainLock(error: unknown, { originalId, calledId }: WalletPackage): unknown {
  if (!(error instanceof ChainRefusal) || !error.abort) return error;
  const { module, code } = error.abort;
  const remedy = [originalId, calledId].some((id) => module === `${id}::lock`) ? remedies[code] : undefined;
  return remedy === undefined ? error : new ChainRefusal(`${error.message} ${remedy}`, error.abort);
}

const remedies: Record<number, string> = {
  3: 'If it is meant to take that much, say so: --amount with --coin-in, or --take.',
  4: "Only what comes by the service's witness counts. If less is meant to come, say so: --min-out, or --bring.",
};
