import type { DemoFile } from '../../services/demo/file.ts';

/** Body of a run that pays a thousandth of a SUI from the demo's wallet to its provider. */
export const describeSpend = ({ owner, network, provider }: DemoFile) => ({
  action: 'spend',
  owner: owner.address,
  walletId: owner.walletId,
  network,
  coinType: '0x2::sui::SUI',
  amount: '1000000',
  recipient: provider.address,
});
