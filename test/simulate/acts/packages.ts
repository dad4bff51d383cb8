import { appendUpgrade } from '@adaptor-marketplace/move-toolchain';
import type { Acts } from './act.ts';

/** The chain refuses both to those who do not have the UpgradeCap at that time. */
export const packageActs: Acts = {
  upgrade: {
    weight: 1,
    prepare({ package: own }, { market }) {
      const { packageId, upgradeCapId: cap } = own;
      return {
        append: (tx) => appendUpgrade(tx, { packageId, cap }, market.compiled),
        succeeded({ created }) {
          own.packageId = created.find(({ type }) => type === 'package')!.id;
          own.packageIds.push(own.packageId);
        },
      };
    },
  },
  'pass on an UpgradeCap': {
    weight: 1,
    prepare({ random, package: own }, { addresses, packages }) {
      // Sometimes that of another, who may have passed it on to the actor.
      const { upgradeCapId } = random.chance(0.5) ? own : random.pick(packages);
      const recipient = random.pick(addresses);
      return { append: (tx) => tx.transferObjects([upgradeCapId], recipient) };
    },
  },
};
