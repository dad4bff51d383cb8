import { type Account, execute } from './account.ts';
import { createdObject, type Deployed } from './publish.ts';

export interface DemoUse {
  /** Opens the jar, the savings and the vault. */
  owner: Account;
  users: Account[];
  jar: Deployed;
  savings: Deployed;
  vault: Deployed;
}

const SUI = 1_000_000_000n;
const dayMs = 86_400_000n;

/** Opens a jar, a savings account and a vault, and lets every user put something in. Amounts are in MIST. */
export async function useAdaptors({ owner, users, jar, savings, vault }: DemoUse): Promise<void> {
  const opened = await execute(owner, (tx) => {
    tx.moveCall({ target: `${jar.packageId}::tip_jar::open` });
    tx.moveCall({
      target: `${savings.packageId}::term_savings::create`,
      arguments: [tx.pure.u64(30n * dayMs), tx.pure.u64(200n)],
    });
    tx.moveCall({ target: `${vault.packageId}::share_vault::create` });
  });
  const jarId = createdObject(opened, '::tip_jar::Jar');
  const savingsId = createdObject(opened, '::term_savings::Savings');
  const vaultId = createdObject(opened, '::share_vault::Vault');

  await execute(owner, (tx) => {
    const [reserve] = tx.splitCoins(tx.gas, [10n * SUI]);
    tx.moveCall({
      target: `${savings.packageId}::term_savings::fund`,
      arguments: [tx.object(savingsId), reserve],
    });
  });
  await Promise.all(users.map((user, index) => useAll(user, BigInt(index + 1) * SUI)));

  async function useAll(user: Account, amount: bigint): Promise<void> {
    await execute(user, (tx) => {
      const [tip, deposit, share] = tx.splitCoins(tx.gas, [amount / 10n, amount, amount * 2n]);
      tx.moveCall({ target: `${jar.packageId}::tip_jar::tip`, arguments: [tx.object(jarId), tip] });
      tx.moveCall({
        target: `${savings.packageId}::term_savings::deposit`,
        arguments: [tx.object(savingsId), deposit, tx.object.clock()],
      });
      const position = tx.moveCall({
        target: `${vault.packageId}::share_vault::deposit`,
        arguments: [tx.object(vaultId), share, tx.pure.u128(1n)],
      });
      tx.transferObjects([position], user.address);
    });
  }
}
