import type { Command } from 'commander';

/** A word of a command line that a shell may suggest. */
interface Suggestion {
  word: string;
  description: string;
}

/** The words that may follow a command. */
interface Completion {
  /** Names of the command and its subcommand; empty for the program. */
  path: readonly string[];
  commands: readonly Suggestion[];
  options: readonly (Suggestion & { takesValue: boolean; choices: readonly string[] })[];
}

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

const program = 'adaptor-marketplace';

/** Lists what may follow each command, and the program itself. */
export function listCompletions(commands: readonly Command[]): Completion[] {
  const visit = (command: Command, path: readonly string[]): Completion[] => {
    const help = command.createHelp();
    const below = help.visibleCommands(command).filter((one) => one.name() !== 'help');
    const options = help
      .visibleOptions(command)
      .flatMap(({ long, description, required, optional, argChoices }) =>
        long
          ? [{ word: long, description, takesValue: required || optional, choices: argChoices ?? [] }]
          : [],
      );
    const names = below.map((one) => ({ word: one.name(), description: one.description() }));
    return [{ path, commands: names, options }, ...below.flatMap((one) => visit(one, [...path, one.name()]))];
  };
  const top = commands.map((one) => ({ word: one.name(), description: one.description() }));
  return [{ path: [], commands: top, options: [] }, ...commands.flatMap((one) => visit(one, [one.name()]))];
}

/** The script that a shell reads to complete command lines. */
export function buildCompletionScript(shell: Shell, completions: readonly Completion[]): string {
  return { bash: buildBashScript, zsh: buildZshScript, fish: buildFishScript }[shell](completions);
}

const formatPath = (path: readonly string[]) => path.join('/');
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Lines of a `case` that follow the words from one command to the next. */
const buildPathCases = (completions: readonly Completion[]) =>
  completions.flatMap(({ path }) =>
    path.length === 0
      ? []
      : [
          `      ${quote(`${formatPath(path.slice(0, -1))}>${path.at(-1)}`)}) at=${quote(formatPath(path))} ;;`,
        ],
  );

const buildChoiceCases = (
  completions: readonly Completion[],
  toLine: (choices: readonly string[]) => string,
) =>
  completions.flatMap(({ path, options }) =>
    options.flatMap(({ word, choices }) =>
      choices.length === 0 ? [] : [`    ${quote(`${formatPath(path)}>${word}`)}) ${toLine(choices)} ;;`],
    ),
  );

function buildBashScript(completions: readonly Completion[]): string {
  const candidates = completions.map(({ path, commands, options }) => {
    const words = [...commands, ...options].map(({ word }) => word);
    return `    ${quote(formatPath(path))}) candidates=${quote(words.join(' '))} ;;`;
  });
  return [
    '_adaptor_marketplace() {',
    `  local at='' word candidates='' current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}`,
    `  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`,
    '    case "$at>$word" in',
    ...buildPathCases(completions),
    '    esac',
    '  done',
    '  case "$at" in',
    ...candidates,
    '  esac',
    '  case "$at>$before" in',
    ...buildChoiceCases(completions, (choices) => `candidates=${quote(choices.join(' '))}`),
    '  esac',
    '  COMPREPLY=($(compgen -W "$candidates" -- "$current"))',
    '}',
    '# Without a suggestion, files are completed.',
    `complete -o default -F _adaptor_marketplace ${program}`,
    '',
  ].join('\n');
}

function buildZshScript(completions: readonly Completion[]): string {
  const entry = ({ word, description }: Suggestion) =>
    quote(`${word.replaceAll(':', '\\:')}:${description.replaceAll('\n', ' ')}`);
  const candidates = completions.map(
    ({ path, commands, options }) =>
      `    ${quote(formatPath(path))}) candidates=(${[...commands, ...options].map(entry).join(' ')}) ;;`,
  );
  return [
    `#compdef ${program}`,
    '_adaptor_marketplace() {',
    "  local at='' word",
    '  local -a candidates',
    `  for word in "\${(@)words[2,CURRENT-1]}"; do`,
    '    case "$at>$word" in',
    ...buildPathCases(completions),
    '    esac',
    '  done',
    '  case "$at" in',
    ...candidates,
    '  esac',
    `  case "$at>\${words[CURRENT-1]}" in`,
    ...buildChoiceCases(completions, (choices) => `candidates=(${choices.map(quote).join(' ')})`),
    '  esac',
    "  _describe -V 'adaptor-marketplace' candidates || _files",
    '}',
    `compdef _adaptor_marketplace ${program}`,
    '',
  ].join('\n');
}

function buildFishScript(completions: readonly Completion[]): string {
  const escaped = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = completions.flatMap(({ path, commands, options }) => {
    const seen = path.map((name) => `__fish_seen_subcommand_from ${name}`);
    const below = commands.map(({ word }) => word).join(' ');
    const isOpen = below === '' ? [] : [`not __fish_seen_subcommand_from ${below}`];
    const named = (conditions: string[]) =>
      conditions.length === 0 ? '' : ` -n ${escaped(conditions.join('; and '))}`;
    return [
      ...commands.map(
        ({ word, description }) =>
          `complete -c ${program} -f${named([...seen, ...isOpen])} -a ${word} -d ${escaped(description)}`,
      ),
      ...options.map(({ word, description, takesValue, choices }) => {
        const value = choices.length > 0 ? ` -x -a ${escaped(choices.join(' '))}` : takesValue ? ' -r' : '';
        return `complete -c ${program}${named(seen)} -l ${word.slice(2)}${value} -d ${escaped(description)}`;
      }),
    ];
  });
  return `${lines.join('\n')}\n`;
}
