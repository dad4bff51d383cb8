import { expect, test } from 'vitest';
import { localnetCommand } from './options.ts';

const parse = (...args: string[]) => {
  const command = localnetCommand(
    async () => undefined,
    async () => undefined,
  );
  return command.configureOutput({ writeErr: () => undefined }).parseAsync(args, { from: 'user' });
};

test.each([
  ['--fund', ''],
  ['--fund', '0x'],
  ['--name', 'demo.sui='],
])('%s %s names no address, and does not stand for 0x0', async (flag, text) => {
  await expect(parse(flag, text)).rejects.toThrow('Expected an address');
});

test('an address may be short, and without 0x', async () => {
  await parse('--fund', '0xA', '--fund', 'b', '--name', 'demo.sui=0xc');
});
