import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { certificateHash, certify, readProgram } from '@adaptor-marketplace/adaptor/certify';
import { createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { nodePackages } from '@adaptor-marketplace/adaptor/introspect';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { serveAnswers } from '../support/cli/marketplace-double.ts';
import { runBlocks, shellBlocks, shownLines } from '../support/cli/run-blocks.ts';
import { runCommand } from '../support/cli/run-command.ts';
import { type DemoMarketplace, startDemoMarketplace } from '../support/demo-marketplace.ts';
import { eventually } from '../support/eventually.ts';
import { createDataDir } from '../support/service.ts';

const root = join(import.meta.dirname, '../..');
const document = join(root, 'docs/build-an-adaptor.md');

let marketplace: DemoMarketplace;
let demo: DemoMarketplace['demo'];
let folder: Awaited<ReturnType<typeof createDataDir>>;
/** The package, listing and wallet that the document's commands made. */
let made: { packageId: string; serviceType: string; walletId: string };
/** Ids of the paying adaptor: its first version, its UpgradeCap and its newest version. */
let payer: { packageId: string; upgradeCapId: string; newest: string };

beforeAll(async () => {
  folder = await createDataDir();
  marketplace = await startDemoMarketplace(['localnet', 'indexer', 'gateway']);
  ({ demo } = marketplace);
  // The commands find a folder that looks like the repository.
  await symlink(marketplace.dataDir, join(folder.dir, '.data'));
  await symlink(join(root, 'move'), join(folder.dir, 'move'));
});
afterAll(async () => {
  await marketplace?.close();
  await folder.remove();
});

const command = (...words: string[]) =>
  runCommand(words, {
    MARKETPLACE_URL: demo.baseUrl,
    SUI_RPC_URL: demo.rpcUrl,
    SUI_SECRET_KEY_FILE: join(folder.dir, '.data/publisher.key'),
  });

test('the commands of the document lead from an empty folder to a listed adaptor that works', async () => {
  const text = await readFile(document, 'utf8');
  let err = '';
  const onErr = (part: string) => {
    err += part;
  };
  const printed = `${await runBlocks(folder.dir, shellBlocks(text), { onErr })}${err}`;
  expect(shownLines(text).filter((line) => !line.test(printed))).toEqual([]);

  const json = async (path: string) => JSON.parse(await readFile(join(folder.dir, path), 'utf8'));
  const { packageId } = await json('nest_egg/published.json');
  const { walletId } = await json('nest_egg/wallet.json');
  const { serviceType, manifestHash } = await json('nest_egg/draft.json');
  made = { packageId, serviceType, walletId };
  const first = await json('pocket_money/published.json');
  const upgraded = await json('pocket_money/upgraded.json');
  payer = { ...first, newest: upgraded.packageId };
  const call = (typeArgs: string[]) => ({
    typeArgs,
    args: [
      { role: 'wallet' },
      { role: 'object', objectId: demo.objects.vault, mutable: true },
      { role: 'amount' },
      { role: 'minOut' },
      { role: 'clock' },
    ],
  });
  await eventually(async () => {
    const { out } = await command('catalog', serviceType, '--json');
    expect(JSON.parse(out).adaptors).toMatchObject([
      {
        serviceType,
        packageId,
        manifestHash,
        version: 1,
        publisherVerified: true,
        manifestVerified: true,
        manifest: {
          name: 'Nest Egg',
          ops: [
            { entry: 'deposit', call: call(['coinIn', 'coinOut']) },
            { entry: 'withdraw', call: call(['coinOut', 'coinIn']) },
          ],
        },
        // Two calls came before the listing, and one came through the catalog.
        usage: { actions: 3, uniqueVaults: 1 },
        reviews: { count: 1, avg: 5, verifiedCount: 0 },
      },
    ]);
  });
});

test('certify says from bytecode what a function takes and where it goes, with a hash that another reader computes too', async () => {
  const words = ['certify', made.packageId, 'deposit'];
  const { code, out } = await command(...words, '--paths');
  expect(code).toBe(0);
  expect(out).toContain('Takes 0x2::coin::Coin<T0> from the wallet: exactly argument 3 (u64).');
  expect(out).toMatch(
    /0x2::coin::Coin<T0> from the wallet always goes to @P\d::vault::Vault\.assets, which keeps it\./,
  );
  expect(out).toContain(`${made.packageId}::nest_egg::deposit @ `);
  expect(out).toMatch(/cannot {2}Nothing goes elsewhere\./);
  const { hash, certificate } = JSON.parse((await command(...words, '--json')).out);
  expect(certificateHash(certificate)).toBe(hash);

  const client = createChainClient({ url: demo.rpcUrl });
  const program = await readProgram(nodePackages(client), made.packageId);
  client.close();
  expect(certificateHash(certify(program, { module: 'nest_egg', function: 'deposit' }))).toBe(hash);
  const all = await command('certify', made.packageId);
  expect(all.out).toContain(`nest_egg::deposit   whole  ${hash}`);

  const unknown = await command('certify', made.packageId, 'deposits');
  expect(unknown).toMatchObject({ code: 2, out: '' });
  expect(unknown.err).toContain(`has no function deposits that a transaction can call. List them: `);
  const absent = await command('certify', '0xabc', 'deposit');
  expect(absent).toMatchObject({ code: 1, out: '' });
  expect(absent.err).toMatch(/^error: There is no package 0x0+abc on this network\.$/m);
});

test('certify --compare has the hashes of the marketplace, and fails if one of them is not of the bytecode', async () => {
  const words = ['certify', made.serviceType, '--compare'];
  await eventually(async () => {
    const { code, out } = await command(...words, '--json');
    const { functions } = JSON.parse(out);
    expect({ code, functions }).toMatchObject({
      code: 0,
      functions: [
        { function: 'deposit', result: 'same' },
        { function: 'withdraw', result: 'same' },
      ],
    });
  });
  const wrong = await startLiar(([first]) => Object.assign(first!, { hash: 'a'.repeat(64) }));
  const { code, out, err } = await command(...words, '--url', wrong);
  expect(code).toBe(1);
  expect(out).toMatch(/nest_egg::deposit\s+differs[\s\S]*nest_egg::withdraw\s+same/);
  expect(err).toContain('The marketplace has other certificates for 1 of 2 functions.');
  // A certificate of what is not on chain, which a stranger's op can name too.
  const invented = await startLiar((functions) => {
    Object.assign(functions[0]!, { function: 'free_money' });
    Object.assign(functions[1]!, { packageId: `0x${'ab'.repeat(32)}` });
  });
  const { out: table } = await command(...words, '--url', invented);
  expect(table).toMatch(/nest_egg::free_money\s+differs[\s\S]*nest_egg::withdraw\s+absent/);
  const withoutService = await command('certify', made.packageId, '--compare');
  expect(withoutService).toMatchObject({ code: 2, out: '' });
});

test('certify --compare does not call a function of an earlier analysis different', async () => {
  const analysis = 0;
  const early = await startLiar(([first]) => Object.assign(first!, { hash: 'a'.repeat(64), analysis }));
  const { code, out, err } = await command('certify', made.serviceType, '--compare', '--url', early);
  expect(code).toBe(1);
  expect(out).toMatch(/nest_egg::deposit\s+other analysis[\s\S]*nest_egg::withdraw\s+same/);
  expect(err).toContain('The marketplace certifies 1 of 2 functions with version 0 of the analysis, ');
  expect(err).toContain('has not analyzed them again yet');
});

/** Starts a marketplace that forges the functions of a certificate. */
async function startLiar(forge: (functions: object[]) => void): Promise<string> {
  const liar = createServer(async ({ url }, response) => {
    const body = await (await fetch(`${demo.baseUrl}${url}`)).json();
    if (body.functions) forge(body.functions);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await once(liar.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    liar.close();
  });
  return `http://127.0.0.1:${(liar.address() as AddressInfo).port}`;
}

test('the adaptor that pays was upgraded under its first service type, which its publisher unlisted', async () => {
  const service = `${payer.packageId}::pocket_money::PocketMoney`;
  expect(payer.newest).not.toBe(payer.packageId);
  const listed = JSON.parse((await command('catalog', service, '--all', '--json')).out);
  expect(listed.adaptors).toEqual([]);
  const introspected = JSON.parse((await command('introspect', payer.newest, '--json')).out);
  expect(introspected.ops.map(({ entry }: { entry: string }) => entry)).toEqual(['pay', 'pay_both']);
  expect(introspected.witnesses).toMatchObject([{ serviceType: service }]);
  const again = await command('unlist', service);
  expect(again).toMatchObject({ code: 1, out: '' });
  expect(again.err).toMatch(/^error: No publisher lists this service type now/);
});

test('an upgraded package that is not listed is listed again by one signature, and update says what lists it', async () => {
  const service = `${payer.packageId}::pocket_money::PocketMoney`;
  const about = ['--name', 'Pocket Money', '--summary', 'Pays what the owner granted.'];
  const update = await command('update', payer.newest, ...about);
  expect(update).toMatchObject({ code: 1, out: '' });
  expect(update.err).toContain(`does not list ${service}. List it with: adaptor-marketplace register`);
  const { err, out } = await command('register', payer.newest, ...about, '--json');
  expect(err).not.toContain('upgraded_package');
  const registered = JSON.parse(out);
  expect(registered).toMatchObject({ done: 'registered', packageId: payer.newest, shownByDefault: true });
  expect(registered.entry).toMatchObject({ serviceType: service, packageId: payer.newest });
  expect((await command('unlist', service)).code).toBe(0);
});

test('an upgrade that breaks what callers rely on is refused with what to do, by the cap as by the package', async () => {
  const path = join(folder.dir, 'pocket_money/sources/pocket_money.move');
  const source = await readFile(path, 'utf8');
  await writeFile(path, source.replace('public fun pay_both', 'fun pay_both'));
  const dir = join(folder.dir, 'pocket_money');
  const broken = await command('publish', dir, '--upgrade', payer.upgradeCapId);
  expect(broken).toMatchObject({ code: 1, out: '' });
  expect(broken.err).toMatch(/^error: .*pay_both.* Keep public functions and structs as they were/);
  const foreign = await command('publish', dir, '--upgrade', demo.packages.adaptors.tip_jar!);
  expect(foreign.code).toBe(1);
  expect(foreign.err).toContain(`has no UpgradeCap ${demo.packages.adaptors.tip_jar}`);
  expect(foreign.err).toContain(`${payer.upgradeCapId} of package ${payer.newest}`);
  await writeFile(path, source);
  const third = await command('publish', dir, '--upgrade', payer.upgradeCapId, '--json');
  expect(JSON.parse(third.out)).toMatchObject({ version: '3', upgradeCapId: payer.upgradeCapId });
});

test('what a package uses and is not named is listed, with the id on the local network', async () => {
  const dir = join(folder.dir, 'nest_egg');
  const vault = demo.packages.protocols.vault!;
  const lacking = await runCommand(['publish', dir], {
    DATA_DIR: join(folder.dir, '.data'),
    SUI_SECRET_KEY_FILE: join(folder.dir, '.data/publisher.key'),
  });
  expect(lacking).toMatchObject({ code: 2, out: '' });
  expect(lacking.err).toBe(
    `error: ${dir} uses vault, which must be on chain already. Say where: --with vault=${vault}\n`,
  );
  const misspelt = await command('publish', dir, '--with', `vualt=${vault}`);
  expect(misspelt.err).toMatch(/--with vualt: .* uses no package of this name\. It uses wallet, vault\./);
  const absent = await command('publish', dir, '--with', `vault=0x${'ab'.repeat(32)}`);
  expect(absent.err).toMatch(/--with vault: testnet has no package 0x(ab){32}\./);
});

test('the same manifest is not signed for again, unless its publisher insists', async () => {
  const words = ['register', '--draft', join(folder.dir, 'nest_egg/draft.json')];
  const again = await command(...words);
  expect(again.code).toBe(0);
  expect(again.out).toBe(
    'already listed as Nest Egg, version 1. Nothing was signed; --force signs an update\n',
  );
  expect(again.err).not.toContain('signing');
  const asJson = JSON.parse((await command(...words, '--json')).out);
  expect(asJson).toMatchObject({ done: 'already listed', digest: null, entry: { version: 1 } });
  const forced = JSON.parse((await command(...words, '--force', '--json')).out);
  expect(forced).toMatchObject({ done: 'updated', entry: { version: 2 } });
});

test('the commands of the README go from no key to a listing', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const blocks = shellBlocks(readme).filter((commands) => commands.includes('new-key'));
  expect(blocks).toHaveLength(1);
  const out = await runBlocks(folder.dir, blocks);
  expect(out).toMatch(/^tip_jar::tip +pay, intent A +Tip +wallet, object 0x[0-9a-f]{64}, amount, clock$/m);
  expect(out).toMatch(/in the catalog as My jar, version 1\n.*\nMy jar .* verified /);
  const listed = JSON.parse((await command('catalog', 'My jar', '--json')).out);
  expect(listed.adaptors).toMatchObject([{ manifest: { ops: [{ entry: 'tip' }] }, notExecutable: [] }]);
});

test('the requests of the README are answered as it shows', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const [section] = /^## Five useful requests$.*?^## /ms.exec(readme)!;
  const blocks = shellBlocks(section.replaceAll('http://127.0.0.1:8080', demo.baseUrl));
  expect(blocks).toHaveLength(5);
  const onLinesOfTheirOwn = 'curl() { command curl -sS "$@"; echo; }\n';
  const shown = await runBlocks(folder.dir, [onLinesOfTheirOwn, ...blocks]);
  expect(shown).toMatch(/^HTTP\/1\.1 304 Not Modified\r$/m);
  const json = shown.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  expect(json).toMatchObject([
    { network: 'testnet', count: 1, adaptors: [{ notExecutable: [] }] },
    { manifest: {} },
    { manifest: { name: 'Tip Jar', ops: [{ entry: 'tip' }] } },
    { data: { adaptors: { edges: [{}, {}] } } },
    { networks: { testnet: { listings: {} } } },
  ]);
});

test('an error of the marketplace or the chain is printed, with what to do, and ends with 1', async () => {
  const absent = await command('introspect', '0xabc');
  expect(absent).toMatchObject({ code: 1, out: '' });
  expect(absent.err).toMatch(/^error: .+ \(422 package_not_found\)\n {2}\S/);
  const asJson = await command('introspect', '0xabc', '--json');
  expect(JSON.parse(asJson.err)).toMatchObject({ status: 422, code: 'package_not_found' });
  const wrong = await command('draft', made.packageId, '--name', '', '--summary', 'x');
  expect(wrong.err).toMatch(/\(400 invalid_body\)\n {2}body\.name: /);

  const own = await command('attest', made.serviceType, '4');
  expect(own).toMatchObject({ code: 1, out: '' });
  expect(own.err).toContain('ESelfAttestation');
  const lacking = await command('call', 'deposit', '--service', made.serviceType, '--wallet', made.walletId);
  expect(lacking.code).toBe(2);
  expect(lacking.err).toContain('deposit lacks required options: --amount <units>, --min-out <units>.');
});

test('a service that is listed already is updated, by drafting and signing in one command', async () => {
  const profile = ['--publisher', 'name=Nest Labs', '--publisher', 'link=Site=https://nest.example/'];
  const words = [
    '--name',
    'Nest Egg',
    '--summary',
    'Keeps coins.',
    '--object',
    demo.objects.vault,
    ...profile,
  ];
  const { code, out, err } = await command('register', made.packageId, ...words, '--json');
  expect(code).toBe(0);
  // The command signs the update by itself, so it prints no advice to sign.
  expect(err).toContain('signing  registry::update of ');
  expect(err).not.toContain('already_listed');
  expect(JSON.parse(out)).toMatchObject({
    done: 'updated',
    entry: {
      serviceType: made.serviceType,
      version: 3,
      manifest: {
        summary: 'Keeps coins.',
        profile: { name: 'Nest Labs', links: [{ label: 'Site', url: 'https://nest.example/' }] },
      },
    },
  });
});

test('a draft is signed again after an update that the catalog cannot show, although it shows the draft', async () => {
  const words = ['update', '--draft', join(folder.dir, 'nest_egg/draft.json')];
  const readDone = async (...more: string[]) => {
    const { code, out, err } = await command(...words, '--json', ...more);
    expect(code, err).toBe(0);
    return JSON.parse(out);
  };
  const [first, bad, again] = [
    await readDone(),
    await readDone('--manifest-uri', `${demo.baseUrl}/none.json`, '--no-wait'),
    await readDone(),
  ];
  expect([first, bad, again].map(({ done }) => done)).toEqual(['updated', 'updated', 'updated']);
  expect(again.entry).toMatchObject({
    version: first.entry.version + 2,
    manifestUri: first.entry.manifestUri,
  });
});

test('a witness that anyone gets is warned of wherever the package is shown, and before its listing is signed', async () => {
  const dir = join(folder.dir, 'leaky');
  await mkdir(join(dir, 'sources'), { recursive: true });
  await writeFile(join(dir, 'Move.toml'), moveToml('leaky'));
  const source =
    'module leaky::leaky;\npublic struct Leaky has drop {}\npublic fun give(): Leaky { Leaky {} }\n';
  await writeFile(join(dir, 'sources/leaky.move'), source);
  const { packageId } = JSON.parse((await command('publish', dir, '--json')).out);

  const warning = 'warning  Anyone can get a value of Leaky from leaky::give, ';
  const said = ['--name', 'Leaky', '--summary', 'Leaks.'];
  const introspected = await command('introspect', packageId);
  expect(introspected.out).toContain(`witness  ${packageId}::leaky::Leaky\n${warning}`);
  expect((await command('draft', packageId, ...said)).err).toContain(warning);
  const registered = await command('register', packageId, ...said);
  expect(registered.code).toBe(0);
  expect(registered.err.indexOf(warning)).toBeGreaterThanOrEqual(0);
  expect(registered.err.indexOf(warning)).toBeLessThan(registered.err.indexOf('signing'));
  expect(`${registered.err}${registered.out}`.match(/^manifest uri /gm)).toHaveLength(1);

  // The whole catalog is rebuilt a few times a second, while a search reads the database at each request.
  await eventually(async () => {
    const listed = await (await fetch(`${demo.baseUrl}/api/adaptors`)).json();
    const warned = listed.adaptors.filter(({ warnings }: { warnings: unknown[] }) => warnings.length > 0);
    expect(warned).toMatchObject([
      { serviceType: `${packageId}::leaky::Leaky`, warnings: [{ code: 'witness_returned' }] },
    ]);
  });
});

test('before it signs, register says whether the catalog shows the listing by default, and what else has its name', async () => {
  const dir = join(folder.dir, 'alike');
  await mkdir(join(dir, 'sources'), { recursive: true });
  await writeFile(join(dir, 'Move.toml'), moveToml('alike'));
  await writeFile(join(dir, 'sources/alike.move'), 'module alike::alike;\npublic struct Alike has drop {}\n');
  const { packageId } = JSON.parse((await command('publish', dir, '--json')).out);
  const serviceType = `${packageId}::alike::Alike`;
  const catalog = async (type: string, ...words: string[]) =>
    JSON.parse((await command('catalog', type, '--json', ...words)).out).adaptors;
  const [{ publisher }] = await catalog(made.serviceType);
  const said = [packageId, '--name', 'NESТ-EGG', '--summary', 'Another.'];
  const drafted = await command('draft', ...said, '--json', '--sender', demo.owner.address);
  const { warnings } = JSON.parse(drafted.out) as { warnings: { code: string; detail: string }[] };
  expect(warnings.map(({ code }) => code)).toEqual(
    expect.arrayContaining(['publisher_not_verified', 'name_alike']),
  );

  const { baseUrl, rpcUrl, owner } = demo;
  const stranger = { MARKETPLACE_URL: baseUrl, SUI_RPC_URL: rpcUrl, SUI_SECRET_KEY: owner.secretKey };
  const claimed = await runCommand(['register', ...said, '--json'], stranger);
  expect(claimed.code, claimed.err).toBe(0);
  const beforeSigning = claimed.err.slice(0, claimed.err.indexOf('signing'));
  expect(beforeSigning).toMatch(
    /^warning {2}The catalog does not show this listing by default.*\(publisher_not_verified\)$/m,
  );
  expect(beforeSigning).toContain(`"Nest Egg" by ${publisher} (${made.serviceType})`);
  expect(JSON.parse(claimed.out)).toMatchObject({
    done: 'registered',
    serviceType,
    shownByDefault: false,
    entry: { publisherVerified: false },
  });
  expect(await catalog(serviceType)).toEqual([]);
  expect(await catalog(serviceType, '--all')).toMatchObject([
    { publisher: demo.owner.address, publisherVerified: false },
  ]);

  const own = await command('register', ...said);
  expect(own.code, own.err).toBe(0);
  const saidBefore = own.err.slice(0, own.err.indexOf('signing'));
  expect(saidBefore).toContain('catalog  shows this listing by default');
  expect(saidBefore).not.toContain('publisher_not_verified');
  expect(saidBefore).toContain('(name_alike)');
  // The T is Cyrillic.
  expect(own.out).toMatch(/^in the catalog as NESТ-EGG\[U\+0422\], version 1$/m);
  expect(await catalog(serviceType)).toMatchObject([
    {
      publisher,
      publisherVerified: true,
      alikeNames: [
        { name: 'Nest Egg', serviceType: made.serviceType, usage: { actions: 3, uniqueVaults: 1 } },
      ],
    },
  ]);
  expect(await catalog(made.serviceType)).toMatchObject([
    { alikeNames: [{ name: 'NESТ-EGG', serviceType }] },
  ]);
  expect((await command('catalog', serviceType)).out).toMatch(/^NESТ-EGG\[U\+0422\] .* verified /m);
});

test('nothing is signed for a draft that was tampered with', async () => {
  const path = join(folder.dir, 'tampered.json');
  const draft = JSON.parse(await readFile(join(folder.dir, 'nest_egg/draft.json'), 'utf8'));
  draft.manifest.ops[0].call.args[1].objectId = made.walletId;
  await writeFile(path, JSON.stringify(draft));
  const { code, err } = await command('register', '--draft', path);
  expect(code).toBe(1);
  expect(err).toContain('Draft it again');
  expect(err).not.toContain('signing');
});

test('a hostile marketplace cannot have a wallet, another listing or anything on another chain signed', async () => {
  const schema = await (await fetch(`${demo.baseUrl}/api/adaptors/schema`)).json();
  const draft = await readFile(join(folder.dir, 'nest_egg/draft.json'), 'utf8');
  const review = ['attest', demo.publishers[0]!.serviceTypes[0]!, '1'];
  const hostile = async (words: string[], change: (network: typeof schema.networks.testnet) => void) => {
    const answer = structuredClone(schema);
    change(answer.networks.testnet);
    const answers: Record<string, string> = {
      '/api/adaptors/schema': JSON.stringify(answer),
      '/api/adaptors/draft': draft,
    };
    const { url } = await serveAnswers((path) => answers[path]);
    return command(...words, '--url', url);
  };
  const wallet = await hostile(review, ({ registry }) => {
    registry.objectId = made.walletId;
  });
  expect(wallet).toMatchObject({ code: 1, out: '' });
  expect(wallet.err).toMatch(/is not the shared Registry of .*\. Nothing was signed/);
  const stranger = await hostile(review, ({ registry }) => {
    registry.callPackageId = made.packageId;
  });
  expect(stranger).toMatchObject({ code: 1, out: '' });
  expect(stranger.err).toContain(`${made.packageId} is not a version of the package`);
  const elsewhere = await hostile(review, (network) => {
    network.chainId = 'another';
  });
  expect(elsewhere).toMatchObject({ code: 1, out: '' });
  expect(elsewhere.err).toContain('--rpc');
  const asked = ['register', demo.packages.adaptors.tip_jar!, '--name', 'Nest Egg', '--summary', 'Mine.'];
  const other = await hostile(asked, () => undefined);
  expect(other).toMatchObject({ code: 1, out: '' });
  expect(other.err).toContain('Nothing was signed');
});
