import { execFileSync, spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { buildCompletionScript, listCompletions, shells } from './completion.ts';
import { commandNames, loadCommands, run } from './run.ts';

const io = { out: () => undefined, err: () => undefined, env: {}, liveErr: false };
const completions = listCompletions(await loadCommands(io));

/** The suggestions of bash for the last word of a command line. */
function suggest(line: string): string[] {
  const words = line.split(' ');
  const script = `${buildCompletionScript('bash', completions)}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_adaptor_marketplace; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const printed = execFileSync('bash', ['--norc', '-uc', script], { encoding: 'utf8' });
  return printed.split('\n').filter((word) => word !== '');
}

test('bash suggests commands, subcommands, options and choices where they belong', () => {
  expect(suggest('adaptor-marketplace ')).toEqual(['localnet', ...commandNames]);
  expect(suggest('adaptor-marketplace pro')).toEqual(['profile']);
  expect(suggest('adaptor-marketplace profile ')).toEqual(
    expect.arrayContaining(['add', 'list', 'use', 'remove']),
  );
  expect(suggest('adaptor-marketplace profile add main --n')).toEqual(['--network']);
  expect(suggest('adaptor-marketplace catalog --limit 3 --so')).toEqual(['--source-matches', '--sort']);
  expect(suggest('adaptor-marketplace catalog --sort ')).toEqual([
    'rank',
    'trending',
    'recent',
    'usage',
    'rating',
    'updated',
    'name',
  ]);
  // Nothing matches: bash completes files.
  expect(suggest('adaptor-marketplace publish my_')).toEqual([]);
});

test.each(shells)(
  'the script for %s names every command and option, and quotes what it says of them',
  (shell) => {
    const script = buildCompletionScript(shell, completions);
    for (const { commands, options } of completions) {
      for (const { word } of commands) expect(script).toContain(word);
      for (const { word } of options)
        expect(script).toContain(word.replace(/^--/, shell === 'fish' ? '-l ' : '--'));
    }
    const hostile = [
      { path: [], options: [], commands: [{ word: 'a', description: "it's $(touch /tmp/x) `y` \\" }] },
    ];
    const quoted = {
      bash: "'a'",
      zsh: "'a:it'\\''s $(touch /tmp/x) `y` \\'",
      fish: "'it\\'s $(touch /tmp/x) `y` \\\\'",
    };
    expect(buildCompletionScript(shell, hostile)).toContain(quoted[shell]);
  },
);

test('the command prints a script that the shell accepts', async () => {
  let printed = '';
  const out = (text: string) => {
    printed += text;
  };
  expect(await run(['completion', 'bash'], { ...io, out })).toBe(0);
  expect(printed).toBe(buildCompletionScript('bash', completions));
  expect(spawnSync('bash', ['-n'], { input: printed, encoding: 'utf8' })).toMatchObject({
    status: 0,
    stderr: '',
  });
});
