import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { expect, onTestFinished, test } from 'vitest';
import { commandNames, run } from './run.ts';

async function command(words: string[], env: Record<string, string> = {}) {
  const said = { out: '', err: '' };
  const code = await run(words, {
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    env,
    liveErr: false,
  });
  return { code, ...said };
}

const bin = join(import.meta.dirname, '../bin/adaptor-marketplace.js');
/** A data folder without a local network. */
const nowhere = { DATA_DIR: '/never' };
const serviceType = `0x${'a'.repeat(64)}::jar::Jar`;

test.each(commandNames)('%s says what it takes, with an example', async (name) => {
  const { code, out } = await command([name, '--help']);
  expect(code).toBe(0);
  expect(out).toContain(`Usage: adaptor-marketplace ${name} `);
  expect(out).toMatch(new RegExp(`\nExamples:\n(.*\n)*  adaptor-marketplace ${name}`));
  // The help of a command that calls a server says how the server is found.
  if (/^ {2}--url/m.test(out)) expect(out).toContain('MARKETPLACE_URL, else that of the profile in use');
  if (/^ {2}--rpc/m.test(out)) expect(out).toContain('SUI_RPC_URL, else the local one');
});

test('publish refuses a package of the chain itself as a dependency, before it reads anything', async () => {
  const { code, err } = await command(['publish', 'nowhere', '--with', 'vault=0x2'], nowhere);
  expect(code).toBe(2);
  expect(err).toMatch(/--with.*0x0+2 is reserved for the chain's own packages.* Expected the id of vault\./s);
});

/** The help texts of a command: its own, or those of its subcommands. */
async function readHelpTexts(words: string[]): Promise<[words: string, help: string][]> {
  const { out } = await command([...words, '--help']);
  const [, below = ''] = /\nCommands:\n((?: {2}.*\n?)*)/.exec(out) ?? [];
  const names = [...below.matchAll(/^ {2}([a-z-]+)/gm)]
    .map(([, one]) => one!)
    .filter((one) => one !== 'help');
  if (names.length === 0) return [[words.join(' '), out]];
  return (await Promise.all(names.map((one) => readHelpTexts([...words, one])))).flat();
}

test('every command answers as JSON where it is asked to; mcp speaks a protocol of its own', async () => {
  const { stdout } = spawnSync(process.execPath, [bin, 'localnet', '--help'], { encoding: 'utf8' });
  const helps = await Promise.all(commandNames.map((name) => readHelpTexts([name])));
  const all = [...helps.flat(), ['localnet', stdout] as [string, string]];
  expect(all.map(([words]) => words)).toEqual(expect.arrayContaining(['webhooks add', 'profile use', 'run']));
  const without = all.filter(([, help]) => !/^ {2}--json /m.test(help)).map(([words]) => words);
  expect(without).toEqual(['mcp']);
});

test('the help of a command follows its name too', async () => {
  const { out } = await command(['catalog', '--help']);
  expect(await command(['help', 'catalog'])).toEqual({ code: 0, out, err: '' });
});

test('colours are for terminals that show them alone, and change nothing but the labels', async () => {
  const printed = async (colours: { out: boolean; err: boolean }, words: string[]) => {
    const said = { out: '', err: '' };
    const write = (stream: 'out' | 'err') => (text: string) => {
      said[stream] += text;
    };
    await run(words, { out: write('out'), err: write('err'), env: nowhere, liveErr: false, colours });
    return said;
  };
  const controlSequence = String.fromCharCode(27);
  for (const words of [['--help'], ['catalog', '--help'], ['nope'], ['attest', serviceType, '5']]) {
    const plain = await printed({ out: false, err: false }, words);
    const painted = await printed({ out: true, err: true }, words);
    expect(plain.out + plain.err).not.toContain(controlSequence);
    expect(painted.out + painted.err).toContain(controlSequence);
    expect(stripVTControlCharacters(painted.out)).toBe(plain.out);
    expect(stripVTControlCharacters(painted.err)).toBe(plain.err);
  }
});

test('a line that the grammar of sui client cannot say is refused by name, with what to run', async () => {
  const { code, err } = await command(['publish', 'my_adaptor', '--ptb']);
  expect(code).toBe(2);
  expect(err).toMatch(/^error: --ptb: publish has no such line, .*sui client publish my_adaptor\n$/);
});

const id = `0x${'a'.repeat(64)}`;
const address = /Expected 0x and up to 64 hex digits, for example 0x2\./;
const type = /Expected a Move type.*, for example 0x2::sui::SUI/;
const service = /Expected a service type, 0x<package>::<module>::<Witness>/;
const amount = /Expected a whole number of base units below 2\^64, for example 1000000000/;
const url = /Expected http\(s\):\/\/host\[:port\].*, for example http:\/\/127/;
const choice = /Allowed choices are /;

test.each([
  [
    'an unknown command',
    ['nope'],
    /^error: unknown command 'nope'\nRun adaptor-marketplace --help for the commands\.\n$/,
  ],
  ['a command with a slip', ['catlog'], /unknown command 'catlog'\n\(Did you mean catalog\?\)/],
  ['a subcommand with a slip', ['profile', 'lst'], /unknown command 'lst'\n\(Did you mean list\?\)/],
  [
    'an option with a slip',
    ['catalog', '--limt', '3'],
    /unknown option '--limt'\n\(Did you mean --limit\?\)/,
  ],
  ['an unknown option', ['catalog', '--nope'], /unknown option '--nope'/],
  ['an unknown shell', ['completion', 'tcsh'], choice],
  ['a missing argument', ['infer', '0x2'], /missing required argument 'function'/],
  ['no address', ['introspect', 'me'], address],
  ['no publisher', ['catalog', '--publisher', 'me'], address],
  ['no object id', ['draft', id, '--object', 'pool'], address],
  ['no wallet', ['call', 'tip', '--wallet', 'mine'], address],
  ['no upgrade cap', ['publish', '.', '--upgrade', 'cap'], address],
  ['nobody to fund', ['fund', 'me'], address],
  [
    'a score that is none',
    ['attest', serviceType, '6'],
    /Expected a whole number from 1 to 5, for example 5/,
  ],
  ['no service type', ['attest', 'jar', '5'], service],
  ['nothing to unlist', ['unlist', 'jar'], service],
  ['no service to call', ['call', 'tip', '--service', 'SUI'], service],
  ['no service to grant', ['open-wallet', '--service', 'SUI'], service],
  ['no coin', ['catalog', '--coin', 'SUI'], type],
  ['no coin to pay in', ['call', 'tip', '--coin-in', 'SUI'], type],
  ['a number for a coin', ['call', 'tip', '--coin-out', 'u64'], type],
  ['no type argument', ['call', 'tip', '--type-arg', 'SUI'], type],
  [
    'no amount of a coin',
    ['open-wallet', '--grant', 'SUI=1'],
    /Expected coin=units, for example 0x2::sui::SUI=1/,
  ],
  ['a name that Move does not allow', ['new', 'my-adaptor'], /Expected at most 50 .* for example my_adaptor/],
  ['a name that leads elsewhere', ['new', '../adaptor'], /Expected at most 50/],
  ['a reserved name', ['new', 'wallet'], /This word is reserved/],
  ['nothing to grant', ['grant', serviceType, '--wallet', id], /missing required argument 'coin=units'/],
  [
    'a grant of zero',
    ['grant', serviceType, '0x2::sui::SUI=0', '--wallet', id],
    /Expected coin=units above 0/,
  ],
  [
    'two grants of one coin',
    ['grant', serviceType, '0x2::sui::SUI=1', '0x02::sui::SUI=unlimited', '--wallet', id],
    /0x0{63}2::sui::SUI is given twice/,
  ],
  [
    'two grants of one coin to a new wallet',
    ['open-wallet', '--service', serviceType, '--grant', '0x2::sui::SUI=1', '--grant', '0x2::sui::SUI=2'],
    /0x0{63}2::sui::SUI is given twice/,
  ],
  [
    'two values of one name',
    ['call', 'pay', '--service', serviceType, '--set', 'recipient=0x1', '--set', 'recipient=0x2'],
    /recipient is given twice/,
  ],
  [
    'two fields of one name',
    ['run', 'spend', 'amount=1', 'amount=2', '--owner', id, '--wallet', id],
    /amount is given twice/,
  ],
  ['a grant of no wallet', ['grant', serviceType, '0x2::sui::SUI=1'], /required option '--wallet/],
  ['no coin to revoke', ['revoke', serviceType, 'SUI', '--wallet', id], type],
  ['a bound without units', ['call', 'tip', '--take', '0x2::sui::SUI'], /Expected coin=units, .* or none/],
  [
    'an amount and none',
    ['call', 'tip', '--take', '0x2::sui::SUI=1', '--take', 'none'],
    /either none or amounts/,
  ],
  [
    'none and an amount',
    ['call', 'tip', '--take', 'none', '--take', '0x2::sui::SUI=1'],
    /either none or amounts/,
  ],
  ['a bound beyond 64 bits', ['call', 'tip', '--bring', `0x2::sui::SUI=${2n ** 64n}`], /Expected coin=units/],
  ['an amount that is none', ['call', 'tip', '--amount', '1.5'], amount],
  ['an amount in words', ['open-wallet', '--deposit', 'many'], amount],
  ['a value without a name', ['call', 'tip', '--set', '=5'], /Expected name=value, for example deadline=/],
  ['no function', ['call', 'tip jar'], /Expected a function or module::function, for example deposit/],
  ['no function to look up', ['infer', '0x2', 'a::b::c'], /Expected a function or module::function/],
  ['a url that is none', ['catalog', '--url', 'ftp://x'], url],
  ['a url without its scheme', ['catalog', '--url', 'localhost:8080'], url],
  ['a node with a path', ['whoami', '--rpc', 'http://127.0.0.1:9000/rpc'], url],
  ['a node without its scheme', ['whoami', '--rpc', 'localhost:9000'], url],
  ['no faucet', ['new-key', '/tmp/never.key', '--faucet', 'nonsense'], url],
  ['an unknown network', ['catalog', '--network', 'devnet'], choice],
  ['an unknown order', ['catalog', '--sort', 'size'], choice],
  ['no count', ['catalog', '--limit', 'many'], /Expected a whole number from 1 on, for example 20/],
  ['no cursor', ['events', '--after', '17'], /Expected the cursor of an event, for example 17\.0\.2/],
  [
    'a field without a value',
    ['run', 'spend', 'amount', '--owner', id, '--wallet', id],
    /Expected name=text or name:=json, for example amount=1000/,
  ],
  ['a field that is not JSON', ['run', 'spend', 'x:={', '--owner', id, '--wallet', id], /name:=json/],
  ['nobody to run for', ['run', 'spend'], /required option '--owner/],
  ['no executor key', ['run', 'spend', '--owner', id, '--wallet', id], /--executor-key <file>, or set/],
  [
    'an executor key in no file',
    ['run', 'spend', '--owner', id, '--wallet', id, '--executor-key', '/never'],
    /--executor-key: there is no file \/never/,
  ],
  [
    'no JSON',
    ['draft', id, '--values', '{'],
    /Expected JSON, .* for example \{"module::function": \["deadline"\]\}/,
  ],
  ['values of no function', ['draft', id, '--values', '[1]'], /Expected JSON, .* for example/],
  ['a draft without a name', ['draft', id], /give --name and --summary, for example --name/],
  ['no dependency', ['publish', '.', '--with', 'vault'], /Expected name=id, .* for example vault=0x/],
  [
    'two ids of one dependency',
    ['publish', '.', '--with', 'vault=0x1914b00', '--with', 'vault=0x1914c00'],
    /--with .*vault is given twice\. Give it once\./,
  ],
  [
    'one id of two dependencies',
    ['publish', '.', '--with', 'vault=0x1914b00', '--with', 'pool=0x1914b00'],
    /--with .*0x0+1914b00 is given twice\. Give it once\./,
  ],
  ['a folder that is not there', ['publish', '/never/there'], /^error: \/never\/there does not exist\./],
  [
    'a file for a folder',
    ['publish', import.meta.filename],
    /is a file\. Expected the folder of a Move package/,
  ],
  [
    'a folder without a package',
    ['publish', import.meta.dirname],
    /No Move\.toml in .* Expected a Move package/,
  ],
  [
    'a key in no folder',
    ['new-key', '/never/there.key'],
    /The folder \/never does not exist\. Create it: mkdir -p/,
  ],
  [
    'a draft kept in no folder',
    ['draft', id, '--name', 'x', '--summary', 'x', '--save', '/never/x'],
    /mkdir -p/,
  ],
  [
    'a key on the command line',
    ['attest', serviceType, '5', '--key', 'suiprivkey1'],
    /unknown option '--key'/,
  ],
  ['no key', ['attest', serviceType, '5'], /^error: No key: .*\n.*\n {2}npx adaptor-marketplace new-key/],
  ['neither a package nor a draft', ['register'], /Give either a package to draft, or --draft with a file/],
  [
    'a grant for nobody',
    ['open-wallet', '--grant', '0x2::sui::SUI=1'],
    /--grant needs --service.* for example 0x/,
  ],
])('%s ends with 2 and an explanation on standard error only', async (_, words, expected) => {
  const { code, out, err } = await command(words, nowhere);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(/^error: /);
  expect(err).toMatch(expected);
  expect(err).not.toContain('suiprivkey1');
});

test('a file of a draft that cannot be read is named with the reason', async () => {
  const env = { ...nowhere, SUI_SECRET_KEY: new Ed25519Keypair().getSecretKey() };
  const { readDraft } = await import('./draft.ts');
  await expect(readDraft('/never/there.json')).rejects.toThrow('/never/there.json does not exist.');
  await expect(readDraft(import.meta.dirname)).rejects.toThrow('is a folder. Expected a file.');
  await expect(readDraft(import.meta.filename)).rejects.toThrow(/is not a valid draft .* "draft --save"/);
  // A variable gets the same check as an option.
  const wrong = await command(['whoami'], { ...env, MARKETPLACE_URL: 'localhost:8080' });
  expect(wrong).toMatchObject({ code: 2, out: '' });
  expect(wrong.err).toMatch(/^error: MARKETPLACE_URL: "localhost:8080" is not valid\. Expected http/);
});

test('with --json a refusal of this program is problem+json too', async () => {
  const { code, out, err } = await command(['catalog', '--coin', 'SUI', '--json'], nowhere);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  const problem = { type: 'about:blank', title: 'Invalid usage', code: 'usage' };
  expect(JSON.parse(err)).toMatchObject({ ...problem, detail: expect.stringMatching(type) });
  const away = await command(['catalog', '--url', 'http://127.0.0.1:2', '--json']);
  expect(JSON.parse(away.err)).toMatchObject({
    code: 'refused',
    detail: expect.stringContaining('npm start'),
  });
});

test.each(['', ' catalog'])('a reader that closes early, as head does, does not fail "%s"', async (words) => {
  const entry = { serviceType, packageId: id, publisherVerified: true, manifestHash: '', version: 1 };
  const usage = { actions: 0, uniqueVaults: 0 };
  const manifest = { name: 'Jar', category: 'Other' };
  const many = Array.from({ length: 1_000 }, () => ({
    ...entry,
    manifest,
    usage,
    reviews: { count: 0, avg: null },
  }));
  const server = createServer((_, res) =>
    res
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ network: 'testnet', adaptors: many })),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const script = `'${bin}'${words} | head -c 1 > /dev/null; echo "\${PIPESTATUS[0]}"`;
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, MARKETPLACE_URL: `http://127.0.0.1:${port}` };
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', script], { env });
  expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
});

test.each(['', ' --follow'])('events%s ends when its reader closes, however many come', async (options) => {
  const event = { network: 'testnet', event: 'Registered', data: {}, timestampMs: 1, id: 'd:0' };
  let number = 0;
  const makeEvent = () => ({ ...event, cursor: `${++number}.0.0` });
  const server = createServer((req, res) => {
    if (!req.url!.includes('/stream')) {
      const events = [makeEvent(), makeEvent()];
      res.setHeader('content-type', 'application/json');
      return res.end(JSON.stringify({ events, cursor: events[1]!.cursor, hasMore: true }));
    }
    const write = () => {
      const next = makeEvent();
      res.write(`id: ${next.cursor}\ndata: ${JSON.stringify(next)}\n\n`);
    };
    const timer = setInterval(write, 10);
    res.once('close', () => clearInterval(timer));
    return res;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const script = `'${bin}' events --json${options} | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, MARKETPLACE_URL: `http://127.0.0.1:${port}` };
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', script], { env });
  expect({ stdout, stderr }).toEqual({
    stdout: `${JSON.stringify({ ...event, cursor: '1.0.0' })}\n0\n`,
    stderr: '',
  });
});

test('a marketplace that does not answer ends with 1, and it is said how to name another', async () => {
  // No server has this port.
  const { code, err } = await command(['catalog'], { MARKETPLACE_URL: 'http://127.0.0.1:2' });
  expect(code).toBe(1);
  expect(err).toMatch(/MARKETPLACE_URL/);
});

test('the help names every command, on standard output', () => {
  const { stdout } = spawnSync(process.execPath, [bin], { encoding: 'utf8' });
  const below = stdout.slice(stdout.indexOf('\nCommands:\n'));
  const listed = [...below.matchAll(/^ {2}([a-z][\w-]*) /gm)]
    .map(([, name]) => name)
    .filter((name) => name !== 'help');
  expect(listed).toEqual(['localnet', ...commandNames]);
  for (const word of ['help', '--help', '-h']) {
    const asked = spawnSync(process.execPath, [bin, word], { encoding: 'utf8' });
    expect(asked).toMatchObject({ status: 0, stdout, stderr: '' });
  }
});

test('the program prints its version, and ends with 2 for an unknown command', () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
  for (const word of ['--version', '-V']) {
    const asked = spawnSync(process.execPath, [bin, word], { encoding: 'utf8' });
    expect(asked).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
  }
  const unknown = spawnSync(process.execPath, [bin, 'nope'], { encoding: 'utf8' });
  expect(unknown).toMatchObject({ status: 2, stdout: '' });
  expect(unknown.stderr).toContain("error: unknown command 'nope'\n");
});

test.each([
  ['no response', (res: ServerResponse) => res.destroy(), 1],
  ['a response of another version', (res: ServerResponse) => res.end('{}'), 1],
  ['a failure', (res: ServerResponse) => res.writeHead(502).end('{"code":"x","detail":"x"}'), 1],
  ['a refusal', (res: ServerResponse) => res.writeHead(400).end('{"code":"x","detail":"x"}'), 0],
] as const)(
  'a new secret of a webhook is printed with %s exactly if it may be stored',
  async (_, answer, copies) => {
    const sent: string[] = [];
    const server = createServer(async (req, res) => {
      sent.push(JSON.parse(Buffer.concat(await Array.fromAsync(req)).toString()).secret);
      answer(res.setHeader('content-type', 'application/json'));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const env = { ...nowhere, MARKETPLACE_URL: `http://127.0.0.1:${port}`, MARKETPLACE_API_KEY: 'mk_test' };
    for (const words of [
      ['webhooks', 'add', 'https://app.example/hook', '--events', 'Updated'],
      ['webhooks', 'rotate', 'wh_8sQm2Kd1'],
    ]) {
      const { code, err } = await command(words, env);
      expect([code, err.split(sent.at(-1)!).length - 1]).toEqual([1, copies]);
    }
    expect(sent).toHaveLength(2);
  },
);
