import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import { publishCompiled } from '@adaptor-marketplace/localnet/upgrade';
import { compilePackage } from '@adaptor-marketplace/move-toolchain';
import { amount, op, shared } from '../../../services/demo/publish.ts';

/** An adaptor whose keeper can pause it. */
export interface Pausable {
  serviceType: string;
  /** Ops of its manifest. The first one takes an amount of its coin. */
  ops: object[];
  /** Sets the largest payment. Zero pauses the adaptor. */
  limit(max: bigint): Promise<void>;
}

/** The largest limit: any payment. */
export const noLimit = 2n ** 64n - 1n;

/** Publishes `test/support/pausable`, and opens its till for a coin. */
export async function openPausable(
  keeper: Account,
  walletPackageId: string,
  coinType: string,
): Promise<Pausable> {
  const published = { wallet: walletPackageId };
  const compiled = await compilePackage(import.meta.dirname, { published });
  const { originalId: packageId } = await publishCompiled(keeper, compiled);
  const typeArguments = [coinType];
  const opened = await execute(keeper, (tx) => {
    tx.moveCall({ target: `${packageId}::till::open`, typeArguments });
  });
  const drawer = opened.created.find(({ type }) => type.includes('::till::Drawer<'))!.id;
  const pay = op('pay', 'pay', 'Pay', [coinType], [shared(drawer), amount], 'A');
  return {
    serviceType: `${packageId}::till::Till`,
    ops: [{ ...pay, module: 'till' }],
    async limit(max) {
      await execute(keeper, (tx) => {
        const target = `${packageId}::till::limit` as const;
        tx.moveCall({ target, typeArguments, arguments: [tx.object(drawer), tx.pure.u64(max)] });
      });
    },
  };
}
