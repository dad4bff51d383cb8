import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { type WalletTarget, wallet as wallets } from '@adaptor-marketplace/adaptor/transactions';
import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import { publishCompiled } from '@adaptor-marketplace/localnet/upgrade';
import { bcs } from '@mysten/sui/bcs';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { findCreatedObject, SUI } from '../../services/demo/publish.ts';
import { serveAnswers } from '../support/cli/marketplace-double.ts';
import { compileOlderWallet, compilePayer, compileTrap, stolen } from '../support/cli/packages.ts';
import { runCommand } from '../support/cli/run-command.ts';
import { type DemoMarketplace, startDemoMarketplace } from '../support/demo-marketplace.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { createTesterClient } from '../support/tester-client.ts';
import { useForFile } from '../support/use-for-file.ts';

let demo: DemoMarketplace['demo'];
let client: ChainClient;
/** Owns the wallet of the demo that grants every listed adaptor. */
let owner: Account;
let wallet: WalletTarget & { wallet: string };
/** The hostile package, which the wallet grants 5 SUI. */
let trap: string;

const sui = SUI;
const oneSui = 1_000_000_000n;

const world = useForFile(() => startDemoMarketplace(['localnet', 'indexer', 'gateway']));
beforeAll(async () => {
  ({ demo } = world);
  client = createTesterClient(demo.rpcUrl);
  const keypair = Ed25519Keypair.fromSecretKey(demo.owner.secretKey);
  owner = { address: demo.owner.address, keypair, client };
  wallet = { packageId: demo.packages.wallet, wallet: demo.owner.walletId };
  const { wallet: walletPackage, rules, agents, escrow, adaptors } = demo.packages;
  const published = { wallet: walletPackage, rules, agents, escrow, tip_jar: adaptors.tip_jar! };
  trap = (await publishCompiled(owner, await compileTrap(published))).originalId;
  await execute(owner, (tx) => {
    const grant = { service: `${trap}::trap::Trap`, coinType: sui, allowance: 5n * oneSui };
    wallets.grantServiceCoin(tx, wallet, grant);
  });
});
afterAll(async () => {
  client?.close();
});

/** Runs `call`, signed by the owner. */
const call = (...words: string[]) => callAs(demo.owner, ...words);
const callAs = ({ secretKey }: { secretKey: string }, ...words: string[]) =>
  runCommand(['call', ...words], {
    MARKETPLACE_URL: demo.baseUrl,
    SUI_RPC_URL: demo.rpcUrl,
    SUI_SECRET_KEY: secretKey,
  });

const ofTrap = (op: string, ...words: string[]) =>
  call(op, '--package', trap, '--wallet', wallet.wallet, ...words);
const listed = (folderName: string) => {
  const type = demo.publishers
    .flatMap(({ serviceTypes }) => serviceTypes)
    .find((one) => one.startsWith(`${demo.packages.adaptors[folderName]}::`));
  return ['--service', type!, '--wallet', wallet.wallet];
};

/** A wallet's balance of SUI and the hostile package's remaining grant, in MIST. */
async function holdings(): Promise<{ balance: bigint; granted: bigint }> {
  const transaction = new Transaction();
  transaction.setSender(owner.address);
  for (const [name, typeArguments] of [
    ['balance', [sui]],
    ['granted', [`${trap}::trap::Trap`, sui]],
  ] as const) {
    const target = `${wallet.packageId}::wallet::${name}`;
    const args = [transaction.object(wallet.wallet)];
    transaction.moveCall({ target, typeArguments: [...typeArguments], arguments: args });
  }
  const include = { commandResults: true } as const;
  const { commandResults } = await client.core.simulateTransaction({ transaction, include });
  const [balance, granted] = commandResults!.map(({ returnValues: [value] }) =>
    BigInt(bcs.u64().parse(value!.bcs)),
  );
  return { balance: balance!, granted: granted! };
}

test('an honest op takes what it was let, which is said before it is signed and listed after', async () => {
  const before = await holdings();
  const { code, out, err } = await ofTrap(
    'pay',
    '--amount',
    `${oneSui / 2n}`,
    '--coin-in',
    '0x2::sui::SUI',
    '--json',
  );
  const said = [
    `acts     only ${trap}::trap::Trap`,
    `takes    at most 0.5 SUI, coin ${sui}`,
    'takes    also objects that it keeps in the wallet, such as positions',
    'brings   no minimum',
    `calls    ${trap}::trap::pay`,
    'gas      at most 0.0',
  ];
  expect(err).toContain(said.join('\n'));
  expect(code).toBe(0);
  const answer = JSON.parse(out);
  const amount = `${oneSui / 2n}`;
  expect(answer.bounds).toEqual({
    service: `${trap}::trap::Trap`,
    takes: [{ coinType: sui, amount }],
    brings: [],
  });
  const ended = answer.events.find(({ type }: { type: string }) => type.endsWith('::action::ActionEnded'));
  expect(ended.json).toMatchObject({ sender: owner.address, taken: [{ amount }], brought: [] });
  expect((await holdings()).balance).toBe(before.balance - oneSui / 2n);
});

const one = ['--amount', `${oneSui}`, '--coin-in', '0x2::sui::SUI'];

test.each([
  ['pays twice', 'pay_twice', one, /ETakesTooMuch/],
  ['pays more than is stated', 'pay', [...one, '--take', '0x2::sui::SUI=999'], /ETakesTooMuch/],
  [
    'pays, where nothing may leave',
    'pay',
    [...one, '--take', 'none'],
    /ETakesTooMuch.* To allow that amount, give --amount .* --take/,
  ],
  ['withdraws as the owner may', 'withdraw', [], /EOpen/],
  ['grants itself a coin', 'grant', [], /EOpen/],
] as const)('an op that %s takes nothing from the owner who calls it', async (_, op, words, abort) => {
  const before = await holdings();
  const { code, out, err } = await ofTrap(op, ...words);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(abort);
  expect(err).not.toContain('signing');
  expect(await holdings()).toEqual(before);
});

test("an op that spends another service's grant is refused by the chain, and takes nothing", async () => {
  const before = await holdings();
  const { code, err } = await ofTrap('tip', '--object', demo.objects.jar);
  expect(code).toBe(1);
  expect(err).toMatch(/EAuthMissing|EOtherService/);
  expect(await holdings()).toEqual(before);
});

test('what an op costs its caller in gas is bounded as well: the storage that it fills is paid back to a stranger', async () => {
  const coins = async () =>
    (await client.core.getBalance({ owner: owner.address, coinType: sui })).balance.balance;
  const before = await coins();
  const { code, out, err } = await ofTrap('fatten');
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/gas budget of \d+ MIST exceeds the limit of 50000000 MIST\. .* --gas-max/);
  expect(err).not.toContain('signing');
  expect(await coins()).toBe(before);
  const allowed = await ofTrap('fatten', '--gas-max', `${2n * oneSui}`);
  expect(allowed.code).toBe(0);
  expect(allowed.err).toMatch(/^gas {6}at most \d\.\d+ SUI$/m);
});

test.each([
  ["changes its caller's entry among the agents for hire", 'provider', 'relist', () => demo.objects.agents],
  ['hands in nothing for a job of its caller', 'provider', 'hand_in', () => demo.jobId],
  ['puts a recipient on the allowlist', 'owner', 'allow', () => demo.objects.allowlist],
] as const)('an op that %s is not signed', async (_, caller, op, object) => {
  const words = ['--package', trap, '--wallet', wallet.wallet, '--object', object()];
  const { code, out, err } = await callAs(demo[caller], op, ...words);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(
    /uses 0x[0-9a-f]+, a 0x[0-9a-f]+::(registry::Registry|job::Job<.*>|rule::Allowlist), .*Nothing was signed/,
  );
});

test('without bounds an op may do all that the owner may, and a warning says so', async () => {
  const before = await holdings();
  const { code, out, err } = await ofTrap('withdraw', '--without-bounds', '--json');
  expect(err).toMatch(/^warning {2}no bounds: /);
  expect(code).toBe(0);
  expect(JSON.parse(out).bounds).toBeNull();
  expect((await holdings()).balance).toBe(before.balance - stolen);
  const both = await ofTrap('pay', '--amount', '1', '--take', 'none', '--without-bounds');
  expect(both).toMatchObject({ code: 2, out: '' });
});

test('an op that is not public is refused, since the chain runs none of its kind within bounds', async () => {
  const words = ['--amount', '1', '--coin-in', '0x2::sui::SUI'];
  const refused = await ofTrap('pay_privately', ...words);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toMatch(/is not public, .* --without-bounds/);
  expect((await ofTrap('pay_privately', ...words, '--without-bounds')).code).toBe(0);
});

test('a listed op whose coin is in its code asks for it, and is held to it', async () => {
  const tip = [...listed('tip_jar'), '--amount', '1000'];
  const unknown = await call('tip', ...tip);
  expect(unknown).toMatchObject({ code: 2, out: '' });
  expect(unknown.err).toMatch(/coin of --amount is unknown.*--coin-in.*--take/);
  const { code, out } = await call('tip', ...tip, '--coin-in', '0x2::sui::SUI');
  expect(code).toBe(0);
  expect(out).toMatch(/^event {3}action::ActionEnded .*"taken":\[\{.*"amount":"1000"/m);
});

test('the objects of a listed op settle its coins, and it brings what it must', async () => {
  const share = demo.venues.vault.coins.share!;
  const deposit = ['deposit', ...listed('share_vault'), '--amount', `${oneSui}`];
  const { code, out, err } = await call(...deposit, '--min-out', '1000', '--json');
  expect(err).toContain(`brings   at least `);
  expect(code).toBe(0);
  const { bounds } = JSON.parse(out);
  expect(bounds.takes).toEqual([{ coinType: sui, amount: `${oneSui}` }]);
  expect(bounds.brings).toEqual([{ coinType: share, amount: '1000' }]);
  const short = await call(...deposit, '--min-out', '1000', '--bring', `${share}=${2n * oneSui}`);
  expect(short).toMatchObject({ code: 1, out: '' });
  expect(short.err).toMatch(/EBringsTooLittle.* --bring/);
  const other = await call(...deposit, '--min-out', '1000', '--coin-in', share);
  expect(other.code).toBe(2);
});

test('an op of two coins takes no more than is stated of each', async () => {
  const { a, b } = demo.venues.clmm.coins;
  const values = {
    name: 'held to bounds',
    lower: 439_980,
    upper: 445_980,
    amountA: 1_000_000,
    amountB: 3_000,
  };
  const set = Object.entries({ ...values, minLiquidity: 1 }).flatMap(([name, value]) => [
    '--set',
    `${name}=${value}`,
  ]);
  const open = ['open', ...listed('concentrated_liquidity'), ...set];
  const unstated = await call(...open);
  expect(unstated.err).toMatch(/ETakesTooMuch/);
  const { code, err, out } = await call(...open, '--take', `${a}=1000000`, '--take', `${b}=3000`, '--json');
  expect(err).toMatch(/takes {4}at most .*\ntakes {4}at most /);
  expect(code).toBe(0);
  expect(JSON.parse(out).bounds.takes).toHaveLength(2);
});

test('an op that takes no wallet needs no lock, and no bounds can be stated for it', async () => {
  const look = ['look', '--package', trap];
  const { code, out } = await call(...look, '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out).bounds).toBeNull();
  expect(await call(...look, '--take', 'none')).toMatchObject({ code: 2, out: '' });
});

test('a generic function gets its type arguments in its order, which the coins of a payment follow', async () => {
  const looked = await call(
    'look_as',
    '--package',
    trap,
    '--type-arg',
    'u64',
    '--type-arg',
    'vector<0x2::sui::SUI>',
  );
  expect(looked).toMatchObject({ code: 0 });
  const few = await call('look_as', '--package', trap, '--type-arg', 'u64');
  expect(few).toMatchObject({ code: 2, out: '' });
  expect(few.err).toContain('--type-arg: trap::look_as takes 2 type arguments, not 1.');
  const none = await call('look_as', '--package', trap);
  expect(none.err).toMatch(
    /trap::look_as needs more, by --object <id> and --type-arg <type>:\n.*type parameter T0/,
  );

  const paid = await ofTrap('pay_in', '--amount', '7', '--type-arg', '0x2::sui::SUI', '--json');
  expect(paid.code).toBe(0);
  expect(JSON.parse(paid.out).bounds.takes).toEqual([{ coinType: sui, amount: '7' }]);
  const differs = await ofTrap(
    'pay_in',
    '--amount',
    '7',
    '--type-arg',
    '0x2::sui::SUI',
    '--coin-in',
    '0x3::a::A',
  );
  expect(differs.err).toMatch(/--type-arg 0x.*: as type argument 1 --coin-in says 0x0+3::a::A/);

  const vault = ['deposit', ...listed('share_vault'), '--amount', '1000', '--min-out', '1'];
  const share = demo.venues.vault.coins.share!;
  expect((await call(...vault, '--type-arg', sui, '--type-arg', share)).code).toBe(0);
  const wrong = await call(...vault, '--type-arg', share, '--type-arg', share);
  expect(wrong).toMatchObject({ code: 2, out: '' });
  const tipped = await call('tip', ...listed('tip_jar'), '--amount', '1000', '--type-arg', sui);
  expect(tipped.err).toContain('--type-arg: tip_jar::tip takes no type arguments. Leave it out.');
});

test('an object that is not there, or is of another type, is named with what is expected', async () => {
  const tip = [
    'tip',
    '--package',
    demo.packages.adaptors.tip_jar!,
    '--wallet',
    wallet.wallet,
    '--amount',
    '5',
  ];
  const other = await call(...tip, '--object', demo.objects.vault);
  expect(other).toMatchObject({ code: 2, out: '' });
  expect(other.err).toMatch(
    /which 0x[0-9a-f]+::tip_jar::Jar it is.*\n {2}--object 0x[0-9a-f]+ is a 0x[0-9a-f]+::vault::Vault</,
  );
  const absent = await call(...tip, '--object', '0xabc');
  expect(absent.err).toMatch(
    /^error: --object 0x0+abc: testnet has no shared or immutable object of this id\./,
  );
  const jar = await call(...tip, '--object', demo.objects.jar, '--wallet', demo.objects.jar);
  expect(jar.err).toMatch(/^error: --wallet: 0x[0-9a-f]+ is not a shared wallet\. Expected the id/);
});

test("a listing's op that would change the clock is refused before the chain sees it", async () => {
  const serviceType = `${trap}::trap::Trap`;
  const clock = { role: 'object', objectId: '0x6', mutable: true };
  const manifest = {
    name: 'Trap',
    category: 'Other',
    summary: 'A trap.',
    serviceType,
    packageId: trap,
    ops: [{ kind: 'custom', module: 'trap', entry: 'wind', call: { typeArgs: [], args: [clock] } }],
  };
  const entry = {
    serviceType,
    packageId: trap,
    publisherVerified: true,
    manifestHash: '',
    version: 1,
    manifest,
    usage: { actions: 0, uniqueVaults: 0 },
    reviews: { count: 0, avg: null },
  };
  const url = await marketplace({
    '/api/adaptors/schema': await (await fetch(`${demo.baseUrl}/api/adaptors/schema`)).text(),
    '/api/adaptors': JSON.stringify({ network: 'testnet', adaptors: [entry] }),
  });
  const { code, err } = await call('wind', '--service', serviceType, '--url', url);
  expect(code).toBe(1);
  expect(err).toMatch(
    /^error: trap::wind changes its argument 1, but 0x0+6 cannot be changed: it is a system object\./,
  );
});

test('a node that goes away, too little SUI and a package of another network each say what to do', async () => {
  const proxy = await startTcpProxy(demo.rpcUrl);
  onTestFinished(() => proxy.cut());
  const env = { MARKETPLACE_URL: demo.baseUrl, SUI_SECRET_KEY: demo.owner.secretKey };
  await proxy.cut();
  const away = await runCommand(['open-wallet'], { ...env, SUI_RPC_URL: proxy.url });
  expect(away).toMatchObject({ code: 1, out: '' });
  expect(away.err).toMatch(
    /^error: The node http:\/\/127\S+ \(SUI_RPC_URL\) does not answer: the connection was refused\./,
  );
  const here = { ...env, SUI_RPC_URL: demo.rpcUrl };
  const poor = await runCommand(['open-wallet'], {
    ...here,
    SUI_SECRET_KEY: new Ed25519Keypair().getSecretKey(),
  });
  expect(poor.err).toMatch(
    /^error: Insufficient SUI for gas: 0x\S+ has 0 SUI, .* adaptor-marketplace fund 0x\S+\n$/,
  );
  const greedy = await runCommand(['open-wallet', '--deposit', '18446744073709551615'], here);
  expect(greedy.err).toMatch(
    /^error: --deposit: 0x\S+ has \S+ SUI, not enough for 18446744073\.709551615 SUI and gas\./,
  );
  const grant = ['--service', '0xabc::a::B', '--grant', '0x2::sui::SUI=1'];
  const absent = await runCommand(['open-wallet', ...grant], here);
  expect(absent.err).toMatch(
    /^error: testnet has no package 0x0+abc, which one of the given types or ids names\./,
  );
  const other = await runCommand(['open-wallet', '--network', 'mainnet'], here);
  expect(other).toMatchObject({ code: 2, out: '' });
  expect(other.err).toMatch(
    /^error: --network: \S+ does not serve mainnet\. The marketplace serves testnet\.\n$/,
  );
  const misbehave = `${demo.faucetUrl}/admin/misbehave`;
  const failCalls = { code: 'UNAVAILABLE', methods: ['SimulateTransaction'] };
  await fetch(misbehave, { method: 'POST', body: JSON.stringify({ failCalls }) });
  const lost = await runCommand(['open-wallet'], here);
  await fetch(misbehave, { method: 'DELETE' });
  expect(lost).toMatchObject({ code: 1, out: '' });
  expect(lost.err).toMatch(/^error: The node \S+ does not answer: .*\. Nothing was signed\.\n$/);
  const gateway = await runCommand(['open-wallet'], { ...here, SUI_RPC_URL: demo.baseUrl });
  expect(gateway.err).toMatch(/does not answer: it does not speak gRPC/);
});

/** A marketplace of a third party that returns these answers by path. */
const marketplace = async (answers: Record<string, string>) =>
  (await serveAnswers((path) => answers[path])).url;

/** The arguments that call an op of the hostile package through a listing. */
async function listing(
  entry: string,
  args: unknown[],
  more: { publisherVerified: boolean },
): Promise<string[]> {
  const serviceType = `${trap}::trap::Trap`;
  const manifest = {
    name: 'Trap',
    category: 'Other',
    summary: 'A trap.',
    serviceType,
    packageId: trap,
    ops: [{ kind: 'custom', module: 'trap', entry, call: { typeArgs: [], args } }],
  };
  const listed = {
    serviceType,
    packageId: trap,
    manifestHash: '',
    version: 1,
    manifest,
    ...more,
    usage: { actions: 0, uniqueVaults: 0 },
    reviews: { count: 0, avg: null },
  };
  const url = await marketplace({
    '/api/adaptors/schema': await (await fetch(`${demo.baseUrl}/api/adaptors/schema`)).text(),
    '/api/adaptors': JSON.stringify({ network: 'testnet', adaptors: [listed] }),
  });
  return ['--service', serviceType, '--url', url];
}

test("a stranger's listing of a package is not called: its manifest chooses what the op works on", async () => {
  const args = [{ role: 'wallet' }, { role: 'amount' }, { role: 'clock' }];
  const pay = ['--wallet', wallet.wallet, '--amount', '1', '--coin-in', '0x2::sui::SUI'];
  const before = await holdings();
  const strangers = await call('pay', ...(await listing('pay', args, { publisherVerified: false })), ...pay);
  expect(strangers).toMatchObject({ code: 1, out: '' });
  expect(strangers.err).toMatch(/was not listed by a publisher of its package: .* --package/);
  expect(await holdings()).toEqual(before);
  const own = await call('pay', ...(await listing('pay', args, { publisherVerified: true })), ...pay);
  expect(own.code).toBe(0);
});

test('a listing cannot name a wallet as an object of its own, past the lock', async () => {
  const args = [{ role: 'object', objectId: wallet.wallet, mutable: true }];
  const words = await listing('withdraw', args, { publisherVerified: true });
  const before = await holdings();
  const { code, out, err } = await call('withdraw', ...words);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/uses 0x[0-9a-f]+, a 0x[0-9a-f]+::wallet::Wallet.*Nothing was signed/);
  expect(await holdings()).toEqual(before);
});

test('a marketplace cannot choose whose lock is put around an op', async () => {
  const schema = await (await fetch(`${demo.baseUrl}/api/adaptors/schema`)).json();
  Object.assign(schema.networks.testnet, { walletPackageId: trap, walletCallPackageId: trap });
  const url = await marketplace({ '/api/adaptors/schema': JSON.stringify(schema) });
  const before = await holdings();
  const { code, err } = await ofTrap('pay_twice', ...one, '--url', url);
  expect(code).toBe(1);
  expect(err).toMatch(/ETakesTooMuch/);
  expect(await holdings()).toEqual(before);
});

test('a wallet of an older package is called only where its owner says so, and a warning is printed', async () => {
  const { originalId: older } = await publishCompiled(owner, await compileOlderWallet());
  const { originalId: payer } = await publishCompiled(owner, await compilePayer(older));
  const made = await execute(owner, (tx) => {
    const target = wallets.create(tx, older);
    wallets.deposit(tx, target, { coinType: sui, coin: tx.splitCoins(tx.gas, [oneSui]) });
    const grant = { service: `${payer}::payer::Payer`, coinType: sui, allowance: oneSui };
    wallets.grantServiceCoin(tx, target, grant);
    wallets.share(tx, target);
  });
  const id = findCreatedObject(made, '::wallet::Wallet');
  const words = ['pay', '--package', payer, '--wallet', id, '--amount', '1', '--coin-in', '0x2::sui::SUI'];
  const refused = await call(...words);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toMatch(/older version without bounds.*--without-bounds/);
  const { code, err } = await call(...words, '--without-bounds');
  expect(code).toBe(0);
  expect(err).toMatch(/^warning {2}no bounds: /);
});
